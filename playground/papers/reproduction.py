"""A paper's comparison run here: what was measured and what the paper prints, in one arrangement and on two scales.

Hardware, models and texts differ, so the numbers themselves are never compared, only directions: see as_in_paper.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from dataclasses import field as dataclass_field
from typing import Any

import numpy as np

from playground.bench.race import BASELINE
from playground.decoding.method import find_method, make_method, methods
from playground.metrics.interval import Difference, paired_difference
from playground.papers.preset import Axis, Preset
from playground.papers.printed import Paper, Result, Value
from playground.views.race.standings import COLUMNS, Column

Row = Mapping[str, Any]
Position = float | str | None  # along the axis; None where there is none

# the paper's metric -> our number of the same kind
FIELDS = {
    "speed": "tokens_per_s",
    "energy": "estimated_joules_per_token",
    "perplexity": "perplexity",
    "block efficiency": "block_efficiency",
    "speed-up over beam search": "over",
    "gain in token rate over single-draft speculative sampling": "gain",
    "speed-up over beam sampling at equal quality": "speed_at_equal_perplexity",
    "energy saving over beam sampling at equal quality": "energy_at_equal_perplexity",
}
RANGE = Axis(
    "over the widths whose perplexity some DSBD reaches", ("lowest", "highest")
)  # A printed range is compared with these.
MOST_NAMED = 4  # entries that a sentence names one by one


def _ratio(id: str, title: str, kind: Any = "measured") -> Column:
    return Column(id, title, "", kind, "", form="times", better="high")


BETWEEN_ENTRIES = {
    "over": _ratio("over", "speed-up over {}"),
    "gain": replace(_ratio("gain", "gain in tokens/s over {}"), form="number", digits=1, unit="%"),
    "speed_at_equal_perplexity": _ratio(
        "speed_at_equal_perplexity", "speed-up over beam sampling at no higher perplexity"
    ),
    "energy_at_equal_perplexity": _ratio(
        "energy_at_equal_perplexity", "energy saving over beam sampling at no higher perplexity", "estimate"
    ),
}


@dataclass(frozen=True, slots=True)
class Point:
    """One number of one entry."""

    method: str
    label: str
    x: Position
    value: float  # the median over its runs; low, high: their middle half, or the interval of a speed-up
    low: float | None = None
    high: float | None = None
    # the mean over a prompt's repeats; none where a race does not say it
    by_prompt: Mapping[str, float] = dataclass_field(default_factory=dict)

    def above(self, other: Point) -> Difference:
        """Difference to another point, the mean over the prompts that both ran on; the medians' difference without."""
        prompts = sorted(self.by_prompt.keys() & other.by_prompt.keys())
        if not prompts:
            return Difference(self.value - other.value, None, None)
        sides = [np.array([point.by_prompt[prompt] for prompt in prompts]) for point in (self, other)]
        return paired_difference(lambda numbers: numbers.mean(-1), *sides)

    def plain(self) -> dict[str, Any]:
        """Return the fields that a page draws."""
        return {name: value for name, value in asdict(self).items() if name != "by_prompt"}


@dataclass(frozen=True, slots=True)
class Panel:
    """One number of the comparison, measured and as the paper prints it."""

    column: Column  # It says what the number is, and how it is written.
    axis: Axis | None  # None where the methods are the columns
    points: list[Point]  # measured
    results: list[Result]  # They are the paper's; empty where it only draws.

    def best(self, method: str, x: Position) -> Point | None:
        """Return the best of a method's entries at a point of the axis; entries without one count everywhere."""
        points = [point for point in self.points if point.method == method and point.x in (x, None)]
        order = max if self.column.better == "high" else min
        return order(points, key=lambda point: point.value, default=None)

    @property
    def positions(self) -> list[Position]:
        """Everywhere along the axis that something was measured, in order."""
        return _in_order(point.x for point in self.points)


def panels(preset: Preset, rows: Sequence[Row]) -> list[Panel]:
    """Panels that the preset draws, then those that the paper alone prints; `rows` are those of a race."""
    known = {(entry.method, tuple(entry.options.items())) for entry in preset.entries()}
    ours = [row for row in rows if row.get("runs") and (row["method"], tuple(row["options"].items())) in known]
    reported = preset.reported()
    drawn: list[Panel] = []
    for field in preset.y:
        of_field = [result for result in reported if FIELDS.get(result.metric) == field]
        for axis in preset.axes or (None,):
            results = [result for result in of_field if axis is None or len(preset.axes) == 1 or result.x == axis.title]
            column = _column(field, preset, ours)
            drawn.append(Panel(column, axis, _points(preset, ours, column, axis), results))
    left = [result for result in reported if FIELDS.get(result.metric) not in preset.y]
    for metric in dict.fromkeys(result.metric for result in left):
        results = [result for result in left if result.metric == metric]
        drawn.append(_printed_only(ours, metric, results))
    return drawn


def plain(panel: Panel, preset: Preset) -> dict[str, Any]:
    """Return the panel ready for json.dumps.

    Returns:
        `form` ("table", "curves" or "points"), `column`, `axis` and its `heads`; `measured`: {method, name, cells,
        points}, where a cell is {value, low, high} or None and `points` are all entries; `reported`: {head, rows of
        {method, name, cells}}, where a cell is a text as printed.
    """
    keys = _keys(panel)
    by_method = panel.axis is None
    methods_there = dict.fromkeys(point.method for point in panel.points)
    cells = [_cell(panel.best(key, None)) for key in keys]
    one_row = {"method": None, "name": "This race", "cells": cells, "everywhere": None, "points": []}
    measures = {"accepted_width", *(each.id for each in COLUMNS)}
    is_measure = panel.axis is not None and not measures.isdisjoint(panel.axis.names)
    drawn = preset.is_picture and panel.points and panel.axis is not RANGE
    return {
        "form": ("points" if is_measure else "curves") if drawn else "table",
        "column": asdict(panel.column),
        "axis": panel.axis.title if panel.axis else None,
        "keys": keys,
        "heads": [title_of(key) if by_method else written(key) for key in keys],
        "measured": [one_row] if by_method else [_row(panel, name, keys) for name in methods_there],
        "reported": [_printed(group, keys, by_method) for group in _groups(panel.results, by_method)],
    }


def missing(preset: Preset, rows: Sequence[Row], conditions: Mapping[str, float]) -> list[str]:
    """Deviations of the race from the preset, in sentences.

    Args:
        conditions: of the race, by the names of `Preset.conditions`.
    """
    there = {(row["method"], tuple(row["options"].items())): row for row in rows}
    entries = preset.entries()
    absent = [entry.label for entry in entries if (entry.method, tuple(entry.options.items())) not in there]
    present = [row for entry in entries if (row := there.get((entry.method, tuple(entry.options.items()))))]
    said = []
    if absent:
        named = f": {', '.join(absent)}" if len(absent) <= MOST_NAMED else ""
        said.append(f"{len(absent)} of its {len(entries)} entries were not in the race{named}.")
    said += [f"{row['label']} failed: {row['failed'].rstrip('.')}." for row in present if "failed" in row]
    runs = int(conditions["prompts"] * conditions["repeats"])
    sound = [row for row in present if "failed" not in row]
    done, expected = sum(min(row["runs"], runs) for row in sound), runs * len(sound)
    if done < expected:
        said.append(
            f"Only {done} of {expected} runs were finished, so some numbers rest on fewer prompts or are not there."
        )
    changed = [
        f"{name} {conditions[name]:g} in place of {value:g}"
        for name, value in preset.conditions().items()
        if conditions[name] != value
    ]
    if changed:
        said.append(f"Changed: {', '.join(changed)}.")
    return said


def cited(paper: Paper) -> str:
    """Return author, year and title."""
    return f"{paper.authors} {paper.year}, {paper.title}"


# -- measured --------------------------------------------------------------------------------------------------------


def _column(field: str, preset: Preset, rows: Sequence[Row]) -> Column:
    if field == "estimated_joules_per_token" and any(row.get("joules_per_token") for row in rows):
        field = "joules_per_token"  # a counter could be read
    if field in BETWEEN_ENTRIES:
        column = BETWEEN_ENTRIES[field]
        return replace(column, title=column.title.format(find_method(preset.over).title.lower()))
    return next(column for column in COLUMNS if column.id == field)


def _points(preset: Preset, rows: Sequence[Row], column: Column, axis: Axis | None) -> list[Point]:
    points = []
    for row in rows:
        x = axis.of(row) if axis else None
        if axis and x is None and axis.is_elsewhere(row):
            continue
        numbers = _over(preset, rows, row, column.id, axis) if column.id in ("over", "gain") else row.get(column.id)
        if numbers:
            ends = numbers["low"], numbers["high"]
            by_prompt = row.get("by_prompt", {}).get(column.id, {})
            points.append(Point(rule_of(row), row["label"], x, numbers["median"], *ends, by_prompt))
    return points


def _over(preset: Preset, rows: Sequence[Row], row: Row, field: str, axis: Axis | None) -> dict[str, Any] | None:
    """Tokens/s over those of the method `over` at the same place.

    It is the speed-up of the race, run by run with its interval, where that is over the same entry; else no runs are
    paired, and it is a ratio of medians without a spread.
    """
    if row["method"] in (preset.over, BASELINE):
        return None
    others = [other for other in rows if other["method"] == preset.over and other.get("tokens_per_s")]
    other = next((other for other in others if axis is None or axis.of(other) in (axis.of(row), None)), None)
    if other is None or not row.get("tokens_per_s"):
        return None
    ratios = {"median": row["tokens_per_s"]["median"] / other["tokens_per_s"]["median"], "low": None, "high": None}
    if row.get("against") == other["label"] and row.get("speed_up"):
        ratios = {name: row["speed_up"][name] for name in ratios}
    if field == "over":
        return ratios
    return {name: None if ratio is None else 100 * (ratio - 1) for name, ratio in ratios.items()}


def _printed_only(rows: Sequence[Row], metric: str, results: list[Result]) -> Panel:
    """Return the metric that is only printed, as no field of a row has it; two can be derived from several rows."""
    field = FIELDS.get(metric, "")
    if not field.endswith("_at_equal_perplexity"):  # unknown here, or left out by the preset
        better = "high" if results[0].better == "larger" else "low"
        axis = Axis(results[0].x, ()) if results[0].x else None
        return Panel(Column("", metric, "", "measured", "", better=better), axis, [], results)
    ratios = at_equal_perplexity(rows, "tokens_per_s" if field.startswith("speed") else "estimated_joules_per_token")
    ends = zip(RANGE.names, (min(ratios), max(ratios)), strict=True) if ratios else ()
    return Panel(BETWEEN_ENTRIES[field], RANGE, [Point("dsbd", "dsbd", end, ratio) for end, ratio in ends], results)


def at_equal_perplexity(rows: Sequence[Row], field: str) -> list[float]:
    """For each width of beam sampling above 1: the best DSBD of no higher perplexity over it; a gain is above 1."""
    ratios, rows = [], [row for row in rows if row["perplexity"]]
    for beams in rows:
        if beams["method"] != "beam_sampling" or beams["options"]["width"] == 1:
            continue
        rivals = [
            row
            for row in rows
            if row["method"] == "dsbd" and row["perplexity"]["median"] <= beams["perplexity"]["median"]
        ]
        pairs = [row[field]["median"] / beams[field]["median"] for row in rivals if row[field] and beams[field]]
        if pairs:
            ratios.append(max(pairs) if field == "tokens_per_s" else 1 / min(pairs))
    return ratios


# -- as plain data ---------------------------------------------------------------------------------------------------


def _keys(panel: Panel) -> list[Any]:
    """Keys of the columns: positions along the axis, or methods."""
    values = [value for result in panel.results for value in result.values]
    if panel.axis is None:
        printed = [value.ours for value in values if value.ours]
        return list(dict.fromkeys([*(point.method for point in panel.points), *printed]))
    if panel.axis is RANGE:
        return list(RANGE.names)
    return _in_order([*panel.positions, *(value.x for value in values)])


def rule_of(row: Row) -> str:
    """Whose a row is: its method, or where its options make another rule of it, the name of that."""
    method = make_method(row["method"], row["options"])
    return row["method"] if method.title == find_method(row["method"]).title else method.title


def title_of(rule: str) -> str:
    """Heading of a key."""
    return find_method(rule).title if rule in methods() else rule


def _row(panel: Panel, method: str, keys: Sequence[Any]) -> dict[str, Any]:
    points = [point for point in panel.points if point.method == method]
    placed = {point.x for point in points}
    return {
        "method": method,
        "name": title_of(method),
        "cells": [_cell(panel.best(method, key)) if key in placed else None for key in keys],
        "everywhere": next((_cell(point) for point in points if point.x is None), None),
        "points": [point.plain() for point in points if point.x is not None],
    }


def _cell(point: Point | None) -> dict[str, float | None] | None:
    return {"value": point.value, "low": point.low, "high": point.high} if point else None


def _groups(results: Sequence[Result], by_method: bool) -> list[list[Result]]:
    """Results that share a heading: all of one place and machine where methods are the columns, else each its own."""
    if not by_method:
        return [[result] for result in results]
    heads = dict.fromkeys((result.place, result.hardware) for result in results)
    return [[result for result in results if (result.place, result.hardware) == head] for head in heads]


def _printed(group: Sequence[Result], keys: Sequence[Any], by_method: bool) -> dict[str, Any]:
    first = group[0]
    unit = f"; {first.unit}" if first.unit not in ("", "x") else ""
    if by_method:
        rows = [
            _printed_row(f"{result.target} with {result.draft}, {result.dataset}", None, result.values, keys, "ours")
            for result in group
        ]
        return {"head": f"{first.place}: {first.hardware}{unit}", "rows": rows}
    names = dict.fromkeys((value.method, value.ours) for value in first.values)
    setting = first.settings.get("verification")
    return {
        "head": first.conditions() + (f", {setting}" if setting else "") + unit,
        "rows": [
            _printed_row(name, ours, [value for value in first.values if value.method == name], keys, "x")
            for name, ours in names
        ],
    }


def _printed_row(
    name: str, ours: str | None, values: Iterable[Value], keys: Sequence[Any], along: str
) -> dict[str, Any]:
    texts: dict[Any, str] = {}
    for value in values:
        if value.value is None:
            texts |= {"lowest": f"{value.low:g}", "highest": f"{value.high:g}"}
        else:
            spread = "" if value.spread is None else f" ± {value.spread:g}"
            texts[getattr(value, along)] = f"{value.value:g}{spread}"
    return {"method": ours, "name": name, "cells": [texts.get(key) for key in keys]}


def _in_order(positions: Iterable[Position]) -> list[Any]:
    known = {each for each in positions if each is not None}
    return sorted(known, key=lambda each: (isinstance(each, str), each))


def written(key: Position) -> str:
    """Write a position along the axis."""
    return key if isinstance(key, str) else f"{key:g}"
