"""Products with the matrices of a model, as its processor makes them fastest.

In bfloat16 a processor multiplies blocks, and torch puts a matrix into blocks again at every product: of a small pass
that is more than half of the time. A packed matrix is put into blocks once. It is a second copy of the weights, so a
model in bfloat16 takes as much memory here as one in float32.
"""

from __future__ import annotations

import platform
from typing import Protocol

import torch
from torch.nn.functional import linear

ROWS = 8  # a hint for how a matrix is packed: about as many nodes as a round reads


class Product(Protocol):
    """A linear map of rows, with its bias if it has one."""

    def of(self, rows: torch.Tensor) -> torch.Tensor:
        """(n, inputs) to (n, outputs)"""
        ...

    def added(self, stream: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """`stream` (n, outputs) plus the product of `rows` (n, inputs)."""
        ...


def product(weight: torch.Tensor, bias: torch.Tensor | None) -> Product:
    """The product with a matrix (outputs, inputs), and a bias (outputs,) if there is one."""
    return _Packed(weight, bias) if _is_better_packed(weight) else _AsItIs(weight, bias)


class _AsItIs:
    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None) -> None:
        self._weight, self._transposed, self._bias = weight, weight.T, bias

    def of(self, rows: torch.Tensor) -> torch.Tensor:
        return linear(rows, self._weight, self._bias)

    def added(self, stream: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        summed = torch.addmm(stream, rows, self._transposed)
        return summed if self._bias is None else summed.add_(self._bias)


class _Packed:
    """Through oneDNN, by the operations that compiled models of torch use."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None) -> None:
        self._weight = torch.ops.mkldnn._reorder_linear_weight(weight.contiguous(), ROWS)
        self._bias = bias
        self._of, self._added = torch.ops.mkldnn._linear_pointwise.default, torch.ops.mkldnn._linear_pointwise.binary

    def of(self, rows: torch.Tensor) -> torch.Tensor:
        return self._of(rows, self._weight, self._bias, "none", [], "")

    def added(self, stream: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        return self._added(rows, stream, self._weight, self._bias, "add")


def _is_better_packed(weight: torch.Tensor) -> bool:
    return (
        weight.dtype == torch.bfloat16
        and weight.device.type == "cpu"
        and platform.machine() in ("x86_64", "AMD64")
        and torch.backends.mkldnn.is_available()
        and torch.ops.mkldnn._is_mkldnn_bf16_supported()
    )
