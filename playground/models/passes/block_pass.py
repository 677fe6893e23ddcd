"""The compiled pass over the blocks of a GGUF file: a weight is read in the bits that the file has for it.

Rows are float32, and logits are those of the weights that the package gguf makes of the file, up to the rounding of
float32; or rows are rounded to 8 bits for each group of inputs before a matrix, as llama.cpp does. Both ways a row
comes out the same whatever is next to it, to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from typing import Any, TypeAlias

import numpy as np
import torch

from playground.models.passes.compiled_pass import ALIGNED, WIDTH, CompiledPass
from playground.models.passes.tuning import AHEAD
from playground.models.products import compiled_kernel
from playground.models.sources.gguf_blocks import BlockMatrix, stacked

Product: TypeAlias = Callable[[torch.Tensor], torch.Tensor]
ROUNDED_NAME = "lean, compiled, GGUF blocks, rows in 8 bits"


class BlockPass(CompiledPass):
    """The pass of one model.

    Args:
        model: of transformers; see `is_compilable`.
        blocks: its matrices, by the names of their modules.
    """

    name = "lean, compiled, GGUF blocks"

    def __init__(self, model: Any, blocks: dict[str, BlockMatrix]) -> None:
        # rounds: whether rows are rounded to 8 bits
        self._blocks, self.rounds = blocks, False
        super().__init__(model)
        head = int(self._head_matrix[4])
        self._head_weights = self._weights[head : head + 1]
        self._head_matrix[4] = 0
        self._weights = self._weights[: int(self._arrays[0][..., 4].max()) + 1]
        self._blocks = {}
        sizes = [*self._arrays[0].reshape(-1, WIDTH), self._head_matrix]
        arrays = {id(each): each.nbytes for each in (*self._weights, *self._head_weights)}  # they may share one
        # `weights` that a call over one token multiplies by, and the `bytes` of their blocks
        self.reads = {"weights": sum(int(each[1] * each[2]) for each in sizes), "bytes": sum(arrays.values())}

    def rounding_rows(self) -> BlockPass:
        """Return the pass with rows rounded to 8 bits, over the same blocks in memory."""
        rounded = copy(self)
        rounded.rounds, rounded.name = True, ROUNDED_NAME
        rounded._weights = tuple(map(_for_rounded_rows, self._weights))
        rounded._head_weights = tuple(map(_for_rounded_rows, self._head_weights))
        return rounded

    def products(self) -> Iterator[tuple[list[str], int, Product]]:
        """Yield the modules of each matrix, how many inputs have one scale, and its product with rows (n, inputs)."""
        matrices = [(self._weights, each) for each in self._arrays[0].reshape(-1, WIDTH)]
        matrices.append((self._head_weights, self._head_matrix))
        for names, (weights, matrix) in zip([*_names(self.num_layers), ["lm_head"]], matrices, strict=True):
            codes_name = next(name for name in weights[matrix[4]].dtype.names if name.startswith("codes"))
            yield names, int(codes_name.split("_")[-1]), BlockProduct(weights, matrix).of

    def _lay_out(self, linears: list[Any]) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
        """Return the matrices in arrays of records, one for each layout, and where each is; see `compiled`."""
        matrices, starts = [], {}
        parts: dict[Any, list[np.ndarray]] = {}
        for names in [*_names(self.num_layers), ["lm_head"]]:
            matrix = stacked([self._blocks[name] for name in names])
            records = _records(matrix)
            array = list(parts).index(records.dtype) if records.dtype in parts else len(parts)
            parts.setdefault(records.dtype, []).append(records)
            outputs = records.shape[0] * compiled_kernel().lanes
            start = starts.get(records.dtype, 0)
            matrices.append((start, matrix.codes.shape[1], outputs, matrix.zero, array, AHEAD, self._kernels.ROWS))
            starts[records.dtype] = start + records.size
        return tuple(_aligned(each) for each in parts.values()), np.array(matrices)


class BlockProduct:
    """A linear map of rows by one matrix in blocks, without a bias.

    Args:
        weights, position: as `BlockPass` has them: arrays of records, and where the matrix is in them; see `compiled`.
    """

    def __init__(self, weights: tuple[np.ndarray, ...], position: np.ndarray) -> None:
        self._weights, self._position, self._kernels = weights, position, compiled_kernel().module
        self.reads = {"weights": int(position[1] * position[2]), "bytes": sum(each.nbytes for each in weights)}

    @classmethod
    def with_matrix(cls, matrix: BlockMatrix, *, rounded: bool) -> BlockProduct:
        """Return the product with a matrix of its own; `rounded`: with rows of 8 bits."""
        records = _aligned([_records(matrix)])
        outputs = len(matrix.codes) + -len(matrix.codes) % compiled_kernel().lanes
        rows = compiled_kernel().module.ROWS
        position = np.array((0, matrix.codes.shape[1], outputs, matrix.zero, 0, AHEAD, rows))
        return cls((_for_rounded_rows(records) if rounded else records,), position)

    def of(self, rows: torch.Tensor) -> torch.Tensor:
        """(n, inputs) to (n, outputs), which are filled up to a whole number of vectors"""
        output = torch.empty(len(rows), int(self._position[2]), dtype=torch.float32, device="cpu")
        self._kernels.multiply_all(self._weights, self._position, rows.numpy(), output.numpy())
        return output


def _for_rounded_rows(records: np.ndarray) -> np.ndarray:
    """Return the same records with the name that makes the kernels choose products with rows of 8 bits."""
    fields: list[Any] = [(name.replace("widened", "rounded"), *kind) for name, *kind in records.dtype.descr]
    return records.view(np.dtype(fields))


def _records(matrix: BlockMatrix) -> np.ndarray:
    """Return (vectors of outputs, groups of inputs) records; the kernels read their layout from the type."""
    lanes, group, bits = compiled_kernel().lanes, matrix.group, matrix.bits
    outputs, inputs = matrix.codes.shape
    vectors, groups, apart = -(-outputs // lanes), inputs // group, 8 if bits == 4 else 4
    kind = np.int16 if _are_halves(matrix) else np.float32
    fields: list[Any] = [(name, kind, (lanes,)) for name in ("scales", "lows")[: 1 if matrix.lows is None else 2]]
    codes_name = f"codes_widened_{bits}_{group}"
    fields.append((codes_name, np.uint8, (lanes * group * bits // 8,)))
    records = np.zeros((vectors, groups), np.dtype(fields))
    for name, *_ in fields[:-1]:
        numbers = np.zeros((vectors * lanes, groups), np.float16 if kind is np.int16 else np.float32)
        numbers[:outputs] = getattr(matrix, name)
        records[name] = numbers.view(kind).reshape(vectors, lanes, groups).transpose(0, 2, 1)
    codes = np.full((vectors * lanes, inputs), matrix.zero, np.uint8)
    codes[:outputs] = matrix.codes
    codes = codes.reshape(vectors, lanes, groups, group // apart, apart).transpose(0, 2, 3, 1, 4)
    if bits == 4:  # inputs 0 to 3 in the lower halves of four bytes, 4 to 7 in the upper ones
        codes = codes[..., :4] | codes[..., 4:] << np.uint8(4)
    records[codes_name] = codes.reshape(vectors, groups, -1)
    return records


def _names(num_layers: int) -> list[list[str]]:
    """Return the modules of each fused matrix, in the order in which a pass reads them."""
    fused = [["q_proj", "k_proj", "v_proj"], ["o_proj"]], [["gate_proj", "up_proj"], ["down_proj"]]
    return [
        [f"model.layers.{layer}.{part}.{name}" for name in names]
        for layer in range(num_layers)
        for part, matrices in zip(("self_attn", "mlp"), fused, strict=True)
        for names in matrices
    ]


def _are_halves(matrix: BlockMatrix) -> bool:
    """Return True if float16 holds the scales and the least weights."""
    numbers = [matrix.scales] if matrix.lows is None else [matrix.scales, matrix.lows]
    return all(np.array_equal(each.astype(np.float16).astype(np.float32), each) for each in numbers)


def _aligned(parts: list[np.ndarray]) -> np.ndarray:
    """Join arrays of records in memory that begins with a line of the processor's cache."""
    kind, count = parts[0].dtype, sum(part.size for part in parts)
    memory = np.empty(count * kind.itemsize + ALIGNED, np.uint8)
    records = memory[-memory.ctypes.data % ALIGNED :][: count * kind.itemsize].view(kind)
    np.concatenate([part.ravel() for part in parts], out=records)
    return records
