"""A model as a method sees it: next-token distributions on the host, with every call counted and timed."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from playground.decoding.constrained.constraint import TreeConstraint
from playground.decoding.constrained.grammar import TreeGrammar
from playground.decoding.path_counts import PathCounts
from playground.models.forward import DepthLimited, Forward, Model, check_largest
from playground.models.own_settings import OwnSettings
from playground.models.reading import Reading, synchronise
from playground.models.sampling import Sampling
from playground.tree import TokenTree


class Reader:
    """A model on one token tree, under sampling settings and the run's constraint."""

    def __init__(
        self,
        model: Model,
        sampling: Sampling,
        tree: TokenTree,
        constraint: TreeConstraint | TreeGrammar | None = None,
        own_settings: OwnSettings | None = None,
        *,
        num_prompt_tokens: int | None = None,
    ) -> None:
        """Read a model on a tree.

        Args:
            constraint: sequences that may be written; None: anything.
            own_settings: of the target's file, for its rows and the drafts'; None: none are obeyed.
            num_prompt_tokens: of the tree's trunk; all of it when None.
        """
        self.model = model
        self._depth_limited = model if isinstance(model, DepthLimited) else None  # asked once: a Protocol's is slow
        self.sampling = sampling
        self.tree = tree
        self.constraint, self.own_settings = constraint, own_settings
        self._counts = PathCounts(tree, num_prompt_tokens or len(tree.trunk)) if sampling.counts_tokens else None
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
            sampling: warps; the reader's when None. Bias and penalties are always the reader's.
            unwarped: True where logits are read first.
            by_row: True where few of many distributions will be read.

        Raises:
            PlaygroundError: if the logits are not numbers.
        """
        started = time.perf_counter()
        forward = self.model.forward(self.tree, nodes)
        synchronise(self.model.device)
        seconds = time.perf_counter() - started
        # An empty table of what is allowed still makes the reading look for rows of which no token is left.
        allowed = self.constraint.allowed_after(nodes) if self.constraint else {} if self.own_settings else None
        reading = Reading(nodes, forward, seconds, sampling or self.sampling, allowed, self._penalties(nodes))
        check_largest(self.model, self.tree, nodes, reading.fetch(unwarped=unwarped, by_row=by_row))
        self.num_calls += 1
        self._count(forward)
        self.seconds += seconds
        self.cache_bytes = self.model.cache_bytes(self.tree)
        self.peak_cache_bytes = max(self.peak_cache_bytes, self.cache_bytes)
        return reading

    def _penalties(self, nodes: list[int]) -> Callable[[Any], Any] | None:
        """Return the penalties of the rows after these nodes, each by its own path; None where none are set."""
        if not (self.sampling.penalises or self.own_settings):
            return None
        counts = [self._counts.at(node) for node in nodes] if self._counts else []
        penalise = partial(self.sampling.penalise, counts=counts)
        if not self.own_settings:
            return penalise
        apply = partial(self.own_settings.apply, paths=[self.tree.context(node) for node in nodes])
        return lambda logits: apply(penalise(logits))

    def _count(self, forward: Forward) -> None:
        if forward.fed:  # else all rows were cached
            self.num_passes += 1
            self.num_fed += len(forward.fed)
            self.num_read += forward.num_cached + len(forward.fed)
