"""The charts of the page as plain JSON: each its bars, a sentence that reads it aloud, and a table."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

from playground.metrics.acceptance import LayerAcceptance, RoundAcceptance
from playground.metrics.hindsight import Hindsight, RoundHindsight
from playground.metrics.speed import RoundTime
from playground.trace.events import Trace
from playground.views.run.acceptance_by_layer import (
    LayerBar,
    acceptance_by_layer_bars,
    layer_bars,
)
from playground.views.run.accepted_per_round import accepted_per_round_bars, accepted_per_round_data
from playground.views.run.length_in_hindsight import length_in_hindsight_bars, length_in_hindsight_data, say_hindsight
from playground.views.run.reliability import NOTHING, ReliabilityBar, reliability_bars, reliability_data, span
from playground.views.run.time_per_round import time_per_round_bars, time_per_round_data

DASH = "–"  # a number that does not exist


def page_charts(trace: Trace) -> list[dict[str, Any]]:
    """Those of the whole run: `[{"id", "title", "summary", "bars", "rows": {"header", "body"}}]`, ready for json.dumps.

    `summary` reads the chart aloud in plain sentences; `rows` holds its numbers as a table.
    """
    rounds, times = accepted_per_round_data(trace), time_per_round_data(trace)
    return [
        _reliability_chart(reliability_data(trace)),
        _hindsight_chart(length_in_hindsight_data(trace)),
        {
            "id": "accepted_per_round",
            "title": "Emitted per round",
            "summary": _say_rounds(rounds),
            "bars": asdict(accepted_per_round_bars(rounds)),
            "rows": {
                "header": ["round", "drafted", "judged", "accepted drafts", "last token", "emitted"],
                "body": [_round_row(each) for each in rounds],
            },
        },
        {
            "id": "time_per_round",
            "title": "Time per round",
            "summary": _say_times(times),
            "bars": asdict(time_per_round_bars(times)),
            "rows": {
                "header": ["round", "verify (ms)", "draft (ms)", "the rest (ms)", "sum (ms)"],
                "body": [_time_row(each) for each in times],
            },
        },
    ]


def _reliability_chart(data: list[ReliabilityBar]) -> dict[str, Any]:
    return {
        "id": "reliability",
        "title": "Does the draft know?",
        "summary": _say_reliability(data),
        "bars": asdict(reliability_bars(data)),
        "rows": {
            "header": ["q of the draft", "judged", "accepted", "accepted / judged", "95% interval", "expected"],
            "body": [_reliability_row(bar) for bar in data],
        },
    }


def _hindsight_chart(data: Hindsight | None) -> dict[str, Any]:
    return {
        "id": "length_in_hindsight",
        "title": "How long should it have been?",
        "summary": say_hindsight(data),
        "bars": asdict(length_in_hindsight_bars(data)),
        "rows": {
            "header": ["round", "drafted levels", "enough", "drafting (ms)", "of it too many (ms)"],
            "body": [_hindsight_row(each) for each in data.rounds] if data else [],
        },
    }


def layer_chart(layers: list[LayerAcceptance]) -> dict[str, Any]:
    """Acceptance by depth over the rounds of any number of runs; that of one run grows in the player."""
    bars = layer_bars(layers)
    tries = layers[0].tries if layers else "tries"
    header = ["layer", "drafted", "judged", "accepted", f"accepted / {tries}", "95% interval", "overlap", "reached"]
    return {
        "id": "acceptance_by_layer",
        "title": "Acceptance by layer",
        "summary": _say_layers(layers),
        "bars": asdict(acceptance_by_layer_bars(bars)),
        "rows": {"header": header, "body": [_layer_row(bar) for bar in bars]},
    }


def _say_layers(layers: list[LayerAcceptance]) -> str:
    tried, passed = sum(layer.num_tries for layer in layers), sum(layer.num_passed for layer in layers)
    if layers and not layers[0].tries:
        return "This trace is of an older version and does not say what was tested."
    if not tried:
        return "No drafts were judged yet."
    rates = ", ".join(_percent(layer.rate) for layer in layers if layer.num_tries)
    by_layer = f" By layer, from the first: {rates}." if len(layers) > 1 else ""
    return f"Accepted: {passed} of {tried} {layers[0].tries} ({_percent(passed / tried)}).{by_layer}"


def _say_reliability(data: list[ReliabilityBar]) -> str:
    filled = [bar.counts for bar in data if bar.counts.num_judged]
    if not filled:
        return NOTHING
    parts = [
        f"with q {span(each)} {_percent(each.rate)} were accepted ({each.num_accepted} of {each.num_judged})"
        for each in dict.fromkeys((filled[0], filled[-1]))
    ]
    return f"Of drafts {', '.join(parts)}."


def _say_rounds(rounds: list[RoundAcceptance]) -> str:
    if not rounds:
        return "No round is finished yet."
    drafts, emitted = sum(each.emitted_drafts for each in rounds), sum(each.num_emitted for each in rounds)
    if not any(each.num_drafted for each in rounds):
        return f"{_number(len(rounds), 'round')} emitted {_number(emitted, 'token')}. Nothing was drafted."
    ends = Counter(_last_token(each) for each in rounds)
    endings = ", ".join(f"{name} {count} times" if count > 1 else f"{name} once" for name, count in ends.most_common())
    opening = f"{_number(len(rounds), 'round')} emitted {_number(emitted, 'token')}"
    return f"{opening}, {_number(drafts, 'accepted draft')} among them. The last token of a round was: {endings}."


def _say_times(times: list[RoundTime]) -> str:
    total = sum(each.seconds for each in times)
    if not times:
        return "No round is finished yet."
    if not total:
        return f"{_number(len(times), 'round')}, with no time recorded."
    shares = {
        "verifying": sum(each.verify_s for each in times),
        "drafting": sum(each.draft_s for each in times),
        "the rest": sum(each.other_s for each in times),
    }
    parts = ", ".join(f"{_percent(seconds / total)} {name}" for name, seconds in shares.items() if seconds)
    return f"{_number(len(times), 'round')} took {_seconds(total)}: {parts}. Prefill is not included."


def _last_token(each: RoundAcceptance) -> str:
    """Origin of the round's last token; an accepted draft only where the end of text or budget cut it short."""
    return ", ".join(dict.fromkeys(each.extras)) or "accepted draft"


def _layer_row(bar: LayerBar) -> list[int | str]:
    layer = bar.acceptance
    interval = f"{bar.interval[0] * 100:.0f}–{_percent(bar.interval[1])}" if bar.interval else DASH
    shares = [_percent(layer.rate), interval, _percent(layer.exact), _percent(layer.reach)]
    return [layer.layer, layer.num_drafted, layer.num_judged, layer.num_accepted, *shares]


def _reliability_row(bar: ReliabilityBar) -> list[int | str]:
    group = bar.counts
    interval = f"{bar.interval[0] * 100:.0f}–{_percent(bar.interval[1])}" if bar.interval else DASH
    shares = [_percent(group.rate), interval, _percent(group.expected)]
    return [span(group), group.num_judged, group.num_accepted, *shares]


def _hindsight_row(each: RoundHindsight) -> list[int | str]:
    return [each.number, each.drafted, each.accepted, *(f"{s * 1000:.2f}" for s in (each.draft_s, each.wasted_s))]


def _round_row(each: RoundAcceptance) -> list[int | str]:
    return [each.round, each.num_drafted, each.num_judged, each.emitted_drafts, _last_token(each), each.num_emitted]


def _time_row(each: RoundTime) -> list[int | str]:
    return [each.round, *(f"{s * 1000:.2f}" for s in (each.verify_s, each.draft_s, each.other_s, each.seconds))]


def _percent(share: float | None) -> str:
    return DASH if share is None else f"{share * 100:.0f}%"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.3g} ms"
