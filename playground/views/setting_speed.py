"""Tokens/s by setting of a sweep: each as a point with its interval, in the order that the grid has."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple

import plotly.graph_objects as go

from playground.metrics.interval import LEAST_PROMPTS, median_interval
from playground.views.race.against import BASELINE
from playground.views.theme import add_intervals, blank_figure, note
from playground.words import joined, paragraph, word

TITLE = word("sweep_chart_setting_speed")
ROW = 24  # px of height per setting
_MEASURED = word("column_measured", column=word("column_tokens_per_s"))
_HOVER = joined("", ["<b>%{y}</b><br>%{x:.0f} ", word("column_tokens_per_s"), ", %{customdata[1]}<extra></extra>"])


class SettingSpeed(NamedTuple):
    """One setting's tokens/s."""

    label: str
    method: str  # its title
    title: str
    median: float
    low: float
    high: float
    runs: int
    prompts: int

    @property
    def has_interval(self) -> bool:
        """True if `low` to `high` is a 95 % interval; else too few prompts were run, and it is the runs' range."""
        return self.prompts >= LEAST_PROMPTS


def setting_speed_data(settings: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]) -> list[SettingSpeed]:
    """Return a point for every setting with a measured run, in their order.

    Args:
        settings: each with `label`, `name` of its method and `title`.
        rows: of the runs, each with its setting's `label`, its `prompt` and `tokens_per_s`.
    """
    points = []
    for setting in settings:
        by_prompt: dict[str, list[float]] = {}
        for row in rows:
            if row["label"] == setting["label"] and row.get("tokens_per_s"):
                by_prompt.setdefault(str(row["prompt"]), []).append(row["tokens_per_s"])
        rates = [rate for each in by_prompt.values() for rate in each]
        if rates:
            low, high = median_interval(list(by_prompt.values())) or (min(rates), max(rates))
            named = (setting["label"], setting["name"], setting["title"])
            points.append(SettingSpeed(*named, median(rates), low, high, len(rates), len(by_prompt)))
    return points


def setting_speed_figure(data: Sequence[SettingSpeed], looks: Mapping[str, tuple[str, str]]) -> go.Figure:
    """Draw a point per setting with its interval as a line.

    Args:
        looks: (colour, shape) by the method's title.
    """
    figure = blank_figure(
        x=word("sweep_axis", axis=_MEASURED, way=word("sweep_more")), y="", height=110 + ROW * max(len(data), 3)
    )
    if not data:
        return note(figure, word("sweep_none_measured"))
    for method, (colour, shape) in looks.items():
        entries = [each for each in data if each.method == method]
        if entries:
            hover_values = [[each.label, spread_in_words(each)] for each in entries]
            add_intervals(figure, method, (colour, shape), entries, hover_values, _HOVER)
    figure.update_layout(hovermode="closest", dragmode=False)
    figure.update_xaxes(showgrid=True, fixedrange=True, rangemode="tozero")
    order = [each.title for each in data][::-1]
    return figure.update_yaxes(categoryorder="array", categoryarray=order, type="category", fixedrange=True)


def say_setting_speed(data: Sequence[SettingSpeed]) -> str:
    """Describe the chart: how many settings overlap with the fastest, and what a line spans."""
    if not data:
        return ""
    best, *others = sorted(data, key=lambda each: -each.median)
    near = [each for each in others if each.high >= best.low]
    return paragraph(
        word("sweep_reach", some=len(near), count=len(others)) if near else "",
        word("sweep_line_interval") if best.has_interval else word("sweep_line_range"),
    )


def fastest_in_words(data: Sequence[SettingSpeed]) -> str:
    """Name the fastest setting with its tokens/s, next to those of plain decoding where it is in the grid."""
    best = max(data, key=lambda each: each.median, default=None)
    if best is None:
        return ""
    plain = next((each for each in data if each.label == BASELINE), best)
    named = {"setting": best.title, "rate": f"{best.median:.0f}"}
    if plain is best:
        return word("sweep_fastest", **named)
    return word("sweep_fastest_plain", **named, plain=f"{plain.median:.0f}")


def setting_speed_rows(data: Sequence[SettingSpeed]) -> dict[str, list[Any]]:
    """Return the chart as a table, for where plotly cannot run."""
    return {
        "header": [word("sweep_head_setting"), _MEASURED, word("sweep_head_interval"), word("sweep_head_runs")],
        "body": [[each.title, f"{each.median:.0f}", spread_in_words(each), each.runs] for each in data],
    }


def spread_in_words(each: SettingSpeed) -> str:
    """Describe the line at a point: what it spans."""
    ends = {"low": f"{each.low:.0f}", "high": f"{each.high:.0f}"}
    return word("race_interval", **ends) if each.has_interval else word("sweep_runs_from", **ends)
