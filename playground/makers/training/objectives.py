"""Objectives of a network: the next token of a text, or the distribution of a teacher.

p is the target that teaches, q the draft that learns. Speculative sampling accepts a token with probability
sum min(p, q), which is 1 minus the total variation distance; so besides the usual divergence that distance itself is an
objective.
"""

from __future__ import annotations

import torch
from torch.nn import functional

from playground.makers.training.network import Network


def next_token(network: Network, batch: torch.Tensor) -> torch.Tensor:
    """Mean cross-entropy of the next token, in nats.

    Args:
        batch: (n, T + 1) tokens.
    """
    logits = network(batch[:, :-1]).float()  # (n, T, V)
    return functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())


class Divergence:
    """KL(p || q) at every position, in nats, averaged: word-level distillation."""

    def __init__(self, teacher: Network) -> None:
        self._teacher = teacher

    def __call__(self, network: Network, batch: torch.Tensor) -> torch.Tensor:
        """Return the mean over a batch of (n, T + 1) tokens."""
        target_logs = _log_probs(self._teacher, batch)  # (n * T, V)
        draft_logs = functional.log_softmax(network(batch[:, :-1]).float(), -1).flatten(0, 1)  # (n * T, V)
        return functional.kl_div(draft_logs, target_logs, reduction="batchmean", log_target=True)


class Rejection:
    """1 - sum min(p, q) at every position, averaged: the share of draft tokens that speculative sampling rejects."""

    def __init__(self, teacher: Network) -> None:
        self._teacher = teacher

    def __call__(self, network: Network, batch: torch.Tensor) -> torch.Tensor:
        """Return the mean over a batch of (n, T + 1) tokens."""
        target_probs = _log_probs(self._teacher, batch).exp()  # (n * T, V)
        draft_probs = torch.softmax(network(batch[:, :-1]).float(), -1).flatten(0, 1)  # (n * T, V)
        return (target_probs - draft_probs).abs().sum(-1).mean() / 2


@torch.no_grad()
def _log_probs(teacher: Network, batch: torch.Tensor) -> torch.Tensor:
    return functional.log_softmax(teacher(batch[:, :-1]).float(), -1).flatten(0, 1)
