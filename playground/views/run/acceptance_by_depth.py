"""Acceptance of drafted positions by depth in the draft tree: counted, next to the exact overlap of p and q."""

from playground.metrics.acceptance import DepthAcceptance
from playground.views.bars import Bars, Chart, Kind, bar_chart, percent, percent_between
from playground.words import Word, Words, paragraph, word

# tries at a depth -> their name, and that of the share of them that was accepted
TRIES = {
    "positions reached": (word("chart_positions_reached"), word("chart_per_position")),
    "tested drafts": (word("chart_tested_drafts"), word("chart_per_draw")),
    "drafts": (word("chart_drafts"), word("chart_kept_share")),
    "": (word("chart_tried"), word("chart_acceptance")),
}


def depth_chart(depths: list[DepthAcceptance]) -> Chart:
    """Chart acceptance by depth over the rounds of any number of runs; the chart of one run grows in the player."""
    tries, _ = TRIES[depths[0].tries if depths else ""]
    header = [word("chart_depth"), word("chart_drafted"), word("chart_tested"), word("chart_accepted")]
    header += [word("chart_rate", tries=tries), word("chart_interval")]
    header += [word("chart_overlap_share"), word("chart_reached")]
    body = []
    for each in depths:
        shares = percent(each.rate), percent_between(each.interval), percent(each.exact), percent(each.reach)
        body.append([each.depth, each.num_drafted, each.num_tested, each.num_accepted, *shares])
    return bar_chart("acceptance_by_depth", word("chart_depths"), _summary(depths), _bars(depths), header, body)


def _bars(data: list[DepthAcceptance]) -> Bars:
    """Bars of accepted / tried with 95 % intervals; a stroke marks the mean overlap, sum_x min(p, q)."""
    tries, y = TRIES[data[0].tries if data else ""]
    x = word("chart_x_depth", tries=tries)
    tested = [(each, each.rate, each.interval) for each in data if each.rate is not None and each.interval is not None]
    if not tested:
        is_unknown = data and not data[0].tries
        why = word("chart_not_said") if is_unknown else word("chart_none_tested")
        return Bars("depth", x, y, share=True, empty=why)
    depths = [each for each, _, _ in tested]
    accepted = Kind(
        name=word("chart_counted", tries=tries),
        look="counted",
        at=[each.depth for each in depths],
        values=[round(rate, 4) for _, rate, _ in tested],
        said=Words(_said(each, rate, tries) for each, rate, _ in tested),
        low=[round(low, 4) for _, _, (low, _) in tested],
        high=[round(high, 4) for _, _, (_, high) in tested],
    )
    exact = [(each.depth, each.exact) for each in depths if each.exact is not None]
    overlap = Kind(
        name=word("chart_overlap"),
        look="overlap",
        at=[depth for depth, _ in exact],
        values=[round(share, 4) for _, share in exact],
        said=Words(word("chart_said_overlap", depth=depth, share=f"{share:.1%}") for depth, share in exact),
    )
    below = [f"{each.num_passed}/{each.num_tries}" for each in depths]
    return Bars("depth", x, y, accepted.at, [accepted], overlap if exact else None, below, share=True)


def _said(acceptance: DepthAcceptance, rate: float, tries: Word) -> Word:
    return word(
        "chart_said_depth",
        depth=acceptance.depth,
        passed=acceptance.num_passed,
        total=acceptance.num_tries,
        tries=tries,
        share=f"{rate:.1%}",
        drafted=acceptance.num_drafted,
        reach=f"{acceptance.reach:.0%}",
    )


def _summary(depths: list[DepthAcceptance]) -> Word:
    tried, passed = sum(each.num_tries for each in depths), sum(each.num_passed for each in depths)
    if depths and not depths[0].tries:
        return word("column_unknown_tests")
    if not tried:
        return word("chart_none_tested_yet")
    tries, _ = TRIES[depths[0].tries]
    total = word("chart_accepted_of", passed=passed, total=tried, tries=tries, share=percent(passed / tried))
    rates = ", ".join(percent(each.rate) for each in depths if each.num_tries)
    return paragraph(total, word("chart_by_depth", rates=rates)) if len(depths) > 1 else total
