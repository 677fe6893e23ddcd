"""Numbers of a network, and of two, on windows of text they never read.

p is the target, q the draft. Acceptance is exact at each position: sum min(p, q), the probability that speculative
sampling accepts a token drawn from q there.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import torch
from torch.nn import functional

from playground.training.corpus import even_windows

COUNT, LENGTH = 60, 512  # windows of held-out text
TEMPERATURES = (1.0, 0.7)

Logits = Callable[[torch.Tensor], torch.Tensor]  # (n, T) tokens to (n, T, V)


@torch.inference_mode()
def held_out_loss(logits: Logits, tokens: np.ndarray, *, count: int = COUNT, length: int = LENGTH) -> float:
    """Mean cross-entropy on windows spread over the held-out tokens, in nats a token."""
    batch = even_windows(tokens, count, length)
    losses = [
        functional.cross_entropy(
            logits(window[:, :-1]).float().flatten(0, 1), window[:, 1:].flatten(), reduction="sum"
        ).item()
        for window in batch.split(4)
    ]
    return sum(losses) / batch[:, 1:].numel()


def bits_per_byte(nats: float, bytes_per_token: float) -> float:
    """A loss in nats a token as bits a byte."""
    return nats / math.log(2) / bytes_per_token


@torch.inference_mode()
def agreement(target: Logits, draft: Logits, batch: torch.Tensor) -> dict[str, float]:
    """Expected acceptance and greedy agreement, averaged over all positions of some windows.

    Args:
        batch: (n, T) tokens.

    Returns:
        `acceptance_<temperature>`, the mean of sum min(p, q), and `same_best`, how often both find the same token
        most likely.
    """
    sums = dict.fromkeys([*(f"acceptance_{temperature}" for temperature in TEMPERATURES), "same_best"], 0.0)
    for window in batch.split(4):
        p_logits, q_logits = (model(window).float().flatten(0, 1) for model in (target, draft))  # (n * T, V)
        for temperature in TEMPERATURES:
            target_probs, draft_probs = (torch.softmax(x / temperature, -1) for x in (p_logits, q_logits))
            sums[f"acceptance_{temperature}"] += torch.minimum(target_probs, draft_probs).sum().item()
        sums["same_best"] += (p_logits.argmax(-1) == q_logits.argmax(-1)).sum().item()
    return {name: total / batch.numel() for name, total in sums.items()}
