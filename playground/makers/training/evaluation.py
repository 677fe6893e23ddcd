"""Numbers of a network, and of two, on windows of text they never read.

p is the target, q the draft. Acceptance is exact at each position: sum min(p, q), the probability that speculative
sampling accepts a token drawn from q there.
"""

import math
from collections.abc import Callable

import numpy as np
import torch
from torch.nn import functional

from playground.makers.training.text.corpus import even_windows

COUNT, LENGTH = 60, 512  # windows of held-out text
TEMPERATURES = (1.0, 0.7)

Logits = Callable[[torch.Tensor], torch.Tensor]  # (n, T) tokens to (n, T, V)


@torch.inference_mode()
def held_out_losses(logits: Logits, tokens: np.ndarray, *, count: int = COUNT, length: int = LENGTH) -> np.ndarray:
    """Mean cross-entropy of each of some windows spread over the held-out tokens. (n,), nats a token"""
    losses = [
        functional.cross_entropy(logits(window[:, :-1]).float().mT, window[:, 1:], reduction="none").mean(-1)
        for window in even_windows(tokens, count, length).split(4)
    ]
    return torch.cat(losses).double().numpy()


def bits_per_byte(nats: float, bytes_per_token: float) -> float:
    """Return a loss in nats a token as bits a byte."""
    return nats / math.log(2) / bytes_per_token


@torch.inference_mode()
def agreement(target: Logits, draft: Logits, batch: torch.Tensor) -> dict[str, float]:
    """Return expected acceptance and greedy agreement, averaged over all positions of some windows.

    Args:
        batch: (n, T) tokens.

    Returns:
        `acceptance_<temperature>`, the mean of sum min(p, q), and `same_best`, how often both find the same token
        most likely.
    """
    sums: dict[str, float] = {}
    for window in batch.split(4):
        for name, mean in agreement_of(*(model(window).float().flatten(0, 1) for model in (target, draft))).items():
            sums[name] = sums.get(name, 0.0) + mean * len(window) / len(batch)
    return sums


def agreement_of(p_logits: torch.Tensor, q_logits: torch.Tensor) -> dict[str, float]:
    """Agreement of rows of logits: (n, V) each."""
    rates = {}
    for temperature in TEMPERATURES:
        target_probs, draft_probs = (torch.softmax(x / temperature, -1) for x in (p_logits, q_logits))
        rates[f"acceptance_{temperature}"] = torch.minimum(target_probs, draft_probs).sum(-1).mean().item()
    return rates | {"same_best": (p_logits.argmax(-1) == q_logits.argmax(-1)).float().mean().item()}
