"""A model as a method sees it: next-token distributions on the host, with every call counted and timed."""

from __future__ import annotations

import time

from playground.decoding.constrained.constraint import TreeConstraint
from playground.models.forward import DepthLimited, Forward, Model, check_largest
from playground.models.reading import Reading, synchronise
from playground.models.sampling import Sampling
from playground.tree import TokenTree


class Reader:
    """A model on one token tree, under sampling settings and the run's constraint."""

    def __init__(
        self, model: Model, sampling: Sampling, tree: TokenTree, constraint: TreeConstraint | None = None
    ) -> None:
        self.model = model
        self._depth_limited = model if isinstance(model, DepthLimited) else None  # asked once: a Protocol's is slow
        self.sampling = sampling
        self.tree = tree
        self.constraint = constraint
        self.num_calls = 0
        self.num_passes = self.num_fed = self.num_read = 0
        self.seconds = 0.0
        self.cache_bytes = self.peak_cache_bytes = 0

    def work(self) -> tuple[int, int, int]:
        """Totals so far: forward passes, tokens fed to them, and tokens whose keys and values they read."""
        return self.num_passes, self.num_fed, self.num_read

    def max_depth(self, nodes: list[int]) -> int | None:
        """Largest depth of a draft below these nodes by the model itself; None where it sets no limit."""
        if self._depth_limited is None:
            return None
        started = time.perf_counter()
        depth, forward = self._depth_limited.max_depth(self.tree, nodes)
        synchronise(self.model.device)
        self.seconds += time.perf_counter() - started
        if forward is not None:
            self._count(forward)
        return depth

    def read(
        self, nodes: list[int], sampling: Sampling | None = None, *, unwarped: bool = False, by_row: bool = False
    ) -> Reading:
        """Run the model once for the distributions after these nodes, with all tokens that it has not read yet.

        Args:
            nodes: living nodes, in any order.
            sampling: sampling settings; the reader's when None.
            unwarped: True where logits are read first.
            by_row: True where few of many distributions will be read.

        Raises:
            PlaygroundError: if the logits are not numbers.
        """
        started = time.perf_counter()
        forward = self.model.forward(self.tree, nodes)
        synchronise(self.model.device)
        seconds = time.perf_counter() - started
        allowed = self.constraint.allowed_after(nodes) if self.constraint else None
        reading = Reading(nodes, forward, seconds, sampling or self.sampling, allowed)
        check_largest(self.model, self.tree, nodes, reading.fetch(unwarped=unwarped, by_row=by_row))
        self.num_calls += 1
        self._count(forward)
        self.seconds += seconds
        self.cache_bytes = self.model.cache_bytes(self.tree)
        self.peak_cache_bytes = max(self.peak_cache_bytes, self.cache_bytes)
        return reading

    def _count(self, forward: Forward) -> None:
        if forward.fed:  # else all rows were cached
            self.num_passes += 1
            self.num_fed += len(forward.fed)
            self.num_read += forward.num_cached + len(forward.fed)
