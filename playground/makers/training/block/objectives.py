"""Objective of a block drafter: divergence from the target's distributions at K positions, and of the confidence.

The divergence KL(p || q) is averaged over the rows without and with the Markov bias, so that either can draft; a row
weighs 0.8 of the one before. The confidence is trained on the acceptance sum min(p, q) of its row with the bias; its
gradient reaches no other weight.
"""

from __future__ import annotations

import torch
from torch.nn import functional

from playground.makers.training.block.network import BlockNetwork
from playground.makers.training.head.features import Features
from playground.makers.training.network import Network

LATER = 0.8  # weight of a row, relative to the one before
ANCHORS = 32  # of a window, in one step


class BlockDivergence:
    """KL(p || q) in nats, averaged over the rows, without and with the bias; plus the confidence's cross-entropy."""

    def __init__(self, teacher: Network, read: Features, seed: int = 0) -> None:
        self._teacher, self._read, self._seed = teacher, read, seed

    def __call__(self, block: BlockNetwork, numbers: torch.Tensor) -> torch.Tensor:
        """Return the mean over windows, by their numbers."""
        features, tokens = self._read.of(numbers), self._read.tokens[numbers]
        draws = torch.Generator().manual_seed(self._seed + int(numbers[0]))
        size = block.shape.positions
        anchors = torch.randperm(features.shape[1] - size, generator=draws)[:ANCHORS].sort().values
        positions = anchors[:, None] + torch.arange(size)  # (A, K)
        weight = self._teacher.lm_head.weight.detach()
        with torch.no_grad():
            target_probs = torch.softmax(functional.linear(features[:, positions], weight).float(), -1)  # (n, A, K, V)
            entropies = torch.special.entr(target_probs).sum(-1)  # (n, A, K)
        predicted = block(self._teacher.model.embed_tokens(tokens[:, :-1]).detach(), features, anchors)
        logits = functional.linear(predicted, weight)
        biased = with_bias(block, logits, tokens[:, positions])
        weights = LATER ** torch.arange(size)
        divergence, overlap = torch.zeros(()), None
        for each in (logits, biased):
            log_probs = torch.log_softmax(each.float(), -1)
            cross_entropies = -(target_probs * log_probs).sum(-1)  # (n, A, K)
            divergence = divergence + ((cross_entropies - entropies) * weights).sum(-1).mean() / weights.sum() / 2
            with torch.no_grad():
                overlap = torch.minimum(target_probs, log_probs.exp()).sum(-1).clamp(0, 1)
        confidences = block.confidence(predicted.detach())[..., 0].float()
        return divergence + functional.binary_cross_entropy_with_logits(confidences, overlap)


def with_bias(block: BlockNetwork, logits: torch.Tensor, before: torch.Tensor) -> torch.Tensor:
    """Logits with the Markov bias of the tokens before; none for row 0, which has read its own.

    Args:
        block: whose bias.
        logits: (n, A, K, V).
        before: (n, A, K), the token before each row's.
    """
    bias = block.bias(before[..., 1:])  # (n, A, K - 1, V)
    return torch.cat([logits[..., :1, :], logits[..., 1:, :] + bias], -2)
