"""A block drafter beside its target: its files, the exact acceptance of each position, and its card."""

from __future__ import annotations

from typing import Any

import torch

from playground.makers.training.beside import Beside, Weights
from playground.makers.training.block.network import BlockNetwork, BlockShape
from playground.makers.training.block.objectives import with_bias
from playground.makers.training.network import NORM_EPS, ROPE_THETA, Network
from playground.models.bundled import BLOCK
from playground.models.drafters.block import CONFIG, WEIGHTS

STRIDE = 8  # positions from one measured anchor to the next
OWN = ("layers", "heads", "feed_forward", "positions", "rank")  # of its shape; the rest is the target's
TEXTS = {"on_held_out_text": "the held-out text", "on_text_of_the_target": "text written by the target"}
KINDS = {"base": "without the bias", "with_bias": "with the bias", "confidence": "predicted by the confidence"}


def positions_table(measured: dict[str, Any]) -> str:
    """Return acceptance at temperature 1 by position: without and with the Markov bias, and as predicted."""
    count = len(measured["on_held_out_text"]["base"])
    rows = [f"| contexts | {' | '.join(map(str, range(1, count + 1)))} |\n", f"|{' --- |' * (count + 1)}\n"]
    for where, text in TEXTS.items():
        for name, kind in KINDS.items():
            rates = " | ".join(f"{rate:.3f}" for rate in measured[where][name])
            rows.append(f"| {text}, {kind} | {rates} |\n")
    return "".join(rows)


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


def _measure(target: Network, block: BlockNetwork, held_out: torch.Tensor, own: torch.Tensor) -> dict[str, Any]:
    return {name: accepted_by_position(target, block, text) for name, text in zip(TEXTS, (held_out, own), strict=True)}


def _of_config(config: dict[str, Any], target: Network, _: Weights) -> BlockNetwork:
    shape = {"width": target.shape.width, "vocab": target.shape.vocab, "tied": target.shape.tied}
    return BlockNetwork(BlockShape(**shape, **{name: config[name] for name in OWN}))


def _config(block: BlockNetwork) -> dict[str, Any]:
    own = {name: getattr(block.shape, name) for name in OWN}
    return own | {"norm_eps": NORM_EPS, "rope_theta": ROPE_THETA}


BESIDE = Beside(
    BLOCK,
    (CONFIG, WEIGHTS),
    of_state=lambda state: BlockNetwork(BlockShape(**state["shape"])),
    of_config=_of_config,
    config=_config,
    measure=_measure,
    figures=lambda run, numbers, _: {"rows": positions_table(numbers)},
)
