"""What the Lab says of a server's log: its totals, its charts, and what it could have been."""

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
    """`{"title", "level", "verdict", "facts", "charts", "notes"}`, ready for json.dumps, with no text of the log."""
    found = findings(log.records)
    told = lengths(found, draft_cost, verify_cost)
    records = "record" if found.requests == 1 else "records"
    return {
        "title": f"{' and '.join(found.servers)}: {found.requests:,} {records}",
        "level": f"Recorded were {found.level}: {LEVELS[found.level]}.",
        "verdict": verdict(found, draft_cost, verify_cost),
        "facts": _facts(found),
        "charts": [*_histogram(found), *_survival(found), *_timeline(found), *_lengths(told)],
        "notes": [*filter(None, [no_lengths(found)]), *log.notes],
    }


def names() -> list[list[str]]:
    """The card: server, their name, ours, whether the extra token is counted."""
    return [list(each) for each in NAMES]


def _facts(found: Findings) -> list[list[str]]:
    efficiency = found.draft_efficiency
    rows: list[tuple[str, int | float | None, str]] = [
        ("rounds", found.steps, ",.0f"),
        ("drafted", found.drafted, ",.0f"),
        ("accepted", found.accepted, ",.0f"),
        ("accepted / drafted", efficiency, ".1%"),
        ("accepted per round", found.accepted_per_step, ".2f"),
        ("tokens/s of decoding", found.tokens_per_s, ".1f"),
    ]
    return [[name, DASH if value is None else format(value, form)] for name, value, form in rows]


def _histogram(found: Findings) -> list[dict[str, Any]]:
    if not found.histogram:
        return []
    places = range(len(found.histogram))
    said = [f"{count:,} rounds accepted {place}" for place, count in enumerate(found.histogram)]
    rounds = Kind("rounds", "counted", places, found.histogram, said)
    body = [[place, count] for place, count in enumerate(found.histogram)]
    return [
        _chart(
            "histogram",
            "Accepted in a round",
            f"Of {sum(found.histogram):,} rounds, {found.histogram[0]:,} accepted none.",
            Bars("accepted", "accepted drafts", "rounds", places, [rounds]),
            ["accepted", "rounds"],
            body,
        )
    ]


def _survival(found: Findings) -> list[dict[str, Any]]:
    if not found.survival:
        return []
    known = [each for each in found.survival if each.steps]
    places = [each.position for each in known]
    said = [f"position {each.position}: {each.survived:,} of {each.steps:,} rounds" for each in known]
    kept = Kind("accepted up to here", "counted", places, [each.survived / each.steps for each in known], said)
    return [
        _chart(
            "survival",
            "How far a draft survives",
            f"Rounds that accepted the position and all before it, {found.survival_of}.",
            Bars("layer", "position in the draft", "rounds (%)", places, [kept], share=True),
            ["position", "rounds", "accepted it"],
            [[each.position, each.steps, each.survived] for each in known],
        )
    ]


def _timeline(found: Findings) -> list[dict[str, Any]]:
    if not found.timeline:
        return []
    places = range(1, len(found.timeline) + 1)
    said = [f"{place}: {value:.2f}" for place, value in zip(places, found.timeline, strict=True)]
    line = Kind(found.timeline_of, "counted", places, [round(value, 4) for value in found.timeline], said)
    return [
        _chart(
            "timeline",
            "Along the log",
            f"{found.timeline_of[:1].upper()}{found.timeline_of[1:]}, in the order of the file.",
            Bars("place", "place in the log", "accepted", places, [line]),
            ["place", "accepted"],
            [[place, f"{value:.3f}"] for place, value in zip(places, found.timeline, strict=True)],
        )
    ]


def _lengths(told: Sequence[Length]) -> list[dict[str, Any]]:
    if not told:
        return []
    costed, vary = told[0].cost is not None, any(each.tokens is None for each in told)
    values = [each.speed_ups or (each.least, each.most) for each in told]
    what = "times plain decoding" if costed else "tokens per target call"
    places = [each.length for each in told]
    said = [f"length {length}: {bounds(pair)} {what}" for length, pair in zip(places, values, strict=True)]
    kinds = [Kind(f"{what}, at least" if vary else what, "counted", places, [least for least, _ in values], said)]
    if vary:
        kinds.append(Kind("at most so much more", "draft", places, [most - least for least, most in values], said))
    return [
        _chart(
            "lengths",
            "Another length, in hindsight (an estimate)",
            _about_lengths(told, vary),
            Bars("layer", "draft length", what, places, kinds),
            ["draft length", "tokens per target call", "times plain decoding"],
            [[each.length, bounds((each.least, each.most)), bounds(each.speed_ups)] for each in told],
        )
    ]


def _about_lengths(told: Sequence[Length], vary: bool) -> str:
    best = best_length(told)
    why = "The drafted lengths vary, and a draft accepted whole says nothing beyond its end; so there are bounds. "
    known = why if vary else ""
    if told[0].cost is None:
        return (
            f"{known}Tokens per target call, the target's own counted. With the cost of a draft it says which is best."
        )
    if all(each.speed_ups and each.speed_ups[1] < 1 for each in told):
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
