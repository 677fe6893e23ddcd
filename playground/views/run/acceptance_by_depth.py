"""Acceptance of drafted positions by depth in the draft tree: counted, next to the exact overlap of p and q."""

from playground.metrics.acceptance import DepthAcceptance
from playground.views.bars import Bars, Kind
from playground.words import Word, Words, word

# tries at a depth -> their name, and that of the share of them that was accepted
TRIES = {
    "positions reached": (word("chart_positions_reached"), word("chart_per_position")),
    "tested drafts": (word("chart_tested_drafts"), word("chart_per_draw")),
    "drafts": (word("chart_drafts"), word("chart_kept_share")),
    "": (word("chart_tried"), word("chart_acceptance")),
}


def acceptance_by_depth_bars(data: list[DepthAcceptance]) -> Bars:
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
