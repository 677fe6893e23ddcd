"""Products with the matrices of a model, as its processor makes them fastest.

A processor multiplies blocks, and torch puts a matrix into blocks again at every product of more than one row: a
verification of three nodes then takes half as long again as one of a single node, though it reads the same weights. A
packed matrix is put into blocks once. It is a second copy of the weights, which in float32 only small models get.
"""

from __future__ import annotations

import platform
import time
from functools import cache
from math import inf
from typing import Protocol

import torch
from torch.nn.functional import linear

ROWS = 8  # a hint for how a matrix is packed: about as many nodes as a round reads
SMALL = 500_000_000  # parameters, 2 GB in float32: a larger model has no second copy in that format


WALK = 16  # matrices of 4 MB in float32: more than the caches of a core hold
TURNS = 8
MOST_FEW = 4  # rows that are measured with a matrix as it is: from here on there was little between both


class Product(Protocol):
    """A linear map of rows, with its bias if it has one."""

    def of(self, rows: torch.Tensor) -> torch.Tensor:
        """(n, inputs) to (n, outputs)"""
        ...

    def added(self, stream: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """`stream` (n, outputs) plus the product of `rows` (n, inputs)."""
        ...


def product(weight: torch.Tensor, bias: torch.Tensor | None, *, packed: bool) -> Product:
    """The product with a matrix (outputs, inputs), and a bias (outputs,) if there is one.

    Args:
        weight, bias: of the model.
        packed: whether to keep a packed copy of the matrix, see `is_packed`.
    """
    return _Packed(weight, bias) if packed else _AsItIs(weight, bias)


def is_packed(device: torch.device, dtype: torch.dtype, num_parameters: int) -> bool:
    """Whether a model of this size there has its matrices packed, a second time in memory."""
    if (
        device.type != "cpu"
        or platform.machine() not in ("x86_64", "AMD64")
        or not torch.backends.mkldnn.is_available()
    ):
        return False
    if dtype == torch.bfloat16:
        return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
    return dtype == torch.float32 and num_parameters <= SMALL


class _AsItIs:
    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None) -> None:
        self._weight, self._transposed, self._bias = weight, weight.T, bias

    def of(self, rows: torch.Tensor) -> torch.Tensor:
        return linear(rows, self._weight, self._bias)

    def added(self, stream: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        summed = torch.addmm(stream, rows, self._transposed)
        return summed if self._bias is None else summed.add_(self._bias)


class _Packed:
    """Through oneDNN, by the operations that compiled models of torch use; few rows perhaps as it is."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None) -> None:
        self._few = _rows_faster_unpacked(weight.dtype)
        self._as_it_is = _AsItIs(weight, bias) if self._few else None
        self._weight, self._bias = _in_blocks(weight), bias
        self._of, self._added = torch.ops.mkldnn._linear_pointwise.default, torch.ops.mkldnn._linear_pointwise.binary

    def of(self, rows: torch.Tensor) -> torch.Tensor:
        if self._as_it_is and len(rows) <= self._few:
            return self._as_it_is.of(rows)
        return self._of(rows, self._weight, self._bias, "none", [], "")

    def added(self, stream: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        if self._as_it_is and len(rows) <= self._few:
            return self._as_it_is.added(stream, rows)
        return self._added(rows, stream, self._weight, self._bias, "add")


def _in_blocks(weight: torch.Tensor) -> torch.Tensor:
    return torch.ops.mkldnn._reorder_linear_weight(weight.contiguous(), ROWS)


@cache
def _rows_faster_unpacked(dtype: torch.dtype) -> int:
    """Up to how many rows a product is faster as it is. Measured here, once a process, in half a second.

    Few rows are a walk through memory, where blocks help one processor and hinder another: packed, one row took 1.27
    times as long on an Intel Xeon and 0.80 on an AMD EPYC; on another Xeon a pass of 16 million parameters took 1.26
    times as long over two nodes, 1.16 over three, and as long over four. What comes out differs in its last digits.
    """
    if dtype == torch.bfloat16:
        return 0  # a processor that packs these multiplies blocks in one instruction
    weights = [torch.full((1024, 1024), 0.5, dtype=dtype) for _ in range(WALK)]
    blocks = [_in_blocks(weight) for weight in weights]
    multiply = torch.ops.mkldnn._linear_pointwise.default

    def as_it_is(rows: torch.Tensor) -> None:
        for weight in weights:
            linear(rows, weight)

    def packed(rows: torch.Tensor) -> None:
        for block in blocks:
            multiply(rows, block, None, "none", [], "")

    for count in range(1, MOST_FEW + 1):
        rows = torch.ones(count, 1024, dtype=dtype)
        fastest = dict.fromkeys((as_it_is, packed), inf)
        for _ in range(TURNS):
            for way in fastest:
                began = time.perf_counter()
                way(rows)
                fastest[way] = min(fastest[way], time.perf_counter() - began)
        if fastest[packed] < fastest[as_it_is]:
            return count - 1
    return MOST_FEW
