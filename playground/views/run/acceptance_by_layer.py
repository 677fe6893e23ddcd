"""Acceptance of drafted positions by depth in the draft tree: counted, beside the exact overlap of p and q."""

from __future__ import annotations

from dataclasses import dataclass

from playground.metrics.acceptance import LayerAcceptance, acceptance_by_layer
from playground.theory.proportion import wilson_interval
from playground.trace.events import Trace
from playground.views.bars import Bars, Kind
from playground.words import Word, Words, word

# tries of a layer -> their name, and that of the share of them that was accepted
TRIES = {
    "positions reached": (word("chart_positions_reached"), word("chart_per_position")),
    "judged drafts": (word("chart_tested_drafts"), word("chart_per_draw")),
    "drafts": (word("chart_drafts"), word("chart_kept_share")),
    "": (word("chart_tried"), word("chart_acceptance")),
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
    tries, y = TRIES[data[0].acceptance.tries if data else ""]
    x = word("chart_x_depth", tries=tries)
    judged = [
        (bar.acceptance, bar.acceptance.rate, bar.interval)
        for bar in data
        if bar.acceptance.rate is not None and bar.interval is not None
    ]
    if not judged:
        is_unknown = data and not data[0].acceptance.tries
        why = word("chart_not_said") if is_unknown else word("chart_none_tested")
        return Bars("layer", x, y, share=True, empty=why)
    layers = [layer for layer, _, _ in judged]
    accepted = Kind(
        name=word("chart_counted", tries=tries),
        look="counted",
        at=[layer.layer for layer in layers],
        values=[round(rate, 4) for _, rate, _ in judged],
        said=Words(_said(layer, rate, tries) for layer, rate, _ in judged),
        low=[round(low, 4) for _, _, (low, _) in judged],
        high=[round(high, 4) for _, _, (_, high) in judged],
    )
    exact = [(layer.layer, layer.exact) for layer in layers if layer.exact is not None]
    overlap = Kind(
        name=word("chart_overlap"),
        look="overlap",
        at=[layer for layer, _ in exact],
        values=[round(share, 4) for _, share in exact],
        said=Words(word("chart_said_overlap", depth=layer, share=f"{share:.1%}") for layer, share in exact),
    )
    below = [f"{layer.num_passed}/{layer.num_tries}" for layer in layers]
    return Bars("layer", x, y, accepted.at, [accepted], overlap if exact else None, below, share=True)


def _said(layer: LayerAcceptance, rate: float, tries: Word) -> Word:
    return word(
        "chart_said_depth",
        depth=layer.layer,
        passed=layer.num_passed,
        total=layer.num_tries,
        tries=tries,
        share=f"{rate:.1%}",
        drafted=layer.num_drafted,
        reach=f"{layer.reach:.0%}",
    )
