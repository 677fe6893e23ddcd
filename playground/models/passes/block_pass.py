"""The compiled pass over the matrices of a file: a weight is read in the bits that the file has for it.

Files are GGUF, and folders of safetensors in 16 bits.

Rows are float32, and logits are those of the weights that the package gguf makes of the file, up to the rounding of
float32; or rows are rounded to 8 bits for each group of inputs before a matrix, as llama.cpp does. Both ways a row
comes out the same whatever is next to it, to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from typing import Any, TypeAlias

import numpy as np
import torch

from playground.models.passes.compiled_pass import WIDTH, CompiledPass
from playground.models.passes.records import empty_records, for_rounded_rows, group_of, joined_records, widened_rows
from playground.models.passes.tuning import AHEAD
from playground.models.products import compiled_kernel
from playground.models.sources.gguf_blocks import BlockMatrix, FileMatrix

Product: TypeAlias = Callable[[torch.Tensor], torch.Tensor]
Matrix: TypeAlias = FileMatrix | BlockMatrix
EMBEDDING = "model.embed_tokens"
HALVES_NAME = "lean, compiled, 16 bits in their file"
ROUNDED_NAME = "lean, compiled, GGUF blocks, rows in 8 bits"


class BlockPass(CompiledPass):
    """The pass of one model.

    Args:
        model: of transformers; see `is_compilable`.
        blocks: its matrices, by the names of their modules; the embedding's, too, where the model has no numbers of it.
    """

    name, halves = "lean, compiled, GGUF blocks", ""

    def __init__(self, model: Any, blocks: Mapping[str, Matrix]) -> None:
        # rounds: whether rows are rounded to 8 bits
        self._blocks, self.rounds = blocks, False
        super().__init__(model)
        head = int(self._head_matrix[4])
        self._head_weights = self._weights[head : head + 1]
        self._head_matrix[4] = 0
        self._weights = self._weights[: int(self._arrays[0][..., 4].max()) + 1]
        table = blocks.get(EMBEDDING)
        self._wide_table = table if isinstance(table, FileMatrix) and table.is_wide else None
        self._rows = None if self._wide_table else self._table_records(table)
        kinds = {each.dtype.name for each in (*self._weights, *self._head_weights) if not each.dtype.names}
        self.is_halved = all(not each.dtype.names for each in self._weights)
        if self.is_halved:
            self.name, self.halves = HALVES_NAME, "bfloat16" if "uint16" in kinds else "float16"
        self._blocks = {}
        sizes = [*self._arrays[0].reshape(-1, WIDTH), self._head_matrix]
        arrays = {id(each): each.nbytes for each in (*self._weights, *self._head_weights)}  # they may share one
        # `weights` that a call over one token multiplies by, and the `bytes` of their blocks
        self.reads = {"weights": sum(int(each[1] * each[2]) for each in sizes), "bytes": sum(arrays.values())}

    def embedded(self, tokens: list[int]) -> torch.Tensor:
        """Return the stream of n tokens before the first layer; widened here, where the table stays in its file."""
        if self._wide_table:
            return torch.from_numpy(self._wide_table.rows(tokens).widened())
        if self._rows is None and not self._embedding.stride(0):
            raise ValueError("a drafter's embedding is its target's")
        return super().embedded(tokens) if self._rows is None else torch.from_numpy(widened_rows(*self._rows, tokens))

    def _table_records(self, table: Matrix | None) -> tuple[np.ndarray, int] | None:
        """Return the embedding's records and its code of 0, where it stays in its file; those of the head if tied."""
        if table is None or table is not self._blocks["lm_head"]:
            return None if table is None else joined_records([table])
        start, inputs, outputs, zero = (int(each) for each in self._head_matrix[:4])
        groups = inputs // group_of(self._head_weights[0].dtype)
        vectors = outputs // compiled_kernel().lanes
        return self._head_weights[0][start : start + vectors * groups].reshape(vectors, groups), zero

    def _table(self, module: Any) -> torch.Tensor:
        """Return the embedding's rows, or a tensor of that shape that takes no memory. (V, width)"""
        matrix = getattr(module, "matrix", None)
        if matrix is None:
            return super()._table(module)
        return torch.zeros(1, 1, dtype=torch.float32, device="cpu").expand(matrix.shape)

    def rounding_rows(self) -> BlockPass:
        """Return the pass with rows rounded to 8 bits, over the same blocks in memory."""
        rounded = copy(self)
        rounded.rounds, rounded.name = True, ROUNDED_NAME
        rounded._weights = tuple(map(for_rounded_rows, self._weights))
        rounded._head_weights = tuple(map(for_rounded_rows, self._head_weights))
        return rounded

    def products(self) -> Iterator[tuple[list[str], int, Product]]:
        """Yield the modules of each matrix, how many inputs have one scale, and its product with rows (n, inputs)."""
        matrices = [(self._weights, each) for each in self._arrays[0].reshape(-1, WIDTH)]
        matrices.append((self._head_weights, self._head_matrix))
        for names, (weights, matrix) in zip([*_names(self.num_layers), ["lm_head"]], matrices, strict=True):
            yield names, group_of(weights[matrix[4]].dtype), BlockProduct(weights, matrix).of

    def _lay_out(self, linears: list[Any]) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
        """Return the matrices in arrays of records, one for each layout, and where each is; see `compiled`."""
        names, sizes = [*_names(self.num_layers), ["lm_head"]], []
        lanes, outputs, arrays = compiled_kernel().lanes, 0, dict[Any, tuple[np.ndarray, int]]()
        block = self._kernels.BLOCK
        num_weights = [sum(self._blocks[name].shape[0] for name in fused) + block for fused in names]
        num_weights = [count * joined[0].in_features for count, joined in zip(num_weights, linears, strict=True)]
        for fused, left in zip(names, np.cumsum(num_weights[::-1])[::-1], strict=True):
            matrices = [self._blocks[name] for name in fused]
            records, zero = joined_records(matrices)
            array, start = arrays.get(records.dtype) or (empty_records(records.dtype, int(left)), 0)
            array[start : start + records.size] = records.ravel()
            arrays[records.dtype] = array, start + records.size
            index, outputs = list(arrays).index(records.dtype), records.shape[0] * lanes
            rows = self._kernels.ROWS if records.dtype.names else self._kernels.GROUP
            sizes.append((start, matrices[0].shape[1], outputs, zero, index, AHEAD, rows))
            for each in matrices:
                each.forget()
        return tuple(array[:end] for array, end in arrays.values()), np.array(sizes)


class BlockProduct:
    """A linear map of rows by one matrix in blocks, without a bias.

    Args:
        weights, position: as `BlockPass` has them: arrays of records, and where the matrix is in them; see `compiled`.
    """

    def __init__(self, weights: tuple[np.ndarray, ...], position: np.ndarray) -> None:
        self.matrix, self._kernels = (weights, position), compiled_kernel().module
        self.reads = {"weights": int(position[1] * position[2]), "bytes": sum(each.nbytes for each in weights)}

    @classmethod
    def with_matrix(cls, matrix: BlockMatrix, *, rounded: bool) -> BlockProduct:
        """Return the product with a matrix of its own; `rounded`: with rows of 8 bits."""
        records, zero = joined_records([matrix])
        outputs = len(records) * compiled_kernel().lanes
        position = np.array((0, matrix.shape[1], outputs, zero, 0, AHEAD, compiled_kernel().module.ROWS))
        records = records.ravel()
        return cls((for_rounded_rows(records) if rounded else records,), position)

    def of(self, rows: torch.Tensor) -> torch.Tensor:
        """(n, inputs) to (n, outputs), which are filled up to a whole number of vectors"""
        output = torch.empty(len(rows), int(self.matrix[1][2]), dtype=torch.float32, device="cpu")
        self._kernels.multiply_all(*self.matrix, rows.numpy(), output.numpy())
        return output


def _names(num_layers: int) -> list[list[str]]:
    """Return the modules of each fused matrix, in the order in which a pass reads them."""
    fused = [["q_proj", "k_proj", "v_proj"], ["o_proj"]], [["gate_proj", "up_proj"], ["down_proj"]]
    return [
        [f"model.layers.{layer}.{part}.{name}" for name in names]
        for layer in range(num_layers)
        for part, matrices in zip(("self_attn", "mlp"), fused, strict=True)
        for names in matrices
    ]
