"""The charts of the page as plain JSON: each its bars, a sentence that reads it aloud, and a table."""

from collections import Counter
from typing import Any

from playground.metrics.acceptance import DepthAcceptance, RoundAcceptance, accepted_per_round
from playground.metrics.hindsight import Hindsight, RoundHindsight, hindsight
from playground.metrics.reliability import Reliability, reliability
from playground.trace.events import Committed, Trace
from playground.views.bars import bar_chart
from playground.views.run.acceptance_by_depth import TRIES, acceptance_by_depth_bars
from playground.views.run.accepted_per_round import KINDS, accepted_per_round_bars
from playground.views.run.length_in_hindsight import length_in_hindsight_bars, say_hindsight
from playground.views.run.reliability import NOTHING, reliability_bars, span
from playground.views.run.time_per_round import PHASES, time_per_round_bars
from playground.words import Word, counted, listed, paragraph, word

DASH = "–"  # a number that does not exist


def page_charts(trace: Trace) -> list[dict[str, Any]]:
    """Those of the whole run: `[{"id", "title", "summary", "bars", "rows": {"header", "body"}}]`, ready for `keyed`.

    `summary` reads the chart aloud in plain sentences; `rows` holds its numbers as a table.
    """
    return [
        _reliability_chart(reliability(trace)),
        _hindsight_chart(hindsight(trace)),
        _rounds_chart(accepted_per_round(trace)),
        _times_chart([each.committed for each in trace.rounds]),
    ]


def _reliability_chart(data: list[Reliability]) -> dict[str, Any]:
    header = [
        word("chart_q"),
        word("chart_tested"),
        word("chart_accepted"),
        word("chart_rate", tries=word("chart_tested")),
        word("chart_interval"),
        word("chart_expected_share"),
    ]
    body = [_reliability_row(each) for each in data]
    title = word("chart_reliability")
    return bar_chart("reliability", title, _say_reliability(data), reliability_bars(data), header, body)


def _hindsight_chart(data: Hindsight | None) -> dict[str, Any]:
    header = [
        word("chart_round"),
        word("chart_drafted_levels"),
        word("chart_enough"),
        word("chart_drafting_ms"),
        word("chart_wasted_ms"),
    ]
    body = [_hindsight_row(each) for each in data.rounds] if data else []
    bars = length_in_hindsight_bars(data)
    return bar_chart("length_in_hindsight", word("chart_hindsight"), say_hindsight(data), bars, header, body)


def _rounds_chart(rounds: list[RoundAcceptance]) -> dict[str, Any]:
    header = [
        word("chart_round"),
        word("chart_drafted"),
        word("chart_tested"),
        word("chart_accepted_drafts"),
        word("chart_last_token"),
        word("chart_emitted"),
    ]
    body = [_round_row(each) for each in rounds]
    bars = accepted_per_round_bars(rounds)
    return bar_chart("accepted_per_round", word("chart_rounds"), _say_rounds(rounds), bars, header, body)


def _times_chart(times: list[Committed]) -> dict[str, Any]:
    phases = [*(name for _, name in PHASES.values()), word("chart_sum")]
    header = [word("chart_round"), *(word("chart_in_ms", name=name) for name in phases)]
    body = [_time_row(each) for each in times]
    return bar_chart("time_per_round", word("chart_times"), _say_times(times), time_per_round_bars(times), header, body)


def depth_chart(depths: list[DepthAcceptance]) -> dict[str, Any]:
    """Chart acceptance by depth over the rounds of any number of runs; the chart of one run grows in the player."""
    tries, _ = TRIES[depths[0].tries if depths else ""]
    header = [
        word("chart_depth"),
        word("chart_drafted"),
        word("chart_tested"),
        word("chart_accepted"),
        word("chart_rate", tries=tries),
        word("chart_interval"),
        word("chart_overlap_share"),
        word("chart_reached"),
    ]
    body = [_depth_row(each) for each in depths]
    title = word("chart_depths")
    return bar_chart("acceptance_by_depth", title, _say_depths(depths), acceptance_by_depth_bars(depths), header, body)


def _say_depths(depths: list[DepthAcceptance]) -> Word:
    tried, passed = sum(each.num_tries for each in depths), sum(each.num_passed for each in depths)
    if depths and not depths[0].tries:
        return word("chart_old_trace")
    if not tried:
        return word("chart_none_tested_yet")
    tries, _ = TRIES[depths[0].tries]
    total = word("chart_accepted_of", passed=passed, total=tried, tries=tries, share=_percent(passed / tried))
    rates = ", ".join(_percent(each.rate) for each in depths if each.num_tries)
    return paragraph(total, word("chart_by_depth", rates=rates)) if len(depths) > 1 else total


def _say_reliability(data: list[Reliability]) -> Word:
    filled = [each for each in data if each.num_tested]
    if not filled:
        return NOTHING
    parts = [
        word(
            "chart_share_of_q",
            span=span(each),
            share=_percent(each.rate),
            accepted=each.num_accepted,
            tested=each.num_tested,
        )
        for each in dict.fromkeys((filled[0], filled[-1]))
    ]
    return word("chart_of_drafts", parts=listed(parts))


def _say_rounds(rounds: list[RoundAcceptance]) -> Word:
    if not rounds:
        return word("chart_no_round_yet")
    drafts, emitted = sum(each.emitted_drafts for each in rounds), sum(each.num_emitted for each in rounds)
    counts = {"rounds": counted("rounds", len(rounds)), "tokens": counted("tokens", emitted)}
    if not any(each.num_drafted for each in rounds):
        return paragraph(word("chart_emitted_in", **counts), word("chart_nothing_drafted"))
    ends = Counter(_last_token(each) for each in rounds)
    endings = [
        word("chart_times_many", name=name, count=count) if count > 1 else word("chart_times_one", name=name)
        for name, count in ends.most_common()
    ]
    return paragraph(
        word("chart_emitted_among", **counts, drafts=counted("accepted_drafts", drafts)),
        word("chart_last_tokens", endings=listed(endings)),
    )


def _say_times(times: list[Committed]) -> Word:
    total = sum(each.seconds for each in times)
    if not times:
        return word("chart_no_round_yet")
    rounds = counted("rounds", len(times))
    if not total:
        return word("chart_no_time", rounds=rounds)
    shares = {look: sum(getattr(each, field) for each in times) for look, (field, _) in PHASES.items()}
    parts = [word(f"chart_share_{look}", share=_percent(s / total)) for look, s in shares.items() if s]
    return word("chart_took", rounds=rounds, time=_seconds(total), parts=listed(parts))


def _last_token(each: RoundAcceptance) -> Word:
    """Origin of the round's last token; an accepted draft only where the end of text or budget cut it short."""
    first, *others = [KINDS[origin] for origin in dict.fromkeys(each.extras or ("accepted",))]
    return listed([first, *others]) if others else first


def _depth_row(each: DepthAcceptance) -> list[int | str]:
    shares = [_percent(each.rate), _span(each.interval), _percent(each.exact), _percent(each.reach)]
    return [each.depth, each.num_drafted, each.num_tested, each.num_accepted, *shares]


def _reliability_row(each: Reliability) -> list[int | str]:
    shares = [_percent(each.rate), _span(each.interval), _percent(each.expected)]
    return [span(each), each.num_tested, each.num_accepted, *shares]


def _span(interval: tuple[float, float] | None) -> str:
    return f"{interval[0] * 100:.0f}–{_percent(interval[1])}" if interval else DASH


def _hindsight_row(each: RoundHindsight) -> list[int | str]:
    return [each.number, each.drafted, each.accepted, *(f"{s * 1000:.2f}" for s in (each.draft_s, each.wasted_s))]


def _round_row(each: RoundAcceptance) -> list[int | str]:
    return [each.round, each.num_drafted, each.num_tested, each.emitted_drafts, _last_token(each), each.num_emitted]


def _time_row(each: Committed) -> list[int | str]:
    return [each.round, *(f"{s * 1000:.2f}" for s in (each.verify_s, each.draft_s, each.other_s, each.seconds))]


def _percent(share: float | None) -> str:
    return DASH if share is None else f"{share * 100:.0f}%"


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.3g} ms"
