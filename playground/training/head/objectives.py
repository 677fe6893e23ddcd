"""Objectives of a drafting head: the target's features, or the distributions that follow from them.

Papers: Li et al. 2024, EAGLE, arXiv 2401.15077, section 3.2: smooth L1 distance of the features plus 0.1 times the
cross-entropy of the distributions, with noise of U(-0.1, 0.1) on what is read. Li et al. 2025, EAGLE-3, arXiv
2503.01840: the distributions alone, over several steps of the head's own guesses; a step counts 0.8 of the one before.
"""

from __future__ import annotations

import torch
from torch.nn import functional

from playground.training.head.features import Features
from playground.training.head.network import HeadNetwork
from playground.training.network import Network

NOISE, SHARE = 0.1, 0.1  # of EAGLE: on the features, and of the cross-entropy
LATER = 0.8  # what a step counts beside the one before
METHODS = ("divergence", "features")


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


class Regression:
    """Smooth L1 distance of the features, and a little of the cross-entropy: one step, on noisy features."""

    def __init__(self, teacher: Network, read: Features, seed: int = 0) -> None:
        self._teacher, self._read = teacher, read
        self._seed = seed

    def __call__(self, head: HeadNetwork, numbers: torch.Tensor) -> torch.Tensor:
        """Return the mean over windows, by their numbers. (n,)"""
        features = self._read.of(numbers)
        draws = torch.Generator().manual_seed(self._seed + int(numbers[0]))
        noise = (torch.rand(features.shape, generator=draws) * 2 - 1) * NOISE
        embedded = self._teacher.model.embed_tokens(self._read.tokens[numbers, :-1]).detach()
        (guess,) = head(embedded, features + noise, 1)
        with torch.no_grad():
            target_probs = torch.softmax(self._teacher.lm_head(features).float(), -1).flatten(0, 1)
        logits = functional.linear(guess, self._teacher.lm_head.weight.detach()).float().flatten(0, 1)
        cross_entropy = functional.cross_entropy(logits, target_probs)
        return functional.smooth_l1_loss(guess.float(), features) + SHARE * cross_entropy
