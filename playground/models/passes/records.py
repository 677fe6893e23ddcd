"""Records of a matrix in blocks, in the order in which a compiled pass reads them: a group of inputs and some outputs.

A file's blocks of 4 and 8 bits are put there as they are; others by way of their codes, a matrix at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from playground.models.products import compiled_kernel
from playground.models.sources.gguf_blocks import PLAIN, BlockMatrix, FileMatrix, stacked

ALIGNED = 64  # bytes: a line of a processor's cache
GROUP = 32  # inputs of a file's block of 4 or 8 bits
LANES = 16  # outputs of a record; `vectors` has the same, and needs numba


def joined_records(matrices: Sequence[FileMatrix | BlockMatrix]) -> tuple[np.ndarray, int]:
    """Return records of several matrices with the same inputs, and the code of 0.

    Returns:
        (vectors of outputs, groups of inputs); the kernels read their layout from the type. And the code. Matrices of
            16 bits are no records: (vectors of outputs, numbers) of int16 for float16 or uint16 for bfloat16.
    """
    if all(isinstance(each, FileMatrix) and each.is_wide for each in matrices):
        return _halves(matrices), 0
    kinds = {each.kind.name if isinstance(each, FileMatrix) else "" for each in matrices}
    bits, has_lows = PLAIN.get(min(kinds), (0, False))
    if len(kinds) == 1 and bits in (4, 8) and not sum(each.shape[0] for each in matrices) % LANES:
        return _copied(matrices, bits, has_lows), 0 if has_lows else 1 << (bits - 1)
    matrix = stacked([each.blocks() for each in matrices])
    return _records(matrix), matrix.zero


def widened_rows(records: np.ndarray, zero: int, rows: Sequence[int]) -> np.ndarray:
    """Return some rows of a matrix as numbers. (n, inputs)

    Args:
        records: (vectors, groups)
        zero: the code of 0.
        rows: (n,) their numbers.
    """
    name = (records.dtype.names or ("",))[-1]
    group, size = group_of(records.dtype), records.dtype["scales"].itemsize // LANES
    layout = np.array([group, size, "lows" in (records.dtype.names or ()), "_4_" in name, zero])
    output = np.empty((len(rows), records.shape[1] * group), np.float32)
    in_bytes = records.view(np.uint8).reshape(*records.shape, -1)
    compiled_kernel().module.widen_tokens(in_bytes, layout, np.array(rows), output)
    return output


def group_of(kind: np.dtype) -> int:
    """Return the inputs with one scale in such a record; 0 of numbers that are no records."""
    return int(kind.names[-1].rpartition("_")[2]) if kind.names else 0


def empty_records(kind: np.dtype, num_weights: int) -> np.ndarray:
    """Return an array for records of this many weights at most; memory is taken as it is filled.

    It begins with a line of the processor's cache.
    """
    num_bytes = (num_weights // (LANES * group_of(kind) or 1) + 1) * kind.itemsize
    memory = np.empty(num_bytes + ALIGNED, np.uint8)
    return memory[-memory.ctypes.data % ALIGNED :][:num_bytes].view(kind)


def in_steps(weights: np.ndarray) -> np.ndarray:
    """Return a matrix (outputs, inputs) in blocks of outputs, each of steps of two inputs; see `compiled`.

    Returns:
        (vectors of outputs, numbers), filled up to a whole block of outputs.
    """
    block, (outputs, inputs) = compiled_kernel().module.BLOCK, weights.shape
    padded = np.zeros((-(-outputs // block) * block, inputs), weights.dtype)
    padded[:outputs] = weights
    steps = padded.reshape(-1, block // LANES, LANES, inputs // 2, 2).transpose(0, 3, 1, 4, 2)
    return np.ascontiguousarray(steps).reshape(len(padded) // LANES, -1)


def for_rounded_rows(records: np.ndarray) -> np.ndarray:
    """Return the same records with the name that makes the kernels choose products with rows of 8 bits."""
    if not records.dtype.names:
        return records
    fields: list[Any] = [(name.replace("widened", "rounded"), *kind) for name, *kind in records.dtype.descr]
    return records.view(np.dtype(fields))


def _copied(matrices: Sequence[Any], bits: int, has_lows: bool) -> np.ndarray:
    """Return records of a file's blocks of 4 or 8 bits, every byte of them put in its place."""
    saved = np.concatenate([each.saved() for each in matrices])
    kind = _dtype(np.int16, has_lows, bits, GROUP)
    records = np.empty((len(saved) // LANES, matrices[0].shape[1] // GROUP), kind)
    compiled_kernel().module.lay_out(saved, 1 + has_lows, bits == 4, records.view(np.uint8).reshape(*records.shape, -1))
    return records


def _halves(matrices: Sequence[Any]) -> np.ndarray:
    """Return matrices of 16 bits as the kernels read them; see `in_steps`."""
    saved = np.concatenate([each.saved() for each in matrices])
    return in_steps(saved.view(np.int16 if matrices[0].kind.name == "F16" else np.uint16))


def _dtype(scales: Any, has_lows: bool, bits: int, group: int) -> np.dtype:
    """Return the type of a record, whose last field's name says how its codes are read."""
    numbers = [(name, scales, (LANES,)) for name in ("scales", "lows")[: 1 + has_lows]]
    return np.dtype([*numbers, (f"codes_widened_{bits}_{group}", np.uint8, (LANES * group * bits // 8,))])


def _records(matrix: BlockMatrix) -> np.ndarray:
    lanes, group, bits = LANES, matrix.group, matrix.bits
    outputs, inputs = matrix.codes.shape
    vectors, groups, apart = -(-outputs // lanes), inputs // group, 8 if bits == 4 else 4
    kind = np.int16 if _are_halves(matrix) else np.float32
    dtype = _dtype(kind, matrix.lows is not None, bits, group)
    records, (*names, codes_name) = np.zeros((vectors, groups), dtype), dtype.names or ("",)
    for name in names:
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


def _are_halves(matrix: BlockMatrix) -> bool:
    """Return True if float16 holds the scales and the least weights."""
    numbers = [matrix.scales] if matrix.lows is None else [matrix.scales, matrix.lows]
    return all(np.array_equal(each.astype(np.float16).astype(np.float32), each) for each in numbers)
