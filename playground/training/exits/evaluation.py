"""Acceptance of an exit's drafts: exactly, untrained and trained, depth by depth."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file

from playground.errors import PlaygroundError
from playground.models.bundled import EXITS
from playground.models.drafters.beside import fingerprint
from playground.models.drafters.trained_exit import CONFIG, WEIGHTS
from playground.training.evaluation import COUNT, agreement_of
from playground.training.exits.network import Exits
from playground.training.export import as_transformers, read_exported
from playground.training.network import Network
from playground.training.pair.evaluation import contexts_of

KINDS = ("untrained", "trained")

# a kind, a depth, and what `agreement` says there
ByDepth = dict[str, dict[str, dict[str, float]]]


def measure_exits(folder: Path, held_out: Path, *, count: int = COUNT) -> dict[str, Any]:
    """Their size, and their acceptance on the contexts on which the pair's drafts are measured.

    Args:
        folder: with the models `target` and `exits`.
        held_out: a text that neither has read.
        count: windows of it.

    Raises:
        PlaygroundError: if there are no exits, or they are another target's.
    """
    target = read_exported(folder / "target")
    exits = read_exits(folder / EXITS, target)
    held, own = contexts_of(folder, as_transformers(target), held_out, count)
    return {
        "parameters": exits.num_parameters,
        "on_held_out_text": acceptance_by_depth(target, exits, held),
        "on_text_of_the_target": acceptance_by_depth(target, exits, own),
    }


@torch.inference_mode()
def acceptance_by_depth(target: Network, exits: Exits, batch: torch.Tensor) -> ByDepth:
    """Return expected acceptance and greedy agreement of each depth, untrained and trained, over all positions.

    Args:
        batch: (n, T) tokens.
    """
    sums: ByDepth = {kind: {str(depth): {} for depth in exits.depths} for kind in KINDS}
    for window in batch.split(4):
        streams = list(target.model.streams(window))
        p_logits = _logits(target, streams[-1])
        for depth in exits.depths:
            stream = streams[depth - 1]
            for kind, seen in zip(KINDS, (stream, exits(stream, depth)), strict=True):
                sums_here = sums[kind][str(depth)]
                for name, mean in agreement_of(p_logits, _logits(target, seen)).items():
                    sums_here[name] = sums_here.get(name, 0.0) + mean * len(window) / len(batch)
    return sums


def read_exits(folder: Path, target: Network) -> Exits:
    """Return the exits in a folder.

    Raises:
        PlaygroundError: if there are none, or they are another target's.
    """
    try:
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        exits = Exits(replace(target.shape, feed_forward=config["rank"]), config["depths"])
        exits.load_state_dict({name: weight.float() for name, weight in load_file(folder / WEIGHTS).items()})
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise PlaygroundError(f"{folder} holds no exits of this kind: {str(error).splitlines()[0]}") from None
    if config["fingerprint"] != fingerprint(target):
        raise PlaygroundError(f"The exits in {folder} were trained on another target. Train some for this target.")
    return exits.eval()


def _logits(target: Network, stream: torch.Tensor) -> torch.Tensor:
    return target.lm_head(target.model.norm(stream)).float().flatten(0, 1)
