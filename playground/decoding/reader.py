"""A model as a method sees it: next-token distributions after some nodes, with every call counted and timed."""

from __future__ import annotations

import time
from functools import cached_property

import torch

from playground.decoding.constrained.constraint import TreeConstraint
from playground.decoding.sampling import Sampling
from playground.models.forward import Forward, Model, check_logits
from playground.tree import TokenTree


class Reading:
    """A model's next-token distributions after some nodes.

    Attributes:
        nodes: (n,) the node of each row.
        forward: the forward pass, with the model's own logits.
        seconds: time inside the model.
    """

    def __init__(
        self, nodes: list[int], forward: Forward, seconds: float, sampling: Sampling, constraint: TreeConstraint | None
    ) -> None:
        self.nodes = nodes
        self.forward = forward
        self.seconds = seconds
        self._sampling = sampling
        self._constraint = constraint

    @cached_property
    def logits(self) -> torch.Tensor:
        """Logits, unwarped, with -inf for tokens that the run may not write. (n, V)"""
        logits = self.forward.logits
        return self._constraint.mask_logits(logits, self.nodes) if self._constraint else logits

    @cached_property
    def dead_ends(self) -> torch.Tensor | None:
        """True for nodes after which every token that the run may write has probability 0; None without any. (n,)"""
        if self._constraint is None:
            return None
        rows = self.logits.amax(-1) == -torch.inf
        return rows if bool(rows.any()) else None

    @cached_property
    def probs(self) -> torch.Tensor:
        """Distributions after temperature, top-k and top-p; rows sum to 1, a dead end's to 0. (n, V)

        Computed when first read: beam methods never read it.
        """
        return self._warped(self._sampling)

    def distributions(self, sampling: Sampling | None = None) -> dict[int, torch.Tensor]:
        """Node -> the distribution after it, (V,), under the reader's sampling or another; without dead ends."""
        probs = self.probs if sampling is None else self._warped(sampling)
        dead = self.dead_ends.tolist() if self.dead_ends is not None else [False] * len(self.nodes)
        return {node: row for node, row, is_dead in zip(self.nodes, probs, dead, strict=True) if not is_dead}

    def _warped(self, sampling: Sampling) -> torch.Tensor:
        probs = sampling.probs(self.logits)
        return probs if self.dead_ends is None else probs.masked_fill(self.dead_ends[:, None], 0.0)

    @cached_property
    def row_of(self) -> dict[int, int]:
        """Node -> its row."""
        return {node: row for row, node in enumerate(self.nodes)}


class Reader:
    """A model on one token tree, under sampling settings and the run's constraint."""

    def __init__(
        self, model: Model, sampling: Sampling, tree: TokenTree, constraint: TreeConstraint | None = None
    ) -> None:
        self.model = model
        self.sampling = sampling
        self.tree = tree
        self.constraint = constraint
        self.num_calls = 0
        self.num_passes = self.num_fed = self.num_read = 0
        self.seconds = 0.0
        self.peak_cache_bytes = 0

    def work(self) -> tuple[int, int, int]:
        """Totals so far: forward passes, tokens fed to them, and tokens whose keys and values they read."""
        return self.num_passes, self.num_fed, self.num_read

    def read(self, nodes: list[int], sampling: Sampling | None = None) -> Reading:
        """Run the model once for the distributions after these nodes, with all tokens that it has not read yet.

        Raises:
            PlaygroundError: if the logits are not numbers.
        """
        started = time.perf_counter()
        forward = self.model.forward(self.tree, nodes)
        synchronise(self.model.device)
        seconds = time.perf_counter() - started
        check_logits(self.model, self.tree, nodes, forward.logits)
        self.num_calls += 1
        if forward.fed:  # else all rows were cached
            self.num_passes += 1
            self.num_fed += len(forward.fed)
            self.num_read += forward.num_cached + len(forward.fed)
        self.seconds += seconds
        self.peak_cache_bytes = max(self.peak_cache_bytes, self.model.cache_bytes(self.tree))
        return Reading(nodes, forward, seconds, sampling or self.sampling, self.constraint)


def synchronise(device: torch.device) -> None:
    """Wait for the device, so that a clock read now includes the work it was given."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
