"""The product of rows and a matrix of float32, float16 or bfloat16 weights, compiled; see `compiled`.

A bfloat16 is the upper half of a float32, and is widened by moving its bits up.
"""

from collections.abc import Iterator
from typing import Any

from numba import types

from playground.models.passes.meeting import share
from playground.models.passes.vectors import (
    BLOCK,
    FIRST,
    FLOATS,
    GROUP,
    HALVES,
    INT,
    INTS,
    LANES,
    LONG,
    NONE,
    UPPERS,
    VECTORS,
    Builder,
    Value,
    jit,
    load_vector,
    on_rows,
    power_of,
    prefetch,
    row_starts,
    spread,
    store_vector,
    write_sums,
)


def _weights(builder: Builder, pointer: Value, kind: Any, which: int) -> list[Value]:
    """Return the weights of a block's outputs for the first or the second input of a step, widened."""
    starts = [LANES * (2 * vector + which) for vector in range(VECTORS)]
    if kind == types.float32:
        return [load_vector(builder, pointer, start) for start in starts]
    if kind == types.int16:
        return [builder.fpext(load_vector(builder, pointer, start, HALVES), FLOATS) for start in starts]
    uppers = [builder.zext(load_vector(builder, pointer, start, UPPERS), INTS) for start in starts]
    return [builder.bitcast(builder.shl(upper, INTS([16] * LANES)), FLOATS) for upper in uppers]


@on_rows(GROUP)
def _multiply_block(builder: Builder, kind: Any, pointers: list[Value], widths: list[Value], rows: int) -> None:
    """Multiply a block of a matrix by rows."""
    (weights, given, output), (power, inputs, outputs, ahead) = pointers, widths
    bytes_of_step = 2 * BLOCK * (4 if kind == types.float32 else 2)
    factor = power_of(builder, builder.trunc(power, INT))
    factor = builder.shuffle_vector(builder.insert_element(NONE, factor, INT(0)), NONE, FIRST)
    heads, ends = row_starts(builder, given, inputs, rows), row_starts(builder, output, outputs, rows)

    def terms(index: Value) -> Iterator[tuple[list[Value], list[Value]]]:
        start = builder.gep(weights, [builder.mul(index, LONG(BLOCK))])
        prefetch(builder, start, ahead, bytes_of_step)
        for i in (0, 1):
            address = builder.add(index, LONG(i))
            yield _weights(builder, start, kind, i), [spread(builder, head, address) for head in heads]

    for end, row in zip(ends, write_sums(builder, inputs, 2, (rows, VECTORS), terms), strict=True):
        for vector, total in enumerate(row):
            store_vector(builder, builder.fmul(total, factor), end, LANES * vector)


@jit()
def multiply(weights, matrix, given, output, index, number):
    """Write a share of the product of `given` (n, inputs) and a matrix to `output` (n, outputs).

    Args:
        weights: of all matrices.
        matrix: where it starts, inputs, outputs, its power of two, and how it is read; see `compiled.product`.
    """
    start, inputs, outputs, power, _, ahead, most = matrix
    share_first, share_end = share(outputs, BLOCK, index, number)
    count, given, output = len(given), given.ravel(), output.ravel()
    groups = (count + most - 1) // most
    for block in range(share_first, share_end, BLOCK):
        for group in range(groups):
            row, end = group * count // groups, (group + 1) * count // groups
            first, address = start + block * inputs, row * outputs + block
            _multiply_block(
                weights, first, power, given, row * inputs, inputs, output, address, outputs, end - row, ahead
            )
    return share_first, share_end
