"""The table of a race as plain data: what each column is, how it came about, and the numbers of each entry.

The page draws, sorts and hides; the same columns make the CSV file.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Literal, TypedDict

from msgspec import Meta

from playground.metrics.comparison import RaceRow
from playground.metrics.counts import NO_DRAWS, NO_POSITIONS
from playground.metrics.interval import LEAST_PROMPTS, NUM_RESAMPLES
from playground.views.race.against import BASELINE, against_of
from playground.views.race.energy import no_joules_in_words
from playground.words import paragraph, word

Kind = Literal["measured", "counted", "computed", "estimate"]
Form = Literal["number", "percent", "times", "bytes", "joules"]


@dataclass(frozen=True, slots=True)
class Column:
    """One measure of the table."""

    id: str  # the field of a race's row
    title: str
    group: str
    kind: Kind  # The head of the column says how its numbers came about.
    help: str
    form: Form = "number"  # A number is written so, with `digits` after the point.
    digits: int = 2
    unit: str = ""
    # whether a larger or a smaller number is better, or neither
    better: Literal["high", "low"] | None = None
    why_blank: str = field(default_factory=lambda: word("column_not_said"))  # why a cell can be empty


class Mark(TypedDict):
    """A method's losslessness."""

    lossless: bool  # whether it claims a distribution, with its options
    mark: str  # a word or two, with the distance of a lossy method where it was measured
    claim: str  # It says in a sentence what the method reproduces, or how far it is from its target.
    words: str  # the whole of it, with what was measured and how


class Named(TypedDict):
    """An entry or a setting, and what it is called."""

    label: str
    title: str
    name: str
    note: str
    badge: Mark


class NamedEntry(Named):
    """An entry with what its method claims to sample from."""

    reproduces: str


class NamedRow(RaceRow, NamedEntry):
    """An entry of a race with what it is called."""


class Cell(TypedDict):
    """A number with its spread; or why there is none."""

    value: float | None
    low: float | None
    high: float | None
    why: str


class Standing(Named):
    """A row of the table of a race."""

    failed: str | None
    against: Annotated[str | None, Meta(description="label of what the speed-up is over")]
    over: Annotated[str, Meta(description="its title, where that is not plain decoding")]
    tests: str | None
    runs: int
    cells: dict[str, Cell]


class Standings(TypedDict):
    """The table of a race."""

    columns: list[Column]
    rows: list[Standing]
    notes: list[str]


NO_DRAFTS = word("column_no_drafts")
NO_RATE = {"acceptance_per_position": NO_POSITIONS, "acceptance_per_draw": NO_DRAWS}


def _column(name: str, group: str, kind: Kind, *, title: str = "", also: str = "", **shown: Any) -> Column:
    """Return a column whose words are called after it, or after another of this `title`; `also` adds to its help."""
    explained = paragraph(word(f"column_{name}_help"), also) if also else word(f"column_{name}_help")
    return Column(name, word(f"column_{title or name}"), word(f"column_group_{group}"), kind, explained, **shown)


_SHARE: dict[str, Any] = {"form": "percent", "digits": 0, "why_blank": NO_DRAFTS}
_JOULES: dict[str, Any] = {"form": "joules", "digits": 1, "unit": "J", "better": "low"}
_ESTIMATE = _JOULES | {"why_blank": word("column_no_estimate")}
COLUMNS = (
    _column("tokens_per_s", "speed", "measured", digits=0, better="high"),
    _column(
        "speed_up",
        "speed",
        "measured",
        also=word("column_interval", resamples=f"{NUM_RESAMPLES:,}", least=LEAST_PROMPTS),
        form="times",
        better="high",
        why_blank=word("column_no_baseline"),
    ),
    _column("block_efficiency", "drafts", "counted", better="high"),
    _column("acceptance_per_position", "drafts", "counted", better="high", **_SHARE),
    _column("acceptance_per_draw", "drafts", "counted", **_SHARE),
    _column("draft_efficiency", "drafts", "counted", better="high", **_SHARE),
    _column("target_calls", "calls", "counted", digits=0, better="low"),
    _column("draft_calls", "calls", "counted", digits=0),
    _column("verified_nodes", "calls", "counted", digits=1),
    _column("mbsu", "calls", "estimate", form="times", better="high"),
    _column("joules_per_token", "energy", "measured", **_JOULES, why_blank=word("column_not_measured")),
    _column("estimated_joules_per_token", "energy", "estimate", title="joules_per_token", **_ESTIMATE),
    _column("estimated_rejected_joules_per_token", "energy", "estimate", **_ESTIMATE),
    _column("peak_cache_bytes", "memory", "counted", form="bytes", digits=1, better="low"),
    _column("perplexity", "quality", "computed"),
)


def standings_data(rows: Sequence[NamedRow], notes: Sequence[str] = ()) -> Standings:
    """Columns and cells, ready for json.dumps.

    Args:
        rows: of a race.
        notes: below the table.
    """
    titles = {row["label"]: row["title"] for row in rows}
    return {"columns": columns_data(), "rows": [_row(row, titles) for row in rows], "notes": list(notes)}


def columns_data(*ids: str) -> list[Any]:
    """Return these columns, or all, ready for json.dumps."""
    return [asdict(column) for column in COLUMNS if column.id in ids or not ids]


def named(row: Mapping[str, Any]) -> Named:
    """Return what a row is called."""
    label, title, name, note, badge = (row[each] for each in ("label", "title", "name", "note", "badge"))
    return {"label": label, "title": title, "name": name, "note": note, "badge": badge}


def _row(row: NamedRow, titles: Mapping[str, str]) -> Standing:
    over = against_of(row)
    failed = row.get("failed")
    return {
        **named(row),
        "failed": failed,
        "against": over,
        "over": titles.get(over, "") if over not in (BASELINE, row["label"]) else "",
        "tests": row.get("tests"),
        "runs": row.get("runs", 0),
        "cells": {} if failed else {column.id: _cell(row, column) for column in COLUMNS},
    }


def _cell(row: NamedRow, column: Column) -> Cell:
    spread = row.get(column.id)
    if not isinstance(spread, dict):  # a number alone has no spread
        spread = {"median": spread, "low": None, "high": None}
    why = "" if spread["median"] is not None else _why(row, column)
    return {"value": spread["median"], "low": spread["low"], "high": spread["high"], "why": why}


def _why(row: NamedRow, column: Column) -> str:
    if not row.get("runs"):
        return word("column_unfinished")
    if column.id == "speed_up" and (rival := row.get("unrated")):
        return word("column_unrated", rival=rival)
    if column.id == "joules_per_token":
        return no_joules_in_words(row.get("energy_reason")) or column.why_blank
    if column.id in NO_RATE and row.get("draft_efficiency"):
        return NO_RATE[column.id].get(row.get("tests") or "", column.why_blank)
    return column.why_blank
