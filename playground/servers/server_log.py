"""A server's log in the Lab: its totals, its charts, and what it could have been. It runs in a child for a long one."""

from base64 import b64decode
from collections.abc import Sequence
from typing import Any

from playground.child import answer as answer_parent
from playground.errors import PlaygroundError
from playground.servers.findings import (
    Findings,
    Length,
    answer,
    best_length,
    bounds,
    expected_speed,
    findings,
    lengths,
    no_lengths,
    position_rates,
    rounds_text,
    title,
    verdict,
)
from playground.servers.reading import Log, read_log
from playground.servers.record import LEVELS
from playground.views.bars import DASH, Bars, Chart, Kind, bar_chart
from playground.words import commas, keyed, paragraph, word


def server_log(log: Log, draft_cost: float | None, verify_cost: float) -> dict[str, object]:
    """Title, level, verdict, facts, charts, notes and remarks as JSON takes them, with no text of the log."""
    result = findings(log.records)
    by_length = lengths(result, draft_cost, verify_cost)
    return {
        "title": title(result),
        "level": LEVELS[result.level],
        "verdict": paragraph(answer(result, by_length), verdict(result, draft_cost, verify_cost)),
        "facts": [*_facts(result), *_by_position(result)],
        "expected": expected_speed(result),
        "charts": [*_histogram(result), *_survival(result), *_timeline(result), *_lengths(by_length)],
        "notes": [*filter(None, [no_lengths(result)]), *log.notes],
        "remarks": list(result.remarks),
    }


def _facts(findings: Findings) -> list[list[str]]:
    efficiency = findings.draft_efficiency
    rows: list[tuple[str, int | float | None, str]] = [
        (word("chart_drafted"), findings.drafted, ",.0f"),
        (word("chart_accepted"), findings.accepted, ",.0f"),
        (word("log_share"), efficiency, ".1%"),
        (word("log_per_round"), findings.accepted_per_round, ".2f"),
        (word("log_tokens_per_s"), findings.tokens_per_s, ".1f"),
    ]
    facts = [[name, DASH if value is None else format(value, form)] for name, value, form in rows]
    return [
        [word("log_rounds"), rounds_text(findings)],
        *facts,
        [word("log_tokens_per_call"), bounds(findings.tokens_within)],
    ]


def _by_position(findings: Findings) -> list[list[str]]:
    rates = position_rates(findings)
    if not rates:
        return []
    survival, conditional = (commas([f"{rate:.0%}" for rate in column]) for column in zip(*rates, strict=True))
    return [[word("log_survival_rates"), survival], [word("log_conditional_rates"), conditional]]


def _histogram(findings: Findings) -> list[Chart]:
    if not findings.histogram:
        return []
    counts = list(range(len(findings.histogram)))
    said = [_rounds_accepted(count, accepted) for accepted, count in enumerate(findings.histogram)]
    rounds = Kind(word("log_rounds"), "counted", counts, list(findings.histogram), said)
    body = [[accepted, count] for accepted, count in enumerate(findings.histogram)]
    return [
        bar_chart(
            "log_histogram",
            word("log_histogram"),
            word("log_accepted_none", rounds=f"{sum(findings.histogram):,}", none=f"{findings.histogram[0]:,}"),
            Bars("accepted", word("chart_accepted_drafts"), word("log_rounds"), counts, [rounds]),
            [word("chart_accepted"), word("log_rounds")],
            body,
        )
    ]


def _rounds_accepted(count: int, accepted: int) -> str:
    if count == 1:
        return word("log_rounds_accepted_one", accepted=accepted)
    return word("log_rounds_accepted", count=f"{count:,}", accepted=accepted)


def _survival(findings: Findings) -> list[Chart]:
    """Chart the share of rounds that accepted each position: counted, or as the server wrote it."""
    known = [each for each in findings.survival or () if each.rounds]
    if findings.rates:
        shares, of, columns = list(findings.rates), word("log_survival_written"), [word("log_accepted_it")]
        positions = list(range(1, len(shares) + 1))
        body = [[position, f"{share:.1%}"] for position, share in zip(positions, shares, strict=True)]
        said = [word("log_survived_rate", position=position, share=share) for position, share in body]
    elif findings.survival:
        shares, of = (
            [each.survived / each.rounds for each in known],
            word("log_survival_of", which=findings.survival_of),
        )
        columns, positions = [word("log_rounds"), word("log_accepted_it")], [each.position for each in known]
        body = [[each.position, each.rounds, each.survived] for each in known]
        said = [
            word("log_survived", position=each.position, survived=f"{each.survived:,}", rounds=f"{each.rounds:,}")
            for each in known
        ]
    else:
        return []
    accepted = Kind(word("log_accepted_here"), "counted", positions, shares, said)
    return [
        bar_chart(
            "log_survival",
            word("log_survival"),
            of,
            Bars("depth", word("log_draft_position"), word("log_rounds_percent"), positions, [accepted], share=True),
            [word("log_position"), *columns],
            body,
        )
    ]


def _timeline(findings: Findings) -> list[Chart]:
    if not findings.timeline:
        return []
    rounds = list(range(1, len(findings.timeline) + 1))
    said = [f"{round}: {value:.2f}" for round, value in zip(rounds, findings.timeline, strict=True)]
    line = Kind(findings.timeline_of, "counted", rounds, [round(value, 4) for value in findings.timeline], said)
    return [
        bar_chart(
            "log_timeline",
            word("log_along"),
            word("log_along_file", what=findings.timeline_of),
            Bars("place", word("log_place_in"), findings.timeline_axis, rounds, [line]),
            [word("log_place"), findings.timeline_axis],
            [[round, f"{value:.3f}"] for round, value in zip(rounds, findings.timeline, strict=True)],
        )
    ]


def _lengths(by_length: Sequence[Length]) -> list[Chart]:
    if not by_length:
        return []
    costed, vary = by_length[0].cost is not None, any(each.tokens is None for each in by_length)
    values = [each.speed_ups or (each.least, each.most) for each in by_length]
    times, tokens = word("log_times"), word("log_tokens_per_call")
    what = times if costed else tokens
    drafted = [each.length for each in by_length]
    said = [
        word("log_length_brings", length=length, values=bounds(pair), what=what)
        for length, pair in zip(drafted, values, strict=True)
    ]
    name = word("log_at_least", what=what) if vary else what
    kinds = [Kind(name, "counted", drafted, [least for least, _ in values], said)]
    if vary:
        kinds.append(Kind(word("log_at_most"), "draft", drafted, [most - least for least, most in values], said))
    return [
        bar_chart(
            "log_lengths",
            word("log_lengths"),
            paragraph(word("log_lengths_vary") if vary else "", _about_lengths(by_length)),
            Bars("depth", word("chart_draft_length"), what, drafted, kinds),
            [word("chart_draft_length"), tokens, times],
            [[each.length, bounds((each.least, each.most)), bounds(each.speed_ups)] for each in by_length],
        )
    ]


def _about_lengths(by_length: Sequence[Length]) -> str:
    best = best_length(by_length)
    if by_length[0].cost is None:
        return word("log_lengths_tokens")
    if all(each.speed_ups and each.speed_ups[1] < 1 for each in by_length):
        return word("log_lengths_none")
    if best is None:
        return word("log_lengths_undecided")
    return word("log_lengths_best", length=best.length, times=bounds(best.speed_ups))


def reply(request: dict[str, Any]) -> Any:
    """Read what the page sent, and return what it shows, or the sentence that refuses it, as JSON takes them.

    Args:
        request: `content` in base64, `most` bytes that it may have unpacked, `draft_cost` and `verify_cost`.
    """
    try:
        log = read_log(b64decode(request["content"]), word("log_file"), request["most"])
        return keyed(server_log(log, request["draft_cost"], request["verify_cost"]))
    except PlaygroundError as error:
        return keyed({"error": error.args[0]})


if __name__ == "__main__":
    answer_parent(reply)
