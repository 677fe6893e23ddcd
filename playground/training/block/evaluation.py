"""Exact acceptance of a block drafter by position, on held-out text and on text of the target."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file

from playground.errors import PlaygroundError
from playground.models.bundled import BLOCK
from playground.models.drafters.beside import fingerprint
from playground.models.drafters.block import CONFIG, WEIGHTS
from playground.training.block.network import BlockNetwork, BlockShape
from playground.training.block.objectives import with_bias
from playground.training.evaluation import COUNT
from playground.training.export import as_transformers, read_exported
from playground.training.network import Network
from playground.training.pair.evaluation import contexts_of

STRIDE = 8  # positions from one measured anchor to the next


def measure_block(folder: Path, held_out: Path, *, count: int = COUNT) -> dict[str, Any]:
    """Its size, and its acceptance by position on the contexts on which the pair's drafts are measured.

    Args:
        folder: with the models `target` and `block`.
        held_out: a text that neither has read.
        count: windows of it.

    Raises:
        PlaygroundError: if there is no block drafter, or it is another target's.
    """
    target = read_exported(folder / "target")
    block = read_block(folder / BLOCK, target)
    held, own = contexts_of(folder, as_transformers(target), held_out, count)
    return {
        "parameters": block.num_parameters,
        "on_held_out_text": accepted_by_position(target, block, held),
        "on_text_of_the_target": accepted_by_position(target, block, own),
    }


@torch.inference_mode()
def accepted_by_position(teacher: Network, block: BlockNetwork, tokens: torch.Tensor) -> dict[str, list[float]]:
    """Return acceptance of each drafted position by speculative sampling at temperature 1, exactly.

    The mean of sum min(p, q) over anchors, the tokens before each position being the text's.

    Args:
        tokens: (n, T)

    Returns:
        `base`, without the Markov bias, and `with_bias`; `confidence`, predicted of the latter. (K,) each
    """
    sums = {name: torch.zeros(block.shape.positions) for name in ("base", "with_bias", "confidence")}
    anchors = torch.arange(STRIDE, tokens.shape[1] - block.shape.positions, STRIDE)
    positions = anchors[:, None] + torch.arange(block.shape.positions)
    for window in tokens.split(4):
        features = teacher.model(window)
        predicted = block(teacher.model.embed_tokens(window), features, anchors)
        target_probs = torch.softmax(teacher.lm_head(features[:, positions]).float(), -1)
        logits = teacher.lm_head(predicted)
        for name, each in (("base", logits), ("with_bias", with_bias(block, logits, window[:, positions]))):
            overlap = torch.minimum(target_probs, torch.softmax(each.float(), -1)).sum(-1)  # (n, A, K)
            sums[name] += overlap.mean(1).sum(0)
        sums["confidence"] += torch.sigmoid(block.confidence(predicted)[..., 0].float()).mean(1).sum(0)
    return {name: (each / len(tokens)).tolist() for name, each in sums.items()}


def read_block(folder: Path, target: Network) -> BlockNetwork:
    """Return the block drafter in a folder.

    Raises:
        PlaygroundError: if there is none, or it is another target's.
    """
    try:
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        own = {name: config[name] for name in ("layers", "heads", "feed_forward", "positions", "rank")}
        shape = BlockShape(width=target.shape.width, vocab=target.shape.vocab, tied=target.shape.tied, **own)
        block = BlockNetwork(shape)
        block.load_state_dict({name: weight.float() for name, weight in load_file(folder / WEIGHTS).items()})
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise PlaygroundError(f"{folder} holds no block drafter: {str(error).splitlines()[0]}") from None
    if config["fingerprint"] != fingerprint(target):
        raise PlaygroundError(f"The block drafter in {folder} was trained on another target. Train one for this one.")
    return block.eval()
