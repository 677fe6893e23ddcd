"""Exits beside their target: their files, the exact acceptance of each depth, untrained and trained, and their card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import torch

from playground.errors import PlaygroundError
from playground.makers.training.beside import Beside, Weights
from playground.makers.training.evaluation import agreement_of
from playground.makers.training.exits.network import Exits, logits_of
from playground.makers.training.network import NORM_EPS, Network, Shape
from playground.models.bundled import EXITS
from playground.models.drafters.trained_exit import CONFIG, WEIGHTS

KINDS = ("untrained", "trained")

# a kind, a depth, and what `agreement` says there
ByDepth = dict[str, dict[str, dict[str, float]]]


@torch.inference_mode()
def acceptance_by_depth(target: Network, exits: Exits, batch: torch.Tensor) -> ByDepth:
    """Return expected acceptance and greedy agreement of each depth, untrained and trained, over all positions.

    Args:
        batch: (n, T) tokens.
    """
    sums: ByDepth = {kind: {str(depth): {} for depth in exits.depths} for kind in KINDS}
    for window in batch.split(4):
        streams = list(target.model.streams(window))
        p_logits = logits_of(target, streams[-1])
        for depth in exits.depths:
            stream = streams[depth - 1]
            for kind, seen in zip(KINDS, (stream, exits(stream, depth)), strict=True):
                sums_here = sums[kind][str(depth)]
                for name, mean in agreement_of(p_logits, logits_of(target, seen)).items():
                    sums_here[name] = sums_here.get(name, 0.0) + mean * len(window) / len(batch)
    return sums


def depths_table(measured: dict[str, Any]) -> str:
    """Return acceptance at temperature 1 by depth, before and after training."""
    held, own = measured["on_held_out_text"], measured["on_text_of_the_target"]
    rows = [
        "| exit after | held-out text, untrained | trained | text of the target, untrained | trained |\n",
        "| --- | --- | --- | --- | --- |\n",
    ]
    for depth in held["trained"]:
        figures = [text[kind][depth]["acceptance_1.0"] for text in (held, own) for kind in ("untrained", "trained")]
        rows.append(f"| {depth} layers | {' | '.join(f'{each:.3f}' for each in figures)} |\n")
    return "".join(rows)


def depths_of(about: Mapping[str, str]) -> list[int]:
    """Return the numbers of layers behind which a run's exits are, ascending; none where none are chosen.

    Raises:
        PlaygroundError: if they are not numbers.
    """
    try:
        return sorted({int(depth) for depth in about["depths"].split(",") if depth})
    except ValueError:
        raise PlaygroundError(f"Depths are numbers of layers, such as 2,4,6, not {about['depths']!r}.") from None


def _measure(target: Network, exits: Exits, held_out: torch.Tensor, own: torch.Tensor) -> dict[str, Any]:
    return {
        "on_held_out_text": acceptance_by_depth(target, exits, held_out),
        "on_text_of_the_target": acceptance_by_depth(target, exits, own),
    }


def _of_config(config: dict[str, Any], target: Network, _: Weights) -> Exits:
    return Exits(replace(target.shape, feed_forward=config["rank"]), config["depths"])


def _config(exits: Exits) -> dict[str, Any]:
    return {"depths": exits.depths, "rank": exits.shape.feed_forward, "norm_eps": NORM_EPS}


def _figures(run: dict[str, Any], numbers: dict[str, Any], _: dict[str, Any]) -> dict[str, Any]:
    depths = run["about"]["depths"].split(",")
    table, rank = depths_table(numbers), run["shape"]["feed_forward"]
    return {"rank": rank, "deepest": depths[-1], "depths": ", ".join(depths), "table": table}


BESIDE = Beside(
    EXITS,
    (CONFIG, WEIGHTS),
    of_state=lambda state: Exits(Shape(**state["shape"]), depths_of(state["about"])),
    of_config=_of_config,
    config=_config,
    measure=_measure,
    figures=_figures,
)
