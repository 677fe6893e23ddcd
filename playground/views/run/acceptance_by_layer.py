"""Acceptance of drafted positions by depth in the draft tree: counted, beside the exact overlap of p and q."""

from __future__ import annotations

from dataclasses import dataclass

from playground.metrics.acceptance import LayerAcceptance, acceptance_by_layer
from playground.theory.proportion import wilson_interval
from playground.trace.events import Trace
from playground.views.bars import Bars, Kind

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


def acceptance_by_layer_bars(data: list[LayerBar]) -> Bars:
    """Bars of accepted / tried with 95 % intervals; a stroke marks the mean overlap, sum_x min(p, q)."""
    tries = data[0].acceptance.tries if data else ""
    x, y = f"layer, accepted / {tries or 'tried'}", f"{ACCEPTANCE.get(tries, 'acceptance')} (%)"
    judged = [
        (bar.acceptance, bar.acceptance.rate, bar.interval)
        for bar in data
        if bar.acceptance.rate is not None and bar.interval is not None
    ]
    if not judged:
        why = "The trace does not say what was tested." if data and not tries else "No drafts were judged."
        return Bars("layer", x, y, share=True, empty=why)
    layers = [layer for layer, _, _ in judged]
    accepted = Kind(
        name=f"accepted / {tries}, with 95% interval",
        look="counted",
        at=[layer.layer for layer in layers],
        values=[round(rate, 4) for _, rate, _ in judged],
        said=[_said(layer, rate) for layer, rate, _ in judged],
        low=[round(low, 4) for _, _, (low, _) in judged],
        high=[round(high, 4) for _, _, (_, high) in judged],
    )
    exact = [(layer.layer, layer.exact) for layer in layers if layer.exact is not None]
    overlap = Kind(
        name="overlap: mean of Σ min(p, q)",
        look="overlap",
        at=[layer for layer, _ in exact],
        values=[round(share, 4) for _, share in exact],
        said=[f"layer {layer}: mean overlap of p and q {share:.1%}" for layer, share in exact],
    )
    below = [f"{layer.num_passed}/{layer.num_tries}" for layer in layers]
    return Bars("layer", x, y, accepted.at, [accepted], overlap if exact else None, below, share=True)


def _said(layer: LayerAcceptance, rate: float) -> str:
    return (
        f"layer {layer.layer}: {layer.num_passed} of {layer.num_tries} {layer.tries} were accepted ({rate:.1%}); "
        f"{layer.num_drafted} drafted; judged in {layer.reach:.0%} of rounds"
    )
