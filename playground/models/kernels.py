"""The operations of torch that products are made with, which are private to it or deprecated, and what replaces them.

Each is tried once in a process, on a product that is known. Where it has gone, or computes something else, the next one
takes its place, and behind the last of them torch's own product. A trace says which they were: `kernels`.
"""

from __future__ import annotations

import platform
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from importlib.metadata import version
from typing import Any

import torch

ROWS = 8  # a hint for how a matrix is packed: about as many nodes as a round reads


def _missing(*_: Any) -> Any:
    raise ValueError("no such product")


@dataclass(frozen=True, slots=True)
class Kernel:
    """Operations that multiply by a matrix which one of them has packed.

    Attributes:
        name: what a trace calls them; empty where there are none.
        pack: a matrix (outputs, inputs), packed.
        multiply: of rows (n, inputs), a packed matrix and a bias or None, the product (n, outputs).
        add: of rows, a stream (n, outputs), a packed matrix and a bias or None, the product plus the stream.
        lacks: why those before them are not used.
    """

    name: str = ""
    pack: Callable[[torch.Tensor], Any] = _missing
    multiply: Callable[[torch.Tensor, Any, torch.Tensor | None], torch.Tensor] = _missing
    add: Callable[[torch.Tensor, torch.Tensor, Any, torch.Tensor | None], torch.Tensor] = _missing
    lacks: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.name)

    def __str__(self) -> str:
        return (self.name or "none") + (f" ({'; '.join(self.lacks)})" if self.lacks else "")


def kernels() -> str:
    """Operations that multiply on this processor, and why others do not: a part of what a time depends on."""
    return f"weights in 16 bits: {half_kernel()}; packed weights: {packed_kernel()}; compiled pass: {compiled_kernel()}"


@dataclass(frozen=True, slots=True)
class CompiledKernel:
    """The compiled layers that a pass runs; false where there are none.

    Attributes:
        name: in a trace; the reason where there are none.
        module: `passes.compiled`, which compiles a function when it is first called.
        lanes: what a head's size has to be a multiple of.
    """

    name: str
    module: Any = None
    lanes: int = 1

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


@cache
def half_kernel() -> Kernel:
    """For rows in float32 and a matrix in float16; no bias is added."""
    rows, matrix = torch.eye(8) * (1 + 2.0**-20), torch.eye(8)  # float16 does not hold these rows
    return _first_right((_fbgemm, _quantized), lambda kernel: kernel.multiply(rows, kernel.pack(matrix), None), rows)


def _fbgemm() -> Kernel:
    """Return the fastest kernel, which is deprecated: torch 2.13 warns that a later version will not have it."""
    return Kernel("fbgemm", torch.fbgemm_pack_gemm_matrix_fp16, torch.fbgemm_linear_fp16_weight_fp32_activation)


def _quantized() -> Kernel:
    """Product by a name that is not deprecated, equal to the last bit: it takes over on the day the other goes.

    A call takes some 12 us longer. One row by 192 x 576 weights: 23 us in place of 11; by 320 x 4096: 156 in place of
    132; by 2048 x 2048, no longer (medians on an AMD EPYC, one thread, torch 2.13).
    """
    pack, multiply = torch.ops.quantized.linear_prepack_fp16.default, torch.ops.quantized.linear_dynamic_fp16.default
    return Kernel("quantized", lambda matrix: pack(matrix, None), lambda rows, packed, _: multiply(rows, packed))


@cache
def packed_kernel() -> Kernel:
    """For rows and a matrix of one number format. Models that torch compiles use it; nothing else replaces it."""
    rows = torch.eye(8)

    def twice(kernel: Kernel) -> torch.Tensor:
        packed = kernel.pack(rows)
        return kernel.add(kernel.multiply(rows, packed, None), rows, packed, None)

    return _first_right((_one_dnn,), twice, 2 * rows)


def _one_dnn() -> Kernel:
    if platform.machine() not in ("x86_64", "AMD64"):
        raise RuntimeError("this processor is not an x86")
    product, pack = torch.ops.mkldnn._linear_pointwise, torch.ops.mkldnn._reorder_linear_weight
    multiply, add = product.default, product.binary
    return Kernel(
        "oneDNN",
        lambda matrix: pack(matrix.contiguous(), ROWS),
        lambda rows, packed, bias: multiply(rows, packed, bias, "none", [], ""),
        lambda rows, stream, packed, bias: add(rows, stream, packed, bias, "add"),
    )


def packs_bfloat16() -> bool:
    """Return whether this processor multiplies packed matrices of bfloat16; False where torch no longer says."""
    is_supported: Callable[[], bool] = getattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", bool)
    return bool(is_supported())


def _first_right(
    makes: tuple[Callable[[], Kernel], ...], product: Callable[[Kernel], torch.Tensor], expected: torch.Tensor
) -> Kernel:
    """Return the first of these kernels that is there and whose product is as expected, to the last bit."""
    lacks: list[str] = []
    for make in makes:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a deprecated one says so once
            try:
                kernel = make()
                if torch.equal(product(kernel), expected):
                    return replace(kernel, lacks=tuple(lacks))
                lacks.append(f"{kernel.name} computes something else")
            except (AttributeError, RuntimeError, TypeError) as error:
                lacks.append((str(error).strip() or type(error).__name__).splitlines()[0])
    return Kernel(lacks=tuple(lacks))
