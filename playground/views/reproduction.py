"""A paper's figure, with the numbers measured here: curves along its axis, or points of two measures.

What the paper prints is never drawn on these axes; it is in tables of its own.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from playground.views.bars import DASH, Chart, chart
from playground.views.theme import COLOURS, INK, blank_figure, note, plain_figure
from playground.words import word

# a method's colour and symbol, by its place in the comparison; never the colour alone
LOOKS = (
    (COLOURS["method"], "circle", "solid"),
    (COLOURS["plain"], "square", "dash"),
    (COLOURS["accepted"], "diamond", "dot"),
    (COLOURS["correction"], "triangle-up", "dashdot"),
    (COLOURS["rejected"], "x", "longdash"),
    (COLOURS["other"], "star", "solid"),
)


LETTER = 6.6  # px of a name in the legend, on average


def reproduction_charts(panels: Sequence[Mapping[str, Any]]) -> list[Chart]:
    """Return the panels that the paper draws, as charts of the page; `bench.reproduction.plain` makes `panels`.

    Methods look alike in all of them, so that the legend of the first is that of all.
    """
    drawn = [panel for panel in panels if panel["form"] != "table"]
    return [
        chart(
            f"beside_{number}",
            f"{_title(panel)}, {panel['column']['kind']} here",
            "" if panel["reported"] else word("paper_only_drawn"),
            *_table(panel),
            figure=plain_figure(reproduction_figure(panel).update_layout(showlegend=number == 0)),
        )
        for number, panel in enumerate(drawn)
    ]


def reproduction_figure(panel: Mapping[str, Any]) -> go.Figure:
    """Entries as points, along an option also a line through the best of each place; a method off the axis is level."""
    figure = blank_figure(x=panel["axis"], y=_title(panel), height=330)
    measured = [row for row in panel["measured"] if row["points"] or row["everywhere"]]
    if not measured:
        return note(figure, "Nothing of it was measured.")
    along = panel["form"] == "curves"
    looks = iter(LOOKS * (1 + len(measured) // len(LOOKS)))
    for row in measured:
        if not row["points"]:
            _level(figure, panel, row)
            continue
        colour, symbol, dash = next(looks)
        if along:
            best = [(key, cell["value"]) for key, cell in zip(panel["keys"], row["cells"], strict=True) if cell]
            figure.add_scatter(
                name=row["name"],
                legendgroup=row["method"],
                mode="lines",
                showlegend=False,
                x=[key for key, _ in best],
                y=[_short(value) for _, value in best],
                line={"color": colour, "dash": dash, "width": 1.8},
                hoverinfo="skip",
            )
        figure.add_scatter(
            name=row["name"],
            legendgroup=row["method"],
            mode="markers",
            x=[_short(point["x"]) for point in row["points"]],
            y=[_short(point["value"]) for point in row["points"]],
            marker={"color": colour, "symbol": symbol, "size": 8},
            text=[point["label"] for point in row["points"]],
            hovertemplate="%{text}: %{y}<extra></extra>",
        )
    if along:
        figure.update_xaxes(tickvals=panel["keys"], ticktext=panel["heads"])
    longest = max(len(row["name"]) for row in measured)
    figure.update_layout(legend={"entrywidth": LETTER * longest})  # left to itself plotly cuts names off
    return figure.update_yaxes(rangemode="normal")


def _level(figure: go.Figure, panel: Mapping[str, Any], row: Mapping[str, Any]) -> None:
    """Draw a method without the option: a level line from end to end."""
    ends = [panel["keys"][0], panel["keys"][-1]] if panel["keys"] else [0, 1]
    figure.add_scatter(
        name=row["name"],
        mode="lines",
        x=ends,
        y=[_short(row["everywhere"]["value"])] * 2,
        line={"color": INK, "dash": "dot" if row["method"] == "autoregressive" else "dash", "width": 1.5},
        hovertemplate=f"{row['name']}: %{{y}}<extra></extra>",
    )


def _table(panel: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return the head of a panel's table and its rows.

    The spread of a value is a middle half, but that of a speed-up, taken prompt by prompt, an interval.
    """
    width = "95 % interval" if panel["column"]["id"] == "speed_up" else "middle half"
    body = []
    for row in panel["measured"]:
        for point in row["points"] or [{"label": row["name"], "x": None} | row["everywhere"]]:
            spread = DASH if point["low"] is None else f"{point['low']:.4g}{DASH}{point['high']:.4g}"
            x = DASH if point["x"] is None else f"{point['x']:.4g}"
            body.append([point["label"], x, f"{point['value']:.4g}", spread])
    return ["method", panel["axis"], _title(panel), width], body


def _title(panel: Mapping[str, Any]) -> str:
    column = panel["column"]
    return f"{column['title']} ({column['unit']})" if column["unit"] else column["title"]


def _short(value: float) -> float:
    return float(f"{value:.5g}")
