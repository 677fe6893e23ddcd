"""The charts of a sweep: one point per setting, and the front of those that no other setting beats in both numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, NamedTuple

import plotly.graph_objects as go

from playground.theory.pareto import Better, pareto_front
from playground.views.theme import COLOURS, INK, blank_figure, note
from playground.words import counted, joined, listed, word

# A method is known by its colour and its shape; with more methods than colours, shapes go on by themselves.
HUES = tuple(COLOURS[name] for name in ("method", "accepted", "correction", "rejected", "plain"))
SHAPES = ("circle", "square", "diamond", "triangle-up", "cross", "star", "pentagon")  # 35 looks in all
MOST_LABELS = 16  # points with a name next to them; more would cover each other

_YES, _NO = word("sweep_yes"), word("sweep_no")
LONGEST_NAMES = 50  # letters of the settings that a sentence names


@dataclass(frozen=True, slots=True)
class Axis:
    """One number of a setting: its field, the title of its axis, and which way is better."""

    field: str
    title: str
    name: str  # within a sentence
    better: Better
    suffix: str = ""
    tickformat: str = ""


@dataclass(frozen=True, slots=True)
class Front:
    """One chart: the two measures on its axes."""

    id: str
    title: str
    x: Axis
    y: Axis


class Point(NamedTuple):
    """One setting on a chart."""

    label: str
    method: str  # its title
    title: str
    short: str  # the values it varies in
    x: float
    y: float
    runs: int
    on_front: bool
    distribution: str  # Its texts are drawn by it.
    weighed: float  # its y on the front: one median over all texts of a distribution


_PERPLEXITY, _EFFICIENCY = word("column_perplexity"), word("column_block_efficiency")
_SPEED, _JOULES, _LENGTH = word("column_tokens_per_s"), word("column_joules_per_token"), word("chart_draft_length")
PERPLEXITY = Axis("perplexity", _PERPLEXITY, _PERPLEXITY, "smaller")
BLOCK_EFFICIENCY = Axis("block_efficiency", _EFFICIENCY, _EFFICIENCY, "larger")
FRONTS = (
    Front(
        "speed",
        word("sweep_chart_speed"),
        Axis("tokens_per_s", word("column_measured", column=_SPEED), _SPEED, "larger"),
        PERPLEXITY,
    ),
    Front(
        "energy",
        word("sweep_chart_energy"),
        Axis(
            "estimated_joules_per_token",
            word("column_estimate", column=_JOULES),
            word("sweep_estimated_joules"),
            "smaller",
            "J",
            "~s",
        ),
        PERPLEXITY,
    ),
    Front(
        "measured_energy",
        word("sweep_chart_measured_energy"),
        Axis(
            "joules_per_token",
            word("column_measured", column=_JOULES),
            word("sweep_measured_joules"),
            "smaller",
            "J",
            "~s",
        ),
        PERPLEXITY,
    ),
    Front(
        "budget",
        word("sweep_chart_budget"),
        Axis("verified_nodes", word("sweep_nodes_per_call"), word("chart_nodes"), "smaller"),
        BLOCK_EFFICIENCY,
    ),
    Front(
        "length",
        word("sweep_chart_length"),
        Axis("draft_length", _LENGTH, _LENGTH, "smaller"),
        BLOCK_EFFICIENCY,
    ),
)


def fronts_data(settings: Sequence[Mapping[str, Any]], front: Front) -> list[Point]:
    """Return a point for every setting that has both numbers, in the order of the settings.

    Args:
        settings: one row per setting with the medians of its runs, each also with `title`, `name` of its method,
            `short`, `runs` and `distribution`, what its texts are drawn by. An option of the method counts as a number
            of the setting.
        front: which chart. Where it weighs texts, settings of one distribution are equally good, whatever chance made
            of their perplexities: the front takes the median over all of them.
    """
    x, y = front.x, front.y
    merged = [{**row.get("options", {}), **row} for row in settings]
    rows = [row for row in merged if all(isinstance(row.get(axis.field), int | float) for axis in (x, y))]
    weighed: list[dict[str, Any]] = rows
    if y is PERPLEXITY:
        medians = _medians(merged, y.field)
        weighed = [row | {y.field: medians[row["law"]]} for row in rows]
    best = pareto_front(weighed, x=x.field, y=y.field, x_better=x.better, y_better=y.better)
    on_front = {row["label"] for row in best}
    return [
        Point(
            row["label"],
            row["name"],
            row["title"],
            row["short"],
            row[x.field],
            row[y.field],
            len(row["runs"]),
            row["label"] in on_front,
            row["law"],
            weighed_row[y.field],
        )
        for row, weighed_row in zip(rows, weighed, strict=True)
    ]


def _medians(rows: Sequence[Mapping[str, Any]], field: str) -> dict[str, float]:
    """Return the median of a number over all settings of each distribution that have it."""
    values: dict[str, list[float]] = {}
    for row in rows:
        if isinstance(row.get(field), int | float):
            values.setdefault(row["law"], []).append(row[field])
    return {distribution: median(each) for distribution, each in values.items()}


def has_something_to_show(points: Sequence[Point], front: Front) -> bool:
    """Return whether a chart says anything: a chart over draft lengths needs two of them, and so on.

    Texts of one distribution are equally good: only chance sets their perplexities apart, so there is no front.
    """
    if front.y is PERPLEXITY and len({point.distribution for point in points}) < 2:
        return False
    if front.id == "length":
        return any(len({point.x for point in points if point.method == each.method}) > 1 for each in points)
    if front.id == "measured_energy":
        return bool(points)
    return True


def looks(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """(colour, shape) of each method, in the order of their names: no two have the same of both."""
    return {name: (HUES[i % len(HUES)], SHAPES[i % len(SHAPES)]) for i, name in enumerate(names)}


def fronts_figure(points: Sequence[Point], front: Front, names: Sequence[str]) -> go.Figure:
    """Points of the front are full, the others hollow; a line in steps joins a front of several.

    Args:
        names: the methods of the whole sweep, so that each keeps its look while points arrive.
    """
    x, y = front.x, front.y
    figure = blank_figure(x=_titled(x), y=_titled(y), height=360)
    figure.update_layout(
        hovermode="closest",
        dragmode=False,  # a finger that scrolls the page must not zoom
        hoverlabel={"bgcolor": "#1F2328", "font": {"color": "#FFFFFF"}},  # read on either page; the edge has the hue
    )
    if not points:
        return note(figure, word("sweep_no_points"))
    best = sorted((point for point in points if point.on_front), key=lambda point: point.x)
    if len(best) > 1:  # The front was found so, and not through a point's chance perplexity.
        figure.add_scatter(
            name=word("sweep_front"),
            x=[point.x for point in best],
            y=[point.weighed for point in best],
            mode="lines",
            line={"color": INK, "width": 1.5, "dash": "dot", "shape": "hv" if x.better == "smaller" else "vh"},
            hoverinfo="skip",
        )
    for method, (colour, shape) in looks(names).items():
        of_method = [point for point in points if point.method == method]
        if of_method:
            figure.add_scatter(
                name=method,
                x=[point.x for point in of_method],
                y=[point.y for point in of_method],
                text=_labels(of_method) if len(points) <= MOST_LABELS else None,
                textposition="top center",
                textfont={"size": 13},
                mode="markers+text" if len(points) <= MOST_LABELS else "markers",
                cliponaxis=False,
                hoverlabel={"bordercolor": colour},
                marker={
                    "color": colour,
                    "opacity": 1,
                    "size": [11 if point.on_front else 9 for point in of_method],
                    "symbol": [shape if point.on_front else f"{shape}-open" for point in of_method],
                    "line": {"width": 1.6, "color": colour},
                },
                customdata=[_about(point) for point in of_method],
                hovertemplate=_hover(x, y),
            )
    figure.update_xaxes(
        showgrid=True,
        fixedrange=True,
        rangemode="normal",
        ticksuffix=x.suffix,
        tickformat=x.tickformat or None,
        range=_range([point.x for point in points]),
    )
    return figure.update_yaxes(fixedrange=True, rangemode="normal", range=_range([point.y for point in points]))


def say_front(points: Sequence[Point], front: Front) -> str:
    """Describe the chart in a sentence."""
    if not points:
        return ""
    if len(points) == 1:
        return word("sweep_one_setting")
    best = [point for point in points if point.on_front]
    if len(best) == len(points):
        return word("sweep_all_on_front", count=len(points))
    names: str = listed([point.title for point in best])
    if len(names) > LONGEST_NAMES:
        names = word("sweep_some_settings", some=len(best), count=len(points))
    if len(best) == 1:
        return word("sweep_one_on_front", setting=names)
    return word("sweep_on_front", settings=names)


def front_rows(points: Sequence[Point], front: Front) -> dict[str, list[Any]]:
    """Return the chart as a table, for where plotly cannot run."""
    return {
        "header": [
            word("sweep_head_setting"),
            front.x.title,
            front.y.title,
            word("sweep_head_front"),
            word("sweep_head_runs"),
        ],
        "body": [
            [point.title, f"{point.x:.4g}", f"{point.y:.4g}", _YES if point.on_front else _NO, point.runs]
            for point in points
        ],
    }


def _labels(points: Sequence[Point]) -> list[str]:
    """Labels of the points: of points in one place, the first has the values of all."""
    texts: dict[tuple[float, float], list[str]] = {}
    for point in points:
        texts.setdefault((point.x, point.y), []).append(point.short)
    return [", ".join(texts.pop((point.x, point.y), [])) for point in points]


def _titled(axis: Axis) -> str:
    way = word("sweep_less") if axis.better == "smaller" else word("sweep_more")
    return word("sweep_axis", axis=axis.title, way=way)


def _hover(x: Axis, y: Axis) -> str:
    numbers = [x.name, f": %{{x:.3s}}{x.suffix}<br>", y.name, ": %{y:.3f}<br>"]
    return joined("", ["<b>%{customdata[1]}</b><br>", *numbers, "%{customdata[2]}%{customdata[3]}<extra></extra>"])


def _about(point: Point) -> list[str]:
    """Return what is said of a point where it is pointed at, in the order of `_hover`."""
    runs = counted("runs", 1) if point.runs == 1 else word("sweep_median_of", count=point.runs)
    return [point.label, point.title, runs, word("sweep_on_front_note") if point.on_front else ""]


def _range(values: Sequence[float]) -> list[float]:
    """From the least to the greatest with some air, so that marks and their labels are not cut."""
    low, high = min(values), max(values)
    air = 0.1 * (high - low) or 0.1 * abs(high) or 1.0
    return [low - air, high + 1.2 * air]
