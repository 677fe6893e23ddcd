"""Objective of a drafting head: the distributions that follow from its guesses, and not the features themselves.

Paper: Li et al. 2025, EAGLE-3, arXiv 2503.01840: the distributions alone, over several steps of the head's own guesses;
a step counts 0.8 of the one before.
"""

from __future__ import annotations

import torch
from torch.nn import functional

from playground.makers.training.head.features import Features
from playground.makers.training.head.network import HeadNetwork
from playground.makers.training.network import Network

LATER = 0.8  # weight of a step relative to the one before


class Recursion:
    """KL(p || q) in nats, averaged over the places of each step; both over the tokens that the head drafts."""

    def __init__(self, teacher: Network, read: Features, steps: int) -> None:
        self._teacher, self._read, self._steps = teacher, read, steps

    def __call__(self, head: HeadNetwork, numbers: torch.Tensor) -> torch.Tensor:
        """Return the mean over windows, by their numbers. (n,)"""
        features = self._read.of(numbers)
        embedded = self._teacher.model.embed_tokens(self._read.tokens[numbers, :-1]).detach()
        weight = head.rows(self._teacher.lm_head.weight.detach())  # (K, width)
        with torch.no_grad():
            target_probs = torch.softmax(functional.linear(features, weight).float(), -1)  # (n, T, K)
            entropies = torch.special.entr(target_probs).sum(-1)  # (n, T)
        total, weights = torch.zeros(()), 0.0
        for step, guess in enumerate(head(embedded, features, self._steps)):
            logits = functional.linear(guess[:, step:], weight).float()
            # the divergence by way of the cross-entropy, whose gradient is the same and takes less time
            crossed = functional.cross_entropy(logits.flatten(0, 1), target_probs[:, step:].flatten(0, 1))
            divergence = crossed - entropies[:, step:].mean()
            total, weights = total + LATER**step * divergence, weights + LATER**step
        return total / weights
