"""A model as a method sees it: asked for the next token's distributions at some nodes, every call counted and timed."""

from __future__ import annotations

import time
from functools import cached_property

import torch

from playground.decoding.constrained.constraint import Confinement
from playground.decoding.sampling import Sampling
from playground.models.forward import Forward, Model, check_logits
from playground.tree import TokenTree


class Reading:
    """What a model said at some nodes.

    Attributes:
        nodes: (n,) the nodes asked.
        forward: the raw answer, with the model's own logits.
        seconds: inside the model.
    """

    def __init__(
        self, nodes: list[int], forward: Forward, seconds: float, sampling: Sampling, confinement: Confinement | None
    ) -> None:
        self.nodes = nodes
        self.forward = forward
        self.seconds = seconds
        self._sampling = sampling
        self._confinement = confinement

    @cached_property
    def logits(self) -> torch.Tensor:
        """(n, V) unwarped, and -inf for what the run may not write."""
        logits = self.forward.logits
        return self._confinement.confined(logits, self.nodes) if self._confinement else logits

    @cached_property
    def dead_ends(self) -> torch.Tensor | None:
        """(n,) nodes after which the model holds all that the run may write for impossible; None without any."""
        if self._confinement is None:
            return None
        rows = self.logits.amax(-1) == -torch.inf
        return rows if bool(rows.any()) else None

    @cached_property
    def probs(self) -> torch.Tensor:
        """(n, V) distributions after the nodes, warped; rows sum to 1. Made when first asked for: beams never ask.

        The row of a dead end is zeros.
        """
        return self._warped(self._sampling)

    def distributions(self, sampling: Sampling | None = None) -> dict[int, torch.Tensor]:
        """The distribution after each node, (V,), warped as asked; dead ends have none."""
        probs = self.probs if sampling is None else self._warped(sampling)
        dead = self.dead_ends.tolist() if self.dead_ends is not None else [False] * len(self.nodes)
        return {node: row for node, row, is_dead in zip(self.nodes, probs, dead, strict=True) if not is_dead}

    def _warped(self, sampling: Sampling) -> torch.Tensor:
        probs = sampling.probs(self.logits)
        return probs if self.dead_ends is None else probs.masked_fill(self.dead_ends[:, None], 0.0)

    @cached_property
    def row_of(self) -> dict[int, int]:
        """The row of each node that was asked."""
        return {node: row for row, node in enumerate(self.nodes)}


class Reader:
    """A model seen through sampling settings, and through what the run may write, on one tree."""

    def __init__(
        self, model: Model, sampling: Sampling, tree: TokenTree, confinement: Confinement | None = None
    ) -> None:
        self.model = model
        self.sampling = sampling
        self.tree = tree
        self.confinement = confinement
        self.num_calls = 0
        self.num_passes = self.num_fed = self.num_read = 0
        self.seconds = 0.0
        self.peak_cache_bytes = 0

    def work(self) -> tuple[int, int, int]:
        """Forward passes so far, tokens that ran in them, and tokens whose keys and values they read."""
        return self.num_passes, self.num_fed, self.num_read

    def read(self, nodes: list[int], sampling: Sampling | None = None) -> Reading:
        """Ask for the distributions after these nodes: one call, whatever it has to catch up on.

        Raises:
            PlaygroundError: if the model's numbers are none.
        """
        started = time.perf_counter()
        forward = self.model.forward(self.tree, nodes)
        synchronise(self.model.device)
        seconds = time.perf_counter() - started
        check_logits(self.model, self.tree, nodes, forward.logits)
        self.num_calls += 1
        if forward.fed:  # else everything was known already
            self.num_passes += 1
            self.num_fed += len(forward.fed)
            self.num_read += forward.num_cached + len(forward.fed)
        self.seconds += seconds
        self.peak_cache_bytes = max(self.peak_cache_bytes, self.model.cache_bytes(self.tree))
        return Reading(nodes, forward, seconds, sampling or self.sampling, self.confinement)


def synchronise(device: torch.device) -> None:
    """Wait for the device, so that a clock read now includes the work it was given."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
