"""The objective of a block drafter: the target's distributions at K places, and the acceptance that it foretells.

The divergence is taken of the rows alone and of the rows with the Markov bias, so that both are drafters; a row counts
0.8 of the one before. The confidence learns the acceptance sum min(p, q) of its row, and nothing else learns from it.
"""

from __future__ import annotations

import torch
from torch.nn import functional

from playground.training.block.network import BlockNetwork
from playground.training.head.features import Features
from playground.training.network import Network

LATER = 0.8  # what a row counts beside the one before
ANCHORS = 32  # places of a window that are drafted behind, in one step


class Block:
    """KL(p || q) in nats, averaged over the rows, with and without the bias; and the confidence's cross-entropy."""

    def __init__(self, teacher: Network, read: Features, seed: int = 0) -> None:
        self._teacher, self._read, self._seed = teacher, read, seed

    def __call__(self, block: BlockNetwork, numbers: torch.Tensor) -> torch.Tensor:
        """The mean over windows, by their numbers."""
        features, tokens = self._read.of(numbers), self._read.tokens[numbers]
        draws = torch.Generator().manual_seed(self._seed + int(numbers[0]))
        size = block.shape.positions
        anchors = torch.randperm(features.shape[1] - size, generator=draws)[:ANCHORS].sort().values
        positions = anchors[:, None] + torch.arange(size)  # (A, K)
        weight = self._teacher.lm_head.weight.detach()
        with torch.no_grad():
            target_probs = torch.softmax(functional.linear(features[:, positions], weight).float(), -1)  # (n, A, K, V)
            entropies = torch.special.entr(target_probs).sum(-1)  # (n, A, K)
        guesses = block(self._teacher.model.embed_tokens(tokens[:, :-1]).detach(), features, anchors)
        logits = functional.linear(guesses, weight)
        biased = with_bias(block, logits, tokens[:, positions])
        shares = LATER ** torch.arange(size)
        divergence, overlap = torch.zeros(()), None
        for each in (logits, biased):
            log_probs = torch.log_softmax(each.float(), -1)
            crossed = -(target_probs * log_probs).sum(-1)  # (n, A, K)
            divergence = divergence + ((crossed - entropies) * shares).sum(-1).mean() / shares.sum() / 2
            with torch.no_grad():
                overlap = torch.minimum(target_probs, log_probs.exp()).sum(-1).clamp(0, 1)
        foretold = block.confidence(guesses.detach())[..., 0].float()
        return divergence + functional.binary_cross_entropy_with_logits(foretold, overlap)


def with_bias(block: BlockNetwork, logits: torch.Tensor, before: torch.Tensor) -> torch.Tensor:
    """Logits with the Markov bias of the tokens before them; that of row 0 is known to the row already.

    Args:
        block: whose bias.
        logits: (n, A, K, V).
        before: (n, A, K), the token before each row's.
    """
    bias = block.bias(before[..., 1:])  # (n, A, K - 1, V)
    return torch.cat([logits[..., :1, :], logits[..., 1:, :] + bias], -2)
