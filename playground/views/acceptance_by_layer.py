"""How often a drafted position is passed, by depth in the draft tree: counted, beside the exact overlap of p and q."""

from __future__ import annotations

from dataclasses import dataclass

import plotly.graph_objects as go

from playground.metrics.acceptance import LayerAcceptance, acceptance_by_layer
from playground.theory.proportion import wilson_interval
from playground.trace.events import Trace
from playground.views.theme import COLOURS, INK, blank_figure, note

PALE = "rgba(0, 158, 115, 0.28)"  # the colour of accepted, thin enough for an interval to show on it


ACCEPTANCE = {
    "positions reached": "acceptance per position",
    "judged drafts": "acceptance per draw",
    "drafts": "drafts that were kept",
}


@dataclass(frozen=True, slots=True)
class LayerBar:
    """One bar: the counted acceptance of a layer, with how far it can be trusted."""

    acceptance: LayerAcceptance
    interval: tuple[float, float] | None  # 95 % Wilson interval of passed / tries; None when there was none


def acceptance_by_layer_data(trace: Trace) -> list[LayerBar]:
    """The acceptance of every drafted layer, first layer first."""
    return layer_bars(acceptance_by_layer(trace))


def layer_bars(layers: list[LayerAcceptance]) -> list[LayerBar]:
    """Each layer with its interval."""
    return [LayerBar(layer, wilson_interval(layer.num_passed, layer.num_tries)) for layer in layers]


def acceptance_by_layer_figure(data: list[LayerBar]) -> go.Figure:
    """Bars of accepted / tried with 95 % intervals; a stroke marks the mean overlap, sum_x min(p, q)."""
    tries = data[0].acceptance.tries if data else ""
    figure = blank_figure(
        x=f"draft layer, with accepted / {tries or 'tried'}",
        y=f"{ACCEPTANCE.get(tries, 'acceptance')} (%)",
        axis="layer",
    )
    figure.update_yaxes(range=[0, 1.04], tickformat=".0%", dtick=0.25)
    judged = [
        (bar.acceptance, bar.acceptance.rate, bar.interval)
        for bar in data
        if bar.acceptance.rate is not None and bar.interval is not None
    ]
    if not judged:
        return note(
            figure, "The trace does not say what was tested." if data and not tries else "No drafts were judged."
        )
    layers = [layer for layer, _, _ in judged]
    numbers = [layer.layer for layer in layers]
    figure.add_bar(
        name=f"accepted / {tries}, with 95% interval",
        x=numbers,
        y=[round(rate, 4) for _, rate, _ in judged],
        width=0.6,
        marker={"color": PALE, "line": {"color": COLOURS["accepted"], "width": 1.5}},
        error_y={
            "array": [round(high - rate, 4) for _, rate, (_, high) in judged],
            "arrayminus": [round(rate - low, 4) for _, rate, (low, _) in judged],
            "color": COLOURS["accepted"],
            "thickness": 2,
            "width": 4,
        },
        customdata=[[layer.num_passed, layer.num_tries, layer.num_drafted, round(layer.reach, 4)] for layer in layers],
        hovertemplate=f"layer %{{x}}: %{{customdata[0]}} of %{{customdata[1]}} {tries} were accepted (%{{y:.1%}})"
        "<br>%{customdata[2]} drafted; judged in %{customdata[3]:.0%} of rounds<extra></extra>",
    )
    exact = [(layer.layer, layer.exact) for layer in layers if layer.exact is not None]
    if exact:
        figure.add_scatter(
            name="overlap: mean of Σ min(p, q)",
            mode="markers",
            x=[layer for layer, _ in exact],
            y=[round(overlap, 4) for _, overlap in exact],
            marker={"symbol": "line-ew", "size": 26, "line": {"width": 3, "color": INK}},
            hovertemplate="layer %{x}: mean overlap of p and q %{y:.1%}<extra></extra>",
        )
    labels = [f"{layer.layer}<br>{layer.num_passed}/{layer.num_tries}" for layer in layers]
    margin = max(0.6, (5 - len(numbers)) / 2)  # so that a single bar does not fill the figure
    return figure.update_xaxes(tickvals=numbers, ticktext=labels, range=[numbers[0] - margin, numbers[-1] + margin])
