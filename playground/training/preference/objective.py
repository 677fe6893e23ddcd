"""Direct preference optimisation: of two continuations, the preferred one becomes likelier than it was to the network
that the training began with, and the other less likely.

Paper: Rafailov et al. 2023, Direct Preference Optimization, eq. 7.
"""

from __future__ import annotations

import torch
from torch.nn import functional

from playground.training.network import Network
from playground.training.preference.judged import Continuation, Pair

AT_ONCE = 32  # continuations that the reference reads together


class Preference:
    """-log sigmoid(beta (r(preferred) - r(other))), where r is log p(continuation) less the reference's, averaged."""

    def __init__(self, pairs: list[Pair], reference: Network, beta: float, *, low_precision: bool) -> None:
        """Let the reference, the network as it was, read all of them, in the precision of the training."""
        self._pairs, self._beta = pairs, beta
        flat = [each for pair in pairs for each in pair]
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16, enabled=low_precision):
            parts = [log_probs(reference, flat[at : at + AT_ONCE]) for at in range(0, len(flat), AT_ONCE)]
        self._reference = torch.cat(parts).view(-1, 2)  # (pairs, 2)

    def __call__(self, network: Network, numbers: torch.Tensor) -> torch.Tensor:
        """The mean over pairs, by their numbers: (n,)."""
        flat = [each for number in numbers.tolist() for each in self._pairs[number]]
        rewards = log_probs(network, flat).view(-1, 2) - self._reference[numbers]  # (n, 2)
        return -functional.logsigmoid(self._beta * (rewards[:, 0] - rewards[:, 1])).mean()

    def order(self, first: int, count: int, *, seed: int) -> torch.Tensor:
        """Pairs number `first` to `first + count` of an endless reading, each pass in an order of its own: (count,)."""
        size = len(self._pairs)
        passes = range(first // size, (first + count - 1) // size + 1)
        orders = [
            torch.randperm(size, generator=torch.Generator().manual_seed(seed * 1_000_003 + each)) for each in passes
        ]
        return torch.cat(orders)[first - passes[0] * size :][:count]


def log_probs(network: Network, continuations: list[Continuation]) -> torch.Tensor:
    """The log of the probability of each continuation after its opening: (n,)."""
    rows = [(*each.opening, *each.tokens) for each in continuations]
    length = max(map(len, rows))
    tokens = torch.tensor([row + (0,) * (length - len(row)) for row in rows])  # what fills up is not counted
    places = torch.arange(length - 1)
    begins, stops = (
        torch.tensor(found)[:, None]
        for found in ([len(each.opening) - 1 for each in continuations], [len(row) - 1 for row in rows])
    )
    counted = (places >= begins) & (places < stops)  # (n, length - 1)
    logits = network(tokens[:, :-1]).float()
    found = functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="none")
    return -(found.view(counted.shape) * counted).sum(1)
