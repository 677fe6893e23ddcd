"""A server's log in the Lab: its totals, its charts, and what it could have been."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from playground.servers.findings import Findings, Length, best_length, bounds, findings, lengths, no_lengths, verdict
from playground.servers.reading import Log
from playground.servers.record import LEVELS
from playground.servers.words import NAMES
from playground.views.bars import Bars, Kind
from playground.views.charts import DASH


def server_log(log: Log, draft_cost: float | None, verify_cost: float) -> dict[str, Any]:
    """Title, level, verdict, facts, charts, notes and remarks as JSON takes them, with no text of the log."""
    result = findings(log.records)
    by_length = lengths(result, draft_cost, verify_cost)
    records = "record" if result.requests == 1 else "records"
    return {
        "title": f"{' and '.join(result.servers)}: {result.requests:,} {records}",
        "level": f"Recorded were {result.level}: {LEVELS[result.level]}.",
        "verdict": verdict(result, draft_cost, verify_cost),
        "facts": _facts(result),
        "charts": [*_histogram(result), *_survival(result), *_timeline(result), *_lengths(by_length)],
        "notes": [*filter(None, [no_lengths(result)]), *log.notes],
        "remarks": list(result.remarks),
    }


def names() -> list[list[str]]:
    """The card: server, their name, ours, whether the extra token is counted."""
    return [list(each) for each in NAMES]


def _facts(findings: Findings) -> list[list[str]]:
    efficiency = findings.draft_efficiency
    rows: list[tuple[str, int | float | None, str]] = [
        ("rounds", findings.steps, ",.0f"),
        ("drafted", findings.drafted, ",.0f"),
        ("accepted", findings.accepted, ",.0f"),
        ("accepted / drafted", efficiency, ".1%"),
        ("accepted per round", findings.accepted_per_step, ".2f"),
        ("tokens/s of decoding", findings.tokens_per_s, ".1f"),
    ]
    facts = [[name, DASH if value is None else format(value, form)] for name, value, form in rows]
    return [*facts, ["tokens per target call", bounds(findings.tokens_within)]]


def _histogram(findings: Findings) -> list[dict[str, Any]]:
    if not findings.histogram:
        return []
    counts = range(len(findings.histogram))
    said = [f"{count:,} rounds accepted {accepted}" for accepted, count in enumerate(findings.histogram)]
    rounds = Kind("rounds", "counted", counts, findings.histogram, said)
    body = [[accepted, count] for accepted, count in enumerate(findings.histogram)]
    return [
        _chart(
            "histogram",
            "Accepted in a round",
            f"Of {sum(findings.histogram):,} rounds, {findings.histogram[0]:,} accepted none.",
            Bars("accepted", "accepted drafts", "rounds", counts, [rounds]),
            ["accepted", "rounds"],
            body,
        )
    ]


def _survival(findings: Findings) -> list[dict[str, Any]]:
    if findings.rates:
        return _rates(findings.rates)
    if not findings.survival:
        return []
    known = [each for each in findings.survival if each.steps]
    positions = [each.position for each in known]
    said = [f"position {each.position}: {each.survived:,} of {each.steps:,} rounds" for each in known]
    accepted = Kind("accepted up to here", "counted", positions, [each.survived / each.steps for each in known], said)
    return [
        _chart(
            "survival",
            "How far a draft survives",
            f"Rounds that accepted the position and all before it, {findings.survival_of}.",
            Bars("layer", "position in the draft", "rounds (%)", positions, [accepted], share=True),
            ["position", "rounds", "accepted it"],
            [[each.position, each.steps, each.survived] for each in known],
        )
    ]


def _rates(rates: Sequence[float]) -> list[dict[str, Any]]:
    positions = range(1, len(rates) + 1)
    said = [f"position {position}: {rate:.1%} of the rounds" for position, rate in zip(positions, rates, strict=True)]
    accepted = Kind("accepted up to here", "counted", positions, list(rates), said)
    return [
        _chart(
            "survival",
            "How far a draft survives",
            "Rounds that accepted the position and all before it, as the server wrote it.",
            Bars("layer", "position in the draft", "rounds (%)", positions, [accepted], share=True),
            ["position", "accepted it"],
            [[position, f"{rate:.1%}"] for position, rate in zip(positions, rates, strict=True)],
        )
    ]


def _timeline(findings: Findings) -> list[dict[str, Any]]:
    if not findings.timeline:
        return []
    steps = range(1, len(findings.timeline) + 1)
    said = [f"{step}: {value:.2f}" for step, value in zip(steps, findings.timeline, strict=True)]
    line = Kind(findings.timeline_of, "counted", steps, [round(value, 4) for value in findings.timeline], said)
    return [
        _chart(
            "timeline",
            "Along the log",
            f"{findings.timeline_of[:1].upper()}{findings.timeline_of[1:]}, in the order of the file.",
            Bars("place", "place in the log", "accepted", steps, [line]),
            ["place", "accepted"],
            [[step, f"{value:.3f}"] for step, value in zip(steps, findings.timeline, strict=True)],
        )
    ]


def _lengths(by_length: Sequence[Length]) -> list[dict[str, Any]]:
    if not by_length:
        return []
    costed, vary = by_length[0].cost is not None, any(each.tokens is None for each in by_length)
    values = [each.speed_ups or (each.least, each.most) for each in by_length]
    what = "times plain decoding" if costed else "tokens per target call"
    drafted = [each.length for each in by_length]
    said = [f"length {length}: {bounds(pair)} {what}" for length, pair in zip(drafted, values, strict=True)]
    kinds = [Kind(f"{what}, at least" if vary else what, "counted", drafted, [least for least, _ in values], said)]
    if vary:
        kinds.append(Kind("at most so much more", "draft", drafted, [most - least for least, most in values], said))
    return [
        _chart(
            "lengths",
            "Another length, in hindsight (an estimate)",
            _about_lengths(by_length, vary),
            Bars("layer", "draft length", what, drafted, kinds),
            ["draft length", "tokens per target call", "times plain decoding"],
            [[each.length, bounds((each.least, each.most)), bounds(each.speed_ups)] for each in by_length],
        )
    ]


def _about_lengths(by_length: Sequence[Length], vary: bool) -> str:
    best = best_length(by_length)
    why = "The drafted lengths vary, and a draft accepted whole says nothing beyond its end; so there are bounds. "
    known = why if vary else ""
    if by_length[0].cost is None:
        return (
            f"{known}Tokens per target call, the target's own counted. With the cost of a draft it says which is best."
        )
    if all(each.speed_ups and each.speed_ups[1] < 1 for each in by_length):
        return f"{known}By your costs no length would have paid: plain decoding is faster."
    if best is None:
        return f"{known}By them and your costs no length is certainly the best."
    times = bounds(best.speed_ups)
    return f"{known}By your costs the best fixed length would have been {best.length}: {times} times plain."


def _chart(name: str, title: str, summary: str, bars: Bars, header: list[str], body: list[list[Any]]) -> dict[str, Any]:
    drawn = asdict(bars)
    drawn["places"] = list(bars.places)
    for kind, own in zip(drawn["kinds"], bars.kinds, strict=True):
        kind["at"], kind["values"] = list(own.at), list(own.values)
    rows = {"header": header, "body": body}
    return {"id": f"log_{name}", "title": title, "summary": summary, "bars": drawn, "rows": rows}
