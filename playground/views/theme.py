"""The theme of every figure: colours and hatches per outcome, and a blank figure to draw on.

Figures have no background of their own and use a grey ink that is legible on white and on near-black, so that one
figure serves a light and a dark page.
"""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

# The hues of the player (assets/shared/styles/look.css), which are Okabe & Ito's and stay apart for the common kinds of
# colour blindness, here in one shade that holds on light and dark. Never alone: a hatch or a symbol goes with each.
COLOURS = {
    "accepted": "#009E73",  # bluish green
    "rejected": "#D55E00",  # vermillion
    "not_tested": "#8C9198",  # grey
    "correction": "#B85C95",  # reddish purple
    "plain": "#7E8794",  # blue-grey
    "target": "#0072B2",  # p: blue
    "draft": "#E69F00",  # q: orange
    "other": "#8C9198",
    "method": "#8668C9",  # violet
}
HATCHES = {"draft": "/", "target": "", "other": "."}

INK = "#7A7E85"  # 4.0 : 1 on white and 4.7 : 1 on #0b0f19
GRID = "rgba(122, 126, 133, 0.22)"


def blank_figure(*, x: str, y: str, height: int = 260) -> go.Figure:
    """Return an empty figure with its axis titles (units included), in our look."""
    line = {
        "gridcolor": GRID,
        "linecolor": GRID,
        "zerolinecolor": GRID,
        "automargin": True,
        "title": {"standoff": 8, "font": {"size": 14}},
    }
    layout = go.Layout(
        template=go.layout.Template(),  # plotly's own template is 6 KB of colours we do not use
        height=height,
        margin={"l": 48, "r": 12, "t": 30, "b": 40},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": "inherit", "size": 14, "color": INK},
        hoverlabel={"font": {"family": "inherit", "size": 14}, "align": "left"},
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "traceorder": "normal"},
        xaxis={**line, "showgrid": False, "zeroline": False},
        yaxis={**line, "rangemode": "tozero"},
        showlegend=True,  # also for a single kind: a colour without a name says nothing
    )
    figure = go.Figure(layout=layout)
    figure.update_xaxes(title_text=x)
    figure.update_yaxes(title_text=y)
    return figure


def bar_marker(colour: str, kind: str) -> dict[str, Any]:
    """Fill of a bar of this kind: its colour and its hatch."""
    hatch = HATCHES[kind]
    pattern = {"shape": hatch, "solidity": 0.25, "size": 5, "fillmode": "overlay", "fgcolor": "rgba(255,255,255,0.6)"}
    return {"color": colour, "line": {"width": 0}} | ({"pattern": pattern} if hatch else {})


def add_intervals(
    figure: go.Figure,
    name: str,
    look: tuple[str, str],
    entries: Sequence[Any],
    hover_values: Sequence[Sequence[Any]],
    hover: str,
) -> None:
    """Add a point per entry with its interval as a line.

    Args:
        figure: whose second axis has the entries.
        name: of the points in the legend.
        entries: each with its `title`, its `median`, and `low` and `high`, the ends of its interval; None without one.
        hover_values: what else `hover` says of each.
    """
    colour, symbol = look
    above, below = (
        [0.0 if end is None else round(abs(end - each.median), 4) for each, end in zip(entries, ends, strict=True)]
        for ends in ([each.high for each in entries], [each.low for each in entries])
    )
    line = {"color": colour, "thickness": 2, "width": 4}
    figure.add_scatter(
        name=name,
        x=[round(each.median, 4) for each in entries],
        y=[each.title for each in entries],
        mode="markers",
        marker={"color": colour, "symbol": symbol, "size": 10},
        error_x={"type": "data", "symmetric": False, "array": above, "arrayminus": below, **line},
        customdata=hover_values,
        hovertemplate=hover,
    )


def note(figure: go.Figure, text: str) -> go.Figure:
    """Write one sentence in the middle of the figure: why it is empty."""
    figure.update_xaxes(showticklabels=False, zeroline=False)
    figure.update_yaxes(showticklabels=False, zeroline=False, showgrid=False)
    return figure.add_annotation(
        text=text, x=0.5, y=0.5, xref="paper", yref="paper", showarrow=False, font={"size": 13}, name="empty"
    )


def plain_figure(figure: go.Figure) -> dict[str, object]:
    """Convert the figure to lists, numbers and texts, its words with their keys, without plotly's template."""
    data = _plain(figure.to_plotly_json())
    data["layout"].pop("template", None)
    return {"data": data["data"], "layout": data["layout"]}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value
