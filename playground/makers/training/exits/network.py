"""Exits as they train: behind some layers of a target a few weights each, in front of its last norm and output layer.

    stream after layer k -> norm -> x -> x + up(down(x)) -> the target's last norm -> the target's output layer -> q

`up` begins at zero and the norm at ones, so an exit begins as the untrained one: norms of norms are norms. All depths
train together, on one pass of the target, whose weights stay what they are.

Source: Belrose et al. 2023, the tuned lens, arXiv 2303.08112; see models/drafters/trained_exit.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn
from torch.nn import functional

from playground.makers.training.network import NORM_EPS, Network, Shape, Trained


class Exits(Trained):
    """Translators from layers of a target to its last one, by depth.

    Attributes:
        shape: the target's, but `feed_forward`, which is the rank of the translators.
        exits: by the number of layers, written out.
    """

    def __init__(self, shape: Shape, depths: Sequence[int], *, seed: int = 0) -> None:
        super().__init__()
        self.shape = shape
        self.exits = nn.ModuleDict({str(depth): _Translator(shape) for depth in depths})
        self.initialise(seed, ("up.weight", "up.bias"))

    @property
    def depths(self) -> list[int]:
        """After how many layers, ascending."""
        return sorted(map(int, self.exits))

    def forward(self, stream: torch.Tensor, depth: int) -> torch.Tensor:
        """Input of the target's last norm, from its stream after this many layers. (..., width) to the same."""
        return self.exits[str(depth)](stream)


class _Translator(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(shape.width, NORM_EPS)
        self.down = nn.Linear(shape.width, shape.feed_forward, bias=False)
        self.up = nn.Linear(shape.feed_forward, shape.width)

    def forward(self, stream: torch.Tensor) -> torch.Tensor:
        x = self.norm(stream)
        return x + self.up(self.down(x))


class Divergence:
    """KL(p || q) at every position, in nats, averaged over positions and depths; p is what the target itself says."""

    def __init__(self, teacher: Network) -> None:
        self._teacher = teacher

    def __call__(self, exits: Exits, batch: torch.Tensor) -> torch.Tensor:
        """Return the mean over a batch of (n, T + 1) tokens."""
        teacher = self._teacher
        with torch.no_grad():
            streams = list(teacher.model.streams(batch[:, :-1]))  # (n, T, width) after each layer
            target_probs = torch.softmax(logits_of(teacher, streams[-1]), -1)  # (n * T, V)
            entropy = torch.special.entr(target_probs).sum(-1).mean()
        total = torch.zeros(())
        for depth in exits.depths:
            logits = logits_of(teacher, exits(streams[depth - 1], depth))
            total = total + functional.cross_entropy(logits, target_probs) - entropy
        return total / len(exits.depths)


def logits_of(teacher: Network, stream: torch.Tensor) -> torch.Tensor:
    """Return what the target's last norm and output layer make of a stream. (n, T, width) to (n * T, V)"""
    return teacher.lm_head(teacher.model.norm(stream)).float().flatten(0, 1)
