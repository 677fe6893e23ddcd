"""Products with the matrices of a model: by torch, and on a processor by the compiled pass.

Weights that were saved in 16 bits hold no more than that when they are read into float32: the compiled pass keeps them
in 16 bits, all of them the same numbers, and multiplies in float32.
"""

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import version
from math import frexp
from typing import Any

import torch
from torch.nn.functional import linear

FAMILIES = ("llama", "mistral", "qwen2", "qwen3")  # The lean and the block pass compute the layers of these.
SMALL = 500_000_000  # parameters, 2 GB in float32: a larger model has no second copy in that format
LARGEST_POWER = 15  # The largest weight in 16 bits is below 2^15, far below what float16 can hold.


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


@dataclass(frozen=True, slots=True)
class CompiledKernel:
    """The compiled layers that a pass runs; false where there are none."""

    name: str  # in a trace; the reason where there are none
    module: Any = None  # `passes.compiled`, which compiles a function when it is first called
    lanes: int = 1  # A head's size has to be a multiple of it.

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
    if import_module("numba").config.DISABLE_JIT:  # The kernels are no Python that would run by itself.
        return CompiledKernel("NUMBA_DISABLE_JIT is set")
    return CompiledKernel(f"numba {version('numba')}", compiled, compiled.LANES)


def kernels() -> str:
    """Say what multiplies on this processor, and why nothing else does: a part of what a time depends on."""
    return f"compiled pass: {compiled_kernel()}"


def is_held_twice(device: torch.device, dtype: torch.dtype, num_parameters: float) -> bool:
    """Return whether the matrices are stored a second time, in the order that a compiled pass reads."""
    return device.type == "cpu" and dtype == torch.float32 and num_parameters <= SMALL and bool(compiled_kernel())


def reads_halves(device: torch.device, dtype: torch.dtype | None) -> bool:
    """Return whether weights that were saved in 16 bits are read in half the time here when held so.

    The numbers are the same.
    """
    is_float = device.type == "cpu" and dtype == torch.float32
    return is_float and bool(compiled_kernel())


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
