"""The answer of a model as numbers on the host: the device ends here.

A model on a GPU leaves its logits there. They are penalised, masked and warped where they are, and the rows that a rule
needs come over in one transfer.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from playground.models.forward import Forward
from playground.models.sampling import Sampling

Array = NDArray[Any]  # Its numbers are float32 or float64.
LARGEST_TABLE = 2**22  # bytes of distributions that are transferred from a GPU as a whole, where few will be read


class Reading:
    """A model's next-token distributions after some nodes."""

    def __init__(
        self,
        nodes: list[int],
        forward: Forward,
        seconds: float,
        sampling: Sampling,
        allowed: Mapping[int, Sequence[int] | NDArray[np.int_]] | None = None,
        penalise: Callable[[torch.Tensor], torch.Tensor] | None = None,
    ) -> None:
        """Read a forward pass.

        Args:
            allowed: row -> the tokens that the run may write there, for rows where it may not write all; None of a run
                that may write anything.
            penalise: the run's bias and penalties, on logits of (n, V); None without any. See penalties.py.
        """
        self.nodes = nodes  # (n,) the node of each row
        self.forward = forward  # the forward pass, with the model's own logits on its device
        self.seconds = seconds  # time inside the model
        self._sampling = sampling
        self._allowed = allowed
        self._penalise = penalise
        self._is_on_host = forward.logits.device.type == "cpu"
        self._rows: dict[int, Array] = {}  # node -> its distribution, of a table that stays on the device

    def fetch(self, *, unwarped: bool = False, by_row: bool = False) -> list[float]:
        """Transfer the distributions to the host, or the logits, and the largest logit of each row, returned. (n,)

        The other of the two is made on the host from the logits, or transferred when first read. At temperature 0 the
        likeliest tokens are transferred in the place of their rows.

        Args:
            unwarped: True for the logits.
            by_row: True where few of many distributions will be read: a large table stays, and `row` transfers one.
        """
        if self._is_on_host:
            return on_host(self.forward.logits).max(-1).tolist()
        return self._transfer(unwarped=unwarped, by_row=by_row)

    @torch.inference_mode()
    def _transfer(self, *, unwarped: bool, by_row: bool) -> list[float]:
        """`fetch` from another device."""
        logits, masked = _at_least_32_bits(self.forward.logits), _at_least_32_bits(self._masked)
        is_greedy = not unwarped and self._sampling.temperature == 0
        if unwarped:
            table = masked
        elif is_greedy:
            table = masked.argmax(-1).double()  # (n,)
        else:
            table = self._warped_on_device
        stays = by_row and table.nbytes > LARGEST_TABLE
        counts = [0 if stays else table.numel(), len(logits), len(logits)]
        flat = table.flatten()[: counts[0]]
        rows, largest, most_allowed = torch.cat([flat, logits.amax(-1), masked.amax(-1)]).cpu().split(counts)
        vars(self)["dead_ends"] = _dead_ends(most_allowed.numpy())
        if is_greedy:
            vars(self)["probs"] = self._point_masses(rows.long())
        elif not stays:
            vars(self)["logits" if unwarped else "probs"] = rows.view(masked.shape).numpy()
        return largest.tolist()

    def row(self, node: int) -> Array:
        """Distribution after a node; transferred alone where the table has stayed on the device. (V,)"""
        if "probs" in vars(self) or self._is_on_host:
            return self.probs[self.row_of[node]]
        if node not in self._rows:
            self._rows[node] = self._warped_on_device[self.row_of[node]].cpu().numpy()
        return self._rows[node]

    @cached_property
    def row_of(self) -> dict[int, int]:
        """Node -> its row."""
        return {node: row for row, node in enumerate(self.nodes)}

    @cached_property
    def logits(self) -> Array:
        """Logits, penalised and unwarped, with -inf for tokens that the run may not write. (n, V)"""
        return on_host(self._masked)

    @property
    def raw_logits(self) -> Array:
        """Logits as the model gave them, before anything changed them. (n, V)"""
        is_changed = self._allowed is not None or self._penalise is not None
        return on_host(self.forward.logits) if is_changed else self.logits

    @cached_property
    def dead_ends(self) -> NDArray[np.bool_] | None:
        """True for nodes after which every token that the run may write has probability 0; None without any. (n,)"""
        return None if self._allowed is None else _dead_ends(self.logits.max(-1))

    @cached_property
    def probs(self) -> Array:
        """Distributions after all of the sampling's settings; rows sum to 1, a dead end's to 0. (n, V)

        Computed when first read: beam methods never read it.
        """
        if "logits" in vars(self) or self._is_on_host:
            return self._warped_on_host(self._sampling)
        return self._warped_on_device.cpu().numpy()

    @torch.inference_mode()
    def log_probs(self, nodes: Sequence[int]) -> Array:
        """Log-probabilities after these nodes, unwarped; -inf everywhere after a dead end. (len(nodes), V), float64"""
        rows = [self.row_of[node] for node in nodes]
        logits = self.logits if rows == list(range(len(self.nodes))) else self.logits[rows]
        log_probs = torch.log_softmax(torch.from_numpy(logits).double(), -1).numpy()
        if self.dead_ends is not None:
            log_probs[self.dead_ends[rows]] = -np.inf
        return log_probs

    def distributions(self, sampling: Sampling | None = None) -> dict[int, Array]:
        """Return the distribution (V,) after each node but dead ends, under the reading's sampling or another."""
        probs = self.probs if sampling is None else self._warped_on_host(sampling)
        dead = self.dead_ends.tolist() if self.dead_ends is not None else [False] * len(self.nodes)
        return {node: row for node, row, is_dead in zip(self.nodes, probs, dead, strict=True) if not is_dead}

    def _warped_on_host(self, sampling: Sampling) -> Array:
        """Warped rows on the host, from its logits. (n, V)"""
        probs = sampling.probs_on_host(self.logits)
        if self.dead_ends is not None:
            probs[self.dead_ends] = 0.0
        return probs

    @cached_property
    @torch.inference_mode()
    def _warped_on_device(self) -> torch.Tensor:
        """Warped rows on the model's device; zeros at a dead end. (n, V)"""
        probs = self._sampling.probs(self._masked)
        if self._allowed is None:
            return probs
        return probs.masked_fill((self._masked.amax(-1) == -torch.inf)[:, None], 0.0)

    @cached_property
    @torch.inference_mode()
    def _masked(self) -> torch.Tensor:
        """Penalised logits on the model's device, with -inf at tokens that the run may not write. (n, V)"""
        logits = self.forward.logits
        if self._penalise:
            logits = self._penalise(_at_least_32_bits(logits))
        if not self._allowed:
            return logits
        counts = torch.tensor([len(tokens) for tokens in self._allowed.values()], device="cpu")
        rows = torch.repeat_interleave(torch.tensor(list(self._allowed), device="cpu"), counts).to(logits.device)
        tokens = torch.from_numpy(np.concatenate([*map(np.asarray, self._allowed.values())])).to(logits.device)
        masked = logits.clone()
        masked[list(self._allowed)] = -torch.inf
        masked[rows, tokens] = logits[rows, tokens]
        return masked

    def _point_masses(self, tokens: torch.Tensor) -> Array:
        """Probability 1 at these tokens (n,), one in a row, and nothing in the row of a dead end. (n, V)"""
        logits = self.forward.logits
        probs = torch.zeros(logits.shape, dtype=torch.promote_types(logits.dtype, torch.float32), device="cpu").numpy()
        probs[np.arange(len(tokens)), tokens.numpy()] = 1.0
        if self.dead_ends is not None:
            probs[self.dead_ends] = 0.0
        return probs


def synchronise(device: torch.device) -> None:
    """Wait for the device, so that a clock read now includes the work it was given."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def on_host(tensor: torch.Tensor) -> Array:
    """Return a tensor's numbers in numpy."""
    return _at_least_32_bits(tensor).cpu().numpy()


def _at_least_32_bits(tensor: torch.Tensor) -> torch.Tensor:
    """Return the tensor, one of 16 bits in 32: numpy has no bfloat16."""
    return tensor if tensor.dtype in (torch.float32, torch.float64) else tensor.float()


def _dead_ends(largest: Array) -> NDArray[np.bool_] | None:
    """Return where the largest logit of a row is -inf; None where it is nowhere. (n,)"""
    rows = largest == -np.inf
    return rows if rows.any() else None
