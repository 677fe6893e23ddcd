"""Who may look at whom in one target call: a static picture of the tree attention mask, for papers and notebooks."""

from __future__ import annotations

from dataclasses import dataclass

import plotly.graph_objects as go

from playground.trace.events import Trace
from playground.views.theme import COLOURS, GRID, blank_figure, note
from playground.views.tokens import node_texts, plotly_safe, shortened, visible


@dataclass(frozen=True, slots=True)
class AttentionMask:
    """The mask of one target call. Empty when the round is missing or its mask was too large to record."""

    round: int
    rows: tuple[str, ...]  # the token fed in each row, as printed
    columns: tuple[str, ...]  # the token of each column, as printed
    visible: tuple[tuple[bool, ...], ...]  # (rows, columns)
    num_earlier: int  # cached tokens before the first column, visible to every row
    missing: str  # why there is no mask; "" when there is one


def attention_mask_data(trace: Trace, round: int = 1) -> AttentionMask:
    """The recorded mask of the round's target call, with tokens for row and column names."""
    scored = next((each.scored for each in trace.rounds if each.number == round), None)
    if scored is None:
        return AttentionMask(round, (), (), (), 0, f"Round {round} was not finished.")
    if scored.mask is None:
        return AttentionMask(round, (), (), (), scored.cached, "The mask of this round was too large to record.")
    texts = node_texts(trace, round)
    return AttentionMask(
        round=round,
        rows=tuple(visible(texts[node]) for node in scored.fed),
        columns=tuple(visible(texts[node]) for node in scored.columns),
        visible=tuple(tuple(letter == "1" for letter in row) for row in scored.mask),
        num_earlier=scored.cached - len(set(scored.columns) - set(scored.fed)),
        missing="",
    )


def attention_mask_figure(data: AttentionMask) -> go.Figure:
    """A filled cell where the row's token may attend to the column's."""
    side = 26  # pixels per cell
    figure = blank_figure(
        x=f"attends to (earlier tokens, seen by every row: {data.num_earlier})",
        y="token run through the target",
        axis=None,
        height=max(260, 130 + side * len(data.rows)),
    )
    if data.missing:
        return note(figure, data.missing)
    figure.add_heatmap(
        name="mask",
        z=[[int(cell) for cell in row] for row in data.visible],
        zmin=0,
        zmax=1,
        colorscale=[[0, GRID], [1, COLOURS["target"]]],
        showscale=False,
        xgap=2,
        ygap=2,
        customdata=[
            [_sentence(data, row, column) for column in range(len(data.columns))] for row in range(len(data.rows))
        ],
        hovertemplate="%{customdata}<extra></extra>",
    )
    figure.update_xaxes(
        **_ticks(data.columns), tickangle=-90 if len(data.columns) > 8 else 0, showline=False, constrain="domain"
    )
    square = {"scaleanchor": "x", "constrain": "domain"}
    return figure.update_yaxes(
        **_ticks(data.rows), **square, autorange="reversed", showgrid=False, showline=False, rangemode="normal"
    )


def _ticks(names: tuple[str, ...]) -> dict[str, list]:
    """One tick per token; a name may repeat, so positions are numbers."""
    return {
        "tickvals": list(range(len(names))),
        "ticktext": [plotly_safe(shortened(name)) for name in names],
        "zeroline": False,
    }


def _sentence(data: AttentionMask, row: int, column: int) -> str:
    verb = "sees" if data.visible[row][column] else "does not see"
    return plotly_safe(f"{data.rows[row]} {verb} {data.columns[column]}")
