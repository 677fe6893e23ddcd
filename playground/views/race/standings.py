"""The table of a race as plain data: what each column is, how it came about, and the numbers of each entry.

The page draws, sorts and hides; the same columns make the CSV file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from playground.metrics.counts import NO_DRAWS, NO_POSITIONS
from playground.views.race.against import BASELINE, against_of

Kind = Literal["measured", "counted", "computed", "estimate"]
Form = Literal["number", "percent", "times", "bytes", "joules"]

INTERVAL = (
    "Every run is paired with the baseline's run of the same prompt, seed and repeat; shown is the median of the "
    "pairs' ratios, and its 95 % interval: percentiles of 2,000 medians, prompts drawn anew with replacement, each "
    "with all its pairs (bootstrap, seeded). With the few prompts of a race it holds the true median about "
    "9 times in 10; fewer than 5 have no interval: it would hold it too rarely. "
    "A baseline is 1 because it is its own pair."
)


@dataclass(frozen=True, slots=True)
class Column:
    """One measure of the table.

    Attributes:
        id: the field of a race's row.
        kind: how its numbers came about; said at the head of the column.
        form: how a number is written, with `digits` after the point.
        better: whether a larger or a smaller number is better, or neither.
        why_blank: why a cell can be empty.
    """

    id: str
    title: str
    group: str
    kind: Kind
    help: str
    form: Form = "number"
    digits: int = 2
    unit: str = ""
    better: Literal["high", "low"] | None = None
    why_blank: str = "Its runs do not say."


NO_DRAFTS = "It drafts nothing."
NO_RATE = {"acceptance_per_position": NO_POSITIONS, "acceptance_per_draw": NO_DRAWS}
COLUMNS = (
    Column(
        "tokens_per_s",
        "tokens/s",
        "Speed",
        "measured",
        "Emitted tokens / decoding seconds, prefill excluded, correction or bonus included. Median over prompts and "
        "repeats, and the middle half.",
        digits=0,
        better="high",
    ),
    Column(
        "speed_up",
        "speed-up",
        "Speed",
        "measured",
        "Tokens/s over autoregressive decoding; of a method that carries beams, over plain beams of the same law and "
        "width, as named below the number. " + INTERVAL,
        form="times",
        better="high",
        why_blank="No run of it has an autoregressive run beside it.",
    ),
    Column(
        "block_efficiency",
        "block efficiency",
        "Drafts",
        "counted",
        "Emitted tokens / target calls, prefill excluded, correction or bonus included. 1 for plain decoding.",
        better="high",
    ),
    Column(
        "acceptance_per_position",
        "acceptance per position",
        "Drafts",
        "counted",
        "Positions where one of the drafts was accepted / positions reached, without the correction or bonus token. "
        "The papers' acceptance rate. Blank where no position is judged for itself.",
        form="percent",
        digits=0,
        better="high",
        why_blank=NO_DRAFTS,
    ),
    Column(
        "acceptance_per_draw",
        "acceptance per draw",
        "Drafts",
        "counted",
        "Accepted / judged drafts, without the correction or bonus token. Who tests several drafts at a position has a "
        "low one and loses nothing by it, so it ranks nobody. Blank where no draft is judged for itself.",
        form="percent",
        digits=0,
        why_blank=NO_DRAFTS,
    ),
    Column(
        "draft_efficiency",
        "draft efficiency",
        "Drafts",
        "counted",
        "Accepted / drafted tokens, without the correction or bonus token; drafts not tested count as drafted.",
        form="percent",
        digits=0,
        better="high",
        why_blank=NO_DRAFTS,
    ),
    Column(
        "target_calls",
        "target calls",
        "Calls",
        "counted",
        "Forward passes of the target model in one run, prefill excluded.",
        digits=0,
        better="low",
    ),
    Column(
        "draft_calls",
        "draft calls",
        "Calls",
        "counted",
        "Forward passes of the draft model in one run, prefill excluded.",
        digits=0,
    ),
    Column(
        "verified_nodes",
        "verified nodes",
        "Calls",
        "counted",
        "Drafted tokens that one target call reads; the mean over a run's calls.",
        digits=1,
    ),
    Column(
        "mbsu",
        "MBSU",
        "Calls",
        "estimate",
        "Memory-bound speed-up: what the speed-up would be if time were only the reading of weights. Block efficiency "
        "/ (1 + r L), r = draft / target parameters, L = draft calls per round. From counts, not from a clock.",
        form="times",
        better="high",
    ),
    Column(
        "joules_per_token",
        "joules/token",
        "Energy",
        "measured",
        "Joules of the device's own counter / emitted tokens. Blank where no counter can be read.",
        form="joules",
        digits=1,
        unit="J",
        better="low",
        why_blank="Not measured.",
    ),
    Column(
        "estimated_joules_per_token",
        "joules/token",
        "Energy",
        "estimate",
        "Computed from the recorded work and the models' sizes by equation 9 of the MTAD paper, with constants that "
        "stand below the table; never filled in for a measurement.",
        form="joules",
        digits=1,
        unit="J",
        better="low",
        why_blank="The models do not say enough for an estimate.",
    ),
    Column(
        "estimated_rejected_joules_per_token",
        "joules on rejected drafts",
        "Energy",
        "estimate",
        "The part of the estimate that went into drafts which did not become text, per emitted token.",
        form="joules",
        digits=1,
        unit="J",
        better="low",
        why_blank="The models do not say enough for an estimate.",
    ),
    Column(
        "peak_cache_bytes",
        "peak cache",
        "Memory",
        "counted",
        "Largest size of both models' caches of keys and values in a run.",
        form="bytes",
        digits=1,
        better="low",
    ),
    Column(
        "perplexity",
        "perplexity",
        "Quality",
        "computed",
        "Of the emitted tokens under the target model, before temperature, top-k and top-p. A low one is likely text, "
        "not good text: a text that repeats itself has the lowest, so it ranks nobody. Methods that reproduce one law "
        "differ in it by chance.",
    ),
)


def standings_data(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Columns and cells, ready for json.dumps.

    Args:
        rows: of a race, each also with `title`, its parts `name` and `note` (its options in words), and `badge`, what
            is known of its losslessness.

    Returns:
        `columns`, and `rows` of {label, title, name, note, badge, runs, failed, against, over, cells}; `against` is the
        label of what the speed-up is over, and `over` its title, where that is not plain decoding; a cell is {value,
        low, high, why}, where `why` says why there is no value.
    """
    titles = {row["label"]: row["title"] for row in rows}
    return {"columns": [asdict(column) for column in COLUMNS], "rows": [_row(row, titles) for row in rows]}


def _row(row: dict[str, Any], titles: Mapping[str, str]) -> dict[str, Any]:
    over = against_of(row)
    failed = row.get("failed")
    return {name: row[name] for name in ("label", "title", "name", "note", "badge")} | {
        "failed": failed,
        "against": over,
        "over": titles.get(over, "") if over not in (BASELINE, row["label"]) else "",
        "tests": row.get("tests"),
        "runs": row.get("runs", 0),
        "cells": {} if failed else {column.id: _cell(row, column) for column in COLUMNS},
    }


def _cell(row: dict[str, Any], column: Column) -> dict[str, Any]:
    spread = row.get(column.id)
    if not isinstance(spread, dict):  # a number alone has no spread
        spread = {"median": spread, "low": None, "high": None}
    cell = {"value": spread["median"], "low": spread["low"], "high": spread["high"]}
    return cell | {"why": "" if cell["value"] is not None else _why(row, column)}


def _why(row: dict[str, Any], column: Column) -> str:
    if not row.get("runs"):
        return "No run of it was finished."
    if column.id == "speed_up" and row.get("unrated"):
        return f"It carries beams, and {row['unrated']} is not in this race."
    if column.id == "joules_per_token":
        reason = (row.get("energy_reason") or "").rstrip(".")
        return f"{reason[:1].upper()}{reason[1:]}." if reason else column.why_blank
    if column.id in NO_RATE and row.get("draft_efficiency"):
        return NO_RATE[column.id].get(row.get("tests") or "", column.why_blank)
    return column.why_blank
