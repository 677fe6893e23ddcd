"""Products with the matrices of a model: by torch, and on one thread of a processor by the compiled pass.

A processor multiplies blocks, and torch puts a matrix into blocks again at every product of several rows. A packed
matrix is put into blocks once, by an operation that is private to torch, and tried before it is used: several threads
share it, and bfloat16 has it, where no pass is compiled. Like the matrices in the order that a compiled pass reads, it
is a second copy of the weights, which in float32 only small models get.

Weights that were saved in 16 bits hold no more than that when they are read into float32: the compiled pass keeps them
in 16 bits, all of them the same numbers, and multiplies in float32.
"""

import platform
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import version
from math import frexp
from pathlib import Path
from typing import Any

import torch
from torch.nn.functional import linear

from playground.models.passes.tuning import saved_readings

SMALL = 500_000_000  # parameters, 2 GB in float32: a larger model has no second copy in that format
FEW = 3  # rows that are faster as they are in float32: a walk through memory, where blocks do not help
ROWS = 8  # a hint for how a matrix is packed: about the number of nodes that a round reads
LARGEST_POWER = 15  # of two: the largest weight in 16 bits is below it, far below what float16 can hold


class Product:
    """A linear map of rows, with its bias if it has one, by torch's own operation."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None) -> None:
        self._weight, self._transposed, self._bias = weight, weight.T, bias

    def of(self, rows: torch.Tensor) -> torch.Tensor:
        """(n, inputs) to (n, outputs)"""
        return linear(rows, self._weight, self._bias)

    def added(self, stream: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """`stream` (n, outputs) plus the product of `rows` (n, inputs)."""
        summed = torch.addmm(stream, rows, self._transposed)
        return summed if self._bias is None else summed.add_(self._bias)


class Packed(Product):
    """Product with a matrix in blocks; a few rows meet it as it is."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None, *, few: int | None = None) -> None:
        super().__init__(weight, bias)
        self._few = few if few is not None else FEW if weight.dtype == torch.float32 else 0
        self._product = torch.ops.mkldnn._linear_pointwise
        self._packed = torch.ops.mkldnn._reorder_linear_weight(weight.contiguous(), ROWS)

    def of(self, rows: torch.Tensor) -> torch.Tensor:
        """(n, inputs) to (n, outputs)"""
        if len(rows) <= self._few:
            return super().of(rows)
        return self._product.default(rows, self._packed, self._bias, "none", [], "")

    def added(self, stream: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """`stream` plus the product of `rows`."""
        if len(rows) <= self._few:
            return super().added(stream, rows)
        return self._product.binary(rows, stream, self._packed, self._bias, "add")


Make = Callable[[torch.Tensor, torch.Tensor | None], Product]  # of a matrix (outputs, inputs) and a bias (outputs,)


def is_packed(device: torch.device, dtype: torch.dtype, num_parameters: int) -> bool:
    """Return whether a model of this size there has its matrices packed, a second time in memory."""
    if device.type != "cpu" or why_not_packed():
        return False
    is_supported: Callable[[], bool] = getattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", bool)
    if dtype == torch.bfloat16:
        return bool(is_supported())
    return dtype == torch.float32 and num_parameters <= SMALL


@cache
def why_not_packed() -> str:
    """Return why no matrix is packed here; nothing where one that was tried gives the right product."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return "this processor is not an x86"
    rows = torch.eye(8, dtype=torch.float32, device="cpu")
    try:
        packed = Packed(rows, None, few=0)
        return "" if torch.equal(packed.added(rows, packed.of(rows)), 2 * rows) else "oneDNN computes something else"
    except (AttributeError, RuntimeError, TypeError) as error:  # torch has taken it away, or changed how it is called
        return (str(error).strip() or type(error).__name__).splitlines()[0]


@dataclass(frozen=True, slots=True)
class CompiledKernel:
    """The compiled layers that a pass runs; false where there are none."""

    name: str  # in a trace; the reason where there are none
    module: Any = None  # `passes.compiled`, which compiles a function when it is first called
    lanes: int = 1  # what a head's size has to be a multiple of

    def __bool__(self) -> bool:
        return self.module is not None

    def __str__(self) -> str:
        return self.name if self else f"none ({self.name})"


@cache
def compiled_kernel() -> CompiledKernel:
    """Return the compiled layers of a pass, where numba is installed and the processor fuses product and sum."""
    try:
        compiled = import_module("playground.models.passes.compiled")
    except (ImportError, AttributeError, RuntimeError) as error:  # a numba that does not know this Python or numpy
        return CompiledKernel((str(error).strip() or type(error).__name__).splitlines()[0])
    if not compiled.FUSES:
        return CompiledKernel("this processor does not fuse a product and a sum")
    return CompiledKernel(f"numba {version('numba')}", compiled, compiled.LANES)


def kernels() -> str:
    """Say what multiplies on this processor, and why nothing else does: a part of what a time depends on."""
    packed = f"none ({why_not_packed()})" if why_not_packed() else "oneDNN"
    return f"packed weights: {packed}; compiled pass: {compiled_kernel()}"


def chosen_readings() -> dict[str, dict[str, float]]:
    """Return how compiled products read their matrices here, as far as that was timed; see `passes.tuning`."""
    compiled = compiled_kernel().module
    return saved_readings(Path(compiled.CACHE_FOLDER)) if compiled else {}


def is_held_twice(device: torch.device, dtype: torch.dtype, num_parameters: int) -> bool:
    """Return whether the matrices are packed, or stored a second time in the order that a compiled pass reads."""
    is_small = device.type == "cpu" and dtype == torch.float32 and num_parameters <= SMALL
    return is_packed(device, dtype, num_parameters) or (is_small and bool(compiled_kernel()))


def reads_halves(device: torch.device, dtype: torch.dtype | None) -> bool:
    """Return whether weights that were saved in 16 bits are read in half the time here when held so.

    The numbers are the same. Several threads cannot share such a pass.
    """
    is_float = device.type == "cpu" and dtype == torch.float32
    return is_float and torch.get_num_threads() == 1 and bool(compiled_kernel())


def float16_and_power(weight: torch.Tensor) -> tuple[torch.Tensor, int]:
    """Return a matrix in float16, and the power of two that it is to be multiplied by.

    It is held times a power of two, so that small weights are not below what float16 can tell apart.

    Raises:
        ValueError: if a weight takes more than 16 bits.
    """
    _, power = frexp(float(weight.detach().abs().max()))
    scaled = weight.detach() * 2.0 ** (LARGEST_POWER - power)
    halves = scaled.half()
    if not torch.equal(halves.float(), scaled):
        raise ValueError("weights of more than 16 bits")
    return halves, power - LARGEST_POWER
