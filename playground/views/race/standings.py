"""The table of a race as plain data: what each column is, how it came about, and the numbers of each entry.

The page draws, sorts and hides; the same columns make the CSV file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from playground.metrics.counts import NO_DRAWS, NO_POSITIONS
from playground.views.race.against import BASELINE, against_of
from playground.views.race.energy import no_joules_in_words
from playground.words import paragraph, word

Kind = Literal["measured", "counted", "computed", "estimate"]
Form = Literal["number", "percent", "times", "bytes", "joules"]


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
    why_blank: str = word("column_not_said")


NO_DRAFTS = word("column_no_drafts")
NO_RATE = {"acceptance_per_position": NO_POSITIONS, "acceptance_per_draw": NO_DRAWS}
COLUMNS = (
    Column(
        "tokens_per_s",
        word("column_tokens_per_s"),
        word("column_group_speed"),
        "measured",
        word("column_tokens_per_s_help"),
        digits=0,
        better="high",
    ),
    Column(
        "speed_up",
        word("column_speed_up"),
        word("column_group_speed"),
        "measured",
        paragraph(word("column_speed_up_help"), word("column_interval")),
        form="times",
        better="high",
        why_blank=word("column_no_baseline"),
    ),
    Column(
        "block_efficiency",
        word("column_block_efficiency"),
        word("column_group_drafts"),
        "counted",
        word("column_block_efficiency_help"),
        better="high",
    ),
    Column(
        "acceptance_per_position",
        word("column_acceptance_per_position"),
        word("column_group_drafts"),
        "counted",
        word("column_acceptance_per_position_help"),
        form="percent",
        digits=0,
        better="high",
        why_blank=NO_DRAFTS,
    ),
    Column(
        "acceptance_per_draw",
        word("column_acceptance_per_draw"),
        word("column_group_drafts"),
        "counted",
        word("column_acceptance_per_draw_help"),
        form="percent",
        digits=0,
        why_blank=NO_DRAFTS,
    ),
    Column(
        "draft_efficiency",
        word("column_draft_efficiency"),
        word("column_group_drafts"),
        "counted",
        word("column_draft_efficiency_help"),
        form="percent",
        digits=0,
        better="high",
        why_blank=NO_DRAFTS,
    ),
    Column(
        "target_calls",
        word("column_target_calls"),
        word("column_group_calls"),
        "counted",
        word("column_target_calls_help"),
        digits=0,
        better="low",
    ),
    Column(
        "draft_calls",
        word("column_draft_calls"),
        word("column_group_calls"),
        "counted",
        word("column_draft_calls_help"),
        digits=0,
    ),
    Column(
        "verified_nodes",
        word("column_verified_nodes"),
        word("column_group_calls"),
        "counted",
        word("column_verified_nodes_help"),
        digits=1,
    ),
    Column(
        "mbsu",
        word("column_mbsu"),
        word("column_group_calls"),
        "estimate",
        word("column_mbsu_help"),
        form="times",
        better="high",
    ),
    Column(
        "joules_per_token",
        word("column_joules_per_token"),
        word("column_group_energy"),
        "measured",
        word("column_joules_per_token_help"),
        form="joules",
        digits=1,
        unit="J",
        better="low",
        why_blank=word("column_not_measured"),
    ),
    Column(
        "estimated_joules_per_token",
        word("column_joules_per_token"),
        word("column_group_energy"),
        "estimate",
        word("column_estimated_joules_per_token_help"),
        form="joules",
        digits=1,
        unit="J",
        better="low",
        why_blank=word("column_no_estimate"),
    ),
    Column(
        "estimated_rejected_joules_per_token",
        word("column_estimated_rejected_joules_per_token"),
        word("column_group_energy"),
        "estimate",
        word("column_estimated_rejected_joules_per_token_help"),
        form="joules",
        digits=1,
        unit="J",
        better="low",
        why_blank=word("column_no_estimate"),
    ),
    Column(
        "peak_cache_bytes",
        word("column_peak_cache_bytes"),
        word("column_group_memory"),
        "counted",
        word("column_peak_cache_bytes_help"),
        form="bytes",
        digits=1,
        better="low",
    ),
    Column(
        "perplexity",
        word("column_perplexity"),
        word("column_group_quality"),
        "computed",
        word("column_perplexity_help"),
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
        return word("column_unfinished")
    if column.id == "speed_up" and row.get("unrated"):
        return word("column_unrated", rival=row["unrated"])
    if column.id == "joules_per_token":
        return no_joules_in_words(row.get("energy_reason")) or column.why_blank
    if column.id in NO_RATE and row.get("draft_efficiency"):
        return NO_RATE[column.id].get(row.get("tests") or "", column.why_blank)
    return column.why_blank
