"""A model as a method sees it: next-token distributions on the host, with every call counted and timed."""

from __future__ import annotations

import time
from functools import cached_property

import torch

from playground.decoding.constrained.constraint import TreeConstraint
from playground.decoding.sampling import Sampling
from playground.models.forward import DepthLimited, Forward, Model, check_largest
from playground.tree import TokenTree

LARGEST_TABLE = 2**22  # bytes of distributions that are transferred from a GPU as a whole, where few will be read


class Reading:
    """A model's next-token distributions after some nodes, as numbers on the host.

    The device ends here: of a model on a GPU, `fetch` brings the rows that a rule needs in one transfer.

    Attributes:
        nodes: (n,) the node of each row.
        forward: the forward pass, with the model's own logits on its device.
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
        self._rows: dict[int, torch.Tensor] = {}  # node -> its distribution, of a table that stays on the device

    def fetch(self, *, unwarped: bool = False, by_row: bool = False) -> list[float]:
        """Transfer the distributions to the host, or the logits, and the largest logit of each row, returned. (n,)

        The other of the two is made on the host from the logits, or transferred when first read. At temperature 0 the
        likeliest tokens are transferred in the place of their rows.

        Args:
            unwarped: True for the logits.
            by_row: True where few of many distributions will be read: a large table stays, and `row` transfers one.
        """
        highest = self.forward.logits.amax(-1)
        if highest.device.type == "cpu":
            return highest.tolist()
        masked = self._masked_logits
        is_greedy = not unwarped and self._sampling.temperature == 0
        if unwarped:
            table = masked
        elif is_greedy:
            table = masked.argmax(-1).double()  # (n,)
        else:
            table = self._warped_on_device
        stays = by_row and table.nbytes > LARGEST_TABLE
        counts = [0 if stays else table.numel(), len(highest), len(highest)]
        flat = table.flatten()[: counts[0]]
        rows, largest, allowed = torch.cat([flat, highest, masked.amax(-1)]).cpu().split(counts)
        vars(self)["dead_ends"] = _dead_ends(allowed)
        if is_greedy:
            vars(self)["probs"] = self._point_masses(rows.long(), masked)
        elif not stays:
            vars(self)["logits" if unwarped else "probs"] = rows.view(masked.shape)
        return largest.tolist()

    def row(self, node: int) -> torch.Tensor:
        """Distribution after a node; transferred alone where the table has stayed on the device. (V,)"""
        if "probs" in vars(self) or self.forward.logits.device.type == "cpu":
            return self.probs[self.row_of[node]]
        if node not in self._rows:
            self._rows[node] = self._warped_on_device[self.row_of[node]].cpu()
        return self._rows[node]

    def _point_masses(self, tokens: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
        """Probability 1 at these tokens (n,), one in a row, and nothing in the row of a dead end. (n, V)"""
        probs = torch.zeros(like.shape, dtype=torch.promote_types(like.dtype, torch.float32))
        probs.scatter_(1, tokens[:, None], 1.0)
        return probs if self.dead_ends is None else probs.masked_fill(self.dead_ends[:, None], 0.0)

    @cached_property
    def _warped_on_device(self) -> torch.Tensor:
        """Distributions on the model's device. (n, V)"""
        return self._warped(self._masked_logits, self._sampling)

    @cached_property
    def _masked_logits(self) -> torch.Tensor:
        """Logits on the model's device, with -inf for tokens that the run may not write. (n, V)"""
        logits = self.forward.logits
        return self._constraint.mask_logits(logits, self.nodes) if self._constraint else logits

    @cached_property
    def logits(self) -> torch.Tensor:
        """Logits, unwarped, with -inf for tokens that the run may not write. (n, V)"""
        return self._masked_logits.cpu()

    @cached_property
    def dead_ends(self) -> torch.Tensor | None:
        """True for nodes after which every token that the run may write has probability 0; None without any. (n,)"""
        return None if self._constraint is None else _dead_ends(self.logits.amax(-1))

    @cached_property
    def probs(self) -> torch.Tensor:
        """Distributions after temperature, top-k and top-p; rows sum to 1, a dead end's to 0. (n, V)

        Computed when first read: beam methods never read it.
        """
        if "logits" in vars(self):
            return self._warped_on_host(self._sampling)
        return self._warped_on_device.cpu()

    def distributions(self, sampling: Sampling | None = None) -> dict[int, torch.Tensor]:
        """Node -> the distribution after it, (V,), under the reader's sampling or another; without dead ends."""
        probs = self.probs if sampling is None else self._warped_on_host(sampling)
        dead = self.dead_ends.tolist() if self.dead_ends is not None else [False] * len(self.nodes)
        return {node: row for node, row, is_dead in zip(self.nodes, probs, dead, strict=True) if not is_dead}

    def _warped_on_host(self, sampling: Sampling) -> torch.Tensor:
        """Warped rows on the host, from the logits that are there, else from those on the device. (n, V)"""
        return self._warped(vars(self).get("logits", self._masked_logits), sampling).cpu()

    def _warped(self, logits: torch.Tensor, sampling: Sampling) -> torch.Tensor:
        """Warped rows on the device of these logits; zeros at a dead end. (n, V)"""
        probs = sampling.probs(logits)
        if self._constraint is None or (logits.device.type == "cpu" and self.dead_ends is None):
            return probs
        return probs.masked_fill((logits.amax(-1) == -torch.inf)[:, None], 0.0)

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
        self.cache_bytes = self.peak_cache_bytes = 0

    def work(self) -> tuple[int, int, int]:
        """Totals so far: forward passes, tokens fed to them, and tokens whose keys and values they read."""
        return self.num_passes, self.num_fed, self.num_read

    def max_depth(self, nodes: list[int]) -> int | None:
        """Largest depth of a draft below these nodes by the model itself; None where it sets no limit."""
        if not isinstance(self.model, DepthLimited):
            return None
        started = time.perf_counter()
        depth, forward = self.model.max_depth(self.tree, nodes)
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
        reading = Reading(nodes, forward, seconds, sampling or self.sampling, self.constraint)
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


def _dead_ends(largest: torch.Tensor) -> torch.Tensor | None:
    """True where the largest logit of a row is -inf; None where it is nowhere. (n,)"""
    rows = largest == -torch.inf
    return rows if bool(rows.any()) else None


def synchronise(device: torch.device) -> None:
    """Wait for the device, so that a clock read now includes the work it was given."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
