"""Products with the matrices of a model, as its processor makes them fastest.

A product of few rows takes as long as the reading of its matrix. Weights that were saved in 16 bits hold no more than
that when they are read into float32: a halved matrix keeps them in 16 bits, all of them the same numbers, and is
multiplied in float32. It is made where that is asked for.

A processor multiplies blocks, and torch puts a matrix into blocks again at every product of more than one row: a
verification of three nodes then takes half as long again as one of a single node, though it reads the same weights. A
packed matrix is put into blocks once. It is a second copy of the weights, which in float32 only small models get.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable
from functools import cache
from math import frexp
from pathlib import Path
from typing import Protocol

import torch
from torch.nn.functional import linear

from playground.models.kernels import compiled_kernel, half_kernel, packed_kernel, packs_bfloat16

SMALL = 500_000_000  # parameters, 2 GB in float32: a larger model has no second copy in that format
FEW_OF_INTEL = 3  # rows
LARGEST_POWER = 15  # of two: the largest weight of a halved matrix is below it, far below what float16 can hold
MOST_HALVED = 64  # rows: with more, as many as a prompt has, a product is a matter of arithmetic


class Product(Protocol):
    """A linear map of rows, with its bias if it has one."""

    def of(self, rows: torch.Tensor) -> torch.Tensor:
        """(n, inputs) to (n, outputs)"""
        ...

    def added(self, stream: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """`stream` (n, outputs) plus the product of `rows` (n, inputs)."""
        ...


Make = Callable[[torch.Tensor, torch.Tensor | None], Product]  # of a matrix (outputs, inputs) and a bias (outputs,)


def products_for(weight: torch.Tensor, num_parameters: int, *, halved: bool) -> Make:
    """Class of the products with a model's matrices, by their device, number format and size.

    Args:
        weight: one of its matrices, for where they are and in which number format.
        num_parameters: of the model.
        halved: whether weights are to be held in 16 bits; then making one raises `ValueError` where it cannot.
    """
    if halved:
        return _Halved
    return _Packed if is_packed(weight.device, weight.dtype, num_parameters) else AsItIs


def is_packed(device: torch.device, dtype: torch.dtype, num_parameters: int) -> bool:
    """Return whether a model of this size there has its matrices packed, a second time in memory."""
    if device.type != "cpu" or not packed_kernel():
        return False
    return packs_bfloat16() if dtype == torch.bfloat16 else dtype == torch.float32 and num_parameters <= SMALL


def is_held_twice(device: torch.device, dtype: torch.dtype, num_parameters: int) -> bool:
    """Return whether the matrices are packed, or stored a second time in the order that a compiled pass reads."""
    is_small = device.type == "cpu" and dtype == torch.float32 and num_parameters <= SMALL
    return is_packed(device, dtype, num_parameters) or (is_small and bool(compiled_kernel()))


class AsItIs:
    """By torch's own operation; see `Product`."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None) -> None:
        self._weight, self._transposed, self._bias = weight, weight.T, bias

    def of(self, rows: torch.Tensor) -> torch.Tensor:
        """(n, inputs) to (n, outputs)"""
        return linear(rows, self._weight, self._bias)

    def added(self, stream: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """`stream` plus the product of `rows`."""
        summed = torch.addmm(stream, rows, self._transposed)
        return summed if self._bias is None else summed.add_(self._bias)


class _Halved:
    """In float32 on one thread, with the weights in 16 bits.

    They are held times a power of two, so that the small ones are not below what float16 can tell apart. With vectors
    of 512 bits a row comes out the same whatever other rows are there, up to `MOST_HALVED`; with shorter ones its last
    bits may differ.

    Raises:
        ValueError: if a weight takes more than 16 bits.
    """

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None) -> None:
        halves, power = float16_and_power(weight)
        self._as_it_is, self._bias, self._multiply = AsItIs(weight, bias), bias, half_kernel().multiply
        self._halves, self._unit = half_kernel().pack(halves.float()), 2.0**power
        self._factor = torch.tensor(self._unit)  # of a number, torch would make one at every product

    def of(self, rows: torch.Tensor) -> torch.Tensor:
        if _is_too_much_for_halves(rows):
            return self._as_it_is.of(rows)
        multiplied = self._multiplied(rows).mul_(self._factor)
        return multiplied if self._bias is None else multiplied.add_(self._bias)

    def added(self, stream: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        if _is_too_much_for_halves(rows):
            return self._as_it_is.added(stream, rows)
        summed = torch.add(stream, self._multiplied(rows), alpha=self._unit)
        return summed if self._bias is None else summed.add_(self._bias)

    def _multiplied(self, rows: torch.Tensor) -> torch.Tensor:
        return self._multiply(rows, self._halves, None)


def float16_and_power(weight: torch.Tensor) -> tuple[torch.Tensor, int]:
    """Return a matrix in float16, and the power of two that it is to be multiplied by.

    Raises:
        ValueError: if a weight takes more than 16 bits.
    """
    _, power = frexp(float(weight.detach().abs().max()))
    scaled = weight.detach() * 2.0 ** (LARGEST_POWER - power)
    halves = scaled.half()
    if not torch.equal(halves.float(), scaled):
        raise ValueError("weights of more than 16 bits")
    return halves, power - LARGEST_POWER


def _is_too_much_for_halves(rows: torch.Tensor) -> bool:
    return len(rows) > MOST_HALVED or torch.get_num_threads() > 1


def multiplies_halves() -> bool:
    """Return whether this torch, on this processor, has the product of halved matrices."""
    return bool(half_kernel())


def reads_halves(device: torch.device, dtype: torch.dtype | None) -> bool:
    """Return whether weights that were saved in 16 bits are read in half the time here when held so.

    The numbers are the same. Several threads cannot share such a product.
    """
    is_float = device.type == "cpu" and dtype == torch.float32
    return is_float and torch.get_num_threads() == 1 and multiplies_halves()


class _Packed:
    """With the weights in blocks; few rows perhaps as it is."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None) -> None:
        self._few = _rows_faster_unpacked(weight.dtype)
        self._as_it_is = AsItIs(weight, bias) if self._few else None
        kernel = packed_kernel()
        self._weight, self._bias, self._of, self._added = kernel.pack(weight), bias, kernel.multiply, kernel.add

    def of(self, rows: torch.Tensor) -> torch.Tensor:
        if self._as_it_is and len(rows) <= self._few:
            return self._as_it_is.of(rows)
        return self._of(rows, self._weight, self._bias)

    def added(self, stream: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        if self._as_it_is and len(rows) <= self._few:
            return self._as_it_is.added(stream, rows)
        return self._added(rows, stream, self._weight, self._bias)


@cache
def _rows_faster_unpacked(dtype: torch.dtype) -> int:
    """Up to how many rows a product is faster as it is: by the processor's maker, and not by a measurement.

    Few rows are a walk through memory, where blocks help one processor and hinder another: packed, one row and a pass
    of the bundled target over two or three nodes took longer on Intel Xeons, and on AMD EPYCs less time. What comes out
    differs in its last digits, so whoever measured this anew in every process would have the same seed write other
    digits, and at times other tokens.
    """
    is_one_instruction = dtype == torch.bfloat16  # a processor that packs these multiplies whole blocks
    return 0 if is_one_instruction or not _is_of_intel() else FEW_OF_INTEL


def _is_of_intel() -> bool:
    cpuinfo = Path("/proc/cpuinfo")
    return sys.platform == "darwin" or "GenuineIntel" in (
        cpuinfo.read_text() if cpuinfo.exists() else platform.processor()
    )
