"""The product of rows and a matrix in a GGUF file's blocks, compiled: a record for a group of inputs and some outputs.

A code times a number is added within a group; the group's scale and least weight are taken out of that sum. The numbers
are float32 (`widen_rows`), or, as llama.cpp has them, rounded to 8 bits for each group (`round_rows`), and then their
products are whole numbers, which no order of adding changes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from playground.models.passes.vectors import (
    AVX2,
    BYTE,
    FLOAT,
    FLOATS,
    HALVES,
    INT,
    INTS,
    LANES,
    LONG,
    SUMS,
    VNNI,
    Builder,
    Value,
    gather_lanes,
    in_all_lanes,
    jit,
    llvm_function,
    load_vector,
    on_rows,
    power_of_two,
    prefetch,
    row_starts,
    spread,
    store_vector,
    widened,
    write_loop,
)

# Rows whose sums the registers hold. One vector of outputs at a time, so that a matrix is read in the order in which it
# lies: with four, whose codes lay apart, one row took twice as long, and asking the memory ahead did not mend that
ROWS = min(8, SUMS)


def _floats_of(builder: Builder, record: Value, field: Any) -> Value:
    """Return a record's scales or least weights, widened where they are halves."""
    kind = HALVES if field.type.dtype == types.int16 else FLOATS
    start = builder.bitcast(builder.gep(record, [LONG(field.offset)]), kind.element.as_pointer())
    loaded = load_vector(builder, start, 0, kind)
    return builder.fpext(loaded, FLOATS) if kind is HALVES else loaded


class Layout(NamedTuple):
    """Layout of a record, which the kernels read from its type."""

    scales: Any  # the field of the record, as are the next two
    lows: Any  # or None
    codes: Any
    group: int  # inputs with one scale
    nibbles: bool  # whether a code has 4 bits in place of 8
    rounded: bool  # whether the rows have 8 bits

    @classmethod
    def of(cls, kind: Any) -> Layout:
        """Read the layout from numba's type of a record."""
        name = next(name for name in kind.fields if name.startswith("codes"))
        _, rows, bits, group = name.split("_")
        scales, lows = kind.fields["scales"], kind.fields.get("lows")
        return cls(scales, lows, kind.fields[name], int(group), bits == "4", rows == "rounded")

    @property
    def steps(self) -> int:
        """Vectors of codes."""
        return self.group // (8 if self.nibbles else 4)

    @property
    def width(self) -> int:
        """Numbers of a prepared row for a group: its inputs, where a sum starts, their unit, and their own sum."""
        return 3 + (self.group // 4 if self.rounded else self.group)


@on_rows(ROWS)
def _multiply_records(builder: Builder, kind: Any, pointers: list[Value], widths: list[Value], rows: int) -> None:
    """Multiply a vector of outputs, a record for each group of inputs, with prepared rows."""
    (records, given, output), (groups, width, outputs, ahead) = pointers, widths
    layout, heads = Layout.of(kind), row_starts(builder, given, width, rows)
    fma = llvm_function(builder, f"llvm.fma.v{LANES}f32", FLOATS, FLOATS, FLOATS, FLOATS)

    def group(index: Value, totals: list[Value]) -> list[Value]:
        record = builder.bitcast(builder.gep(records, [index]), BYTE.as_pointer())
        prefetch(builder, record, ahead, kind.size)
        numbers = [builder.gep(head, [builder.mul(index, LONG(layout.width))]) for head in heads]
        sums = _sums_of_codes(builder, layout, record, numbers)
        if layout.rounded:
            units = [_spread_as(builder, number, layout.width - 2, FLOAT) for number in numbers]
            sums = [builder.fmul(builder.sitofp(total, FLOATS), unit) for total, unit in zip(sums, units, strict=True)]
        scale = _floats_of(builder, record, layout.scales)
        totals = [builder.call(fma, [scale, *each]) for each in zip(sums, totals, strict=True)]
        if layout.lows is None:
            return totals
        low = _floats_of(builder, record, layout.lows)
        wholes = [_spread_as(builder, number, layout.width - 1, FLOAT) for number in numbers]
        return [builder.call(fma, [low, *each]) for each in zip(wholes, totals, strict=True)]

    totals = write_loop(builder, groups, 1, [FLOATS([0.0] * LANES)] * rows, group)
    for total, end in zip(totals, row_starts(builder, output, outputs, rows), strict=True):
        store_vector(builder, total, end, 0)


def _sums_of_codes(builder: Builder, layout: Layout, record: Value, numbers: list[Value]) -> list[Value]:
    """Return each row's sums of code times number over a group."""
    codes = builder.bitcast(builder.gep(record, [LONG(layout.codes.offset)]), INT.as_pointer())
    kind, add = (INT, _add_rounded) if layout.rounded else (FLOAT, _add_widened)

    def step(at: Value, sums: list[Value]) -> list[Value]:
        read = load_vector(builder, builder.gep(codes, [builder.mul(at, LONG(LANES))]), 0, INTS)
        return add(builder, layout.nibbles, read, numbers, at, sums)

    starts = [_spread_as(builder, each, layout.width - 3, kind) for each in numbers]
    return write_loop(builder, LONG(layout.steps), 1, starts, step)


def _spread_as(builder: Builder, pointer: Value, index: int, kind: ir.Type) -> Value:
    """Spread a number of a prepared row over all lanes, read as this type."""
    return spread(builder, builder.bitcast(builder.gep(pointer, [LONG(index)]), kind.as_pointer()), LONG(0))


def _add_widened(
    builder: Builder, nibbles: bool, read: Value, numbers: list[Value], at: Value, sums: list[Value]
) -> list[Value]:
    """Add codes times float32 numbers; a code is read in its position, times a power of two that its number lacks."""
    fma = llvm_function(builder, f"llvm.fma.v{LANES}f32", FLOATS, FLOATS, FLOATS, FLOATS)
    bits = 4 if nibbles else 8
    count = 32 // bits
    for position in range(count):
        if position == count - 1:
            code = builder.lshr(read, INTS([32 - bits] * LANES))
        else:
            code = builder.and_(read, INTS([((1 << bits) - 1) << (bits * position)] * LANES))
        weight, number = builder.sitofp(code, FLOATS), position // 2 + 4 * (position % 2) if nibbles else position
        index = builder.add(builder.mul(at, LONG(count)), LONG(number))
        values = [spread(builder, each, index) for each in numbers]
        sums = [builder.call(fma, [weight, *each]) for each in zip(values, sums, strict=True)]
    return sums


def _add_rounded(
    builder: Builder, nibbles: bool, read: Value, numbers: list[Value], at: Value, sums: list[Value]
) -> list[Value]:
    """Add codes times numbers of 8 bits, four inputs at a time."""
    parts = [_halves_of(builder, read, shift) for shift in (0, 4)] if nibbles else [read]
    for part, codes in enumerate(parts):
        index = builder.add(builder.mul(at, LONG(len(parts))), LONG(part))
        values = [spread(builder, each, index) for each in numbers]
        sums = [_add_dot(builder, codes, *each, narrow=nibbles) for each in zip(values, sums, strict=True)]
    return sums


def _halves_of(builder: Builder, codes: Value, shift: int) -> Value:
    """Return four bits of each byte, from this bit on."""
    moved = builder.lshr(codes, INTS([shift] * LANES)) if shift else codes
    return builder.and_(moved, INTS([0x0F0F0F0F] * LANES))


def _add_dot(builder: Builder, codes: Value, numbers: Value, total: Value, *, narrow: bool) -> Value:
    """Add in every lane four unsigned bytes times four signed ones; `narrow` codes are below 16."""
    if VNNI:
        dot = llvm_function(builder, "llvm.x86.avx512.vpdpbusd.512", INTS, INTS, INTS, INTS)
        return builder.call(dot, [total, codes, numbers])
    if AVX2:  # two products add up in 16 bits where the codes have four
        parts = [(codes, 1)] if narrow else [(_halves_of(builder, codes, 0), 1), (_halves_of(builder, codes, 4), 16)]
        halves = [list(range(start, start + LANES // 2)) for start in (0, LANES // 2)]
        first, second = (_dot_avx2(builder, parts, numbers, half) for half in halves)
        return builder.add(total, builder.shuffle_vector(first, second, INTS(list(range(LANES)))))
    for byte in range(4):
        shift, top = INTS([8 * byte] * LANES), INTS([24] * LANES)
        code = builder.and_(builder.lshr(codes, shift), INTS([255] * LANES))
        number = builder.ashr(builder.shl(numbers, INTS([24 - 8 * byte] * LANES)), top)
        total = builder.add(total, builder.mul(code, number))
    return total


def _dot_avx2(builder: Builder, parts: list[tuple[Value, int]], numbers: Value, lanes: list[int]) -> Value:
    """Return the sums of products of bytes in these eight lanes, each part of the codes times its weight."""
    eight, bytes_, pairs = (ir.VectorType(ir.IntType(bits), 256 // bits) for bits in (32, 8, 16))
    by_pairs = llvm_function(builder, "llvm.x86.avx2.pmadd.ub.sw", pairs, bytes_, bytes_)
    by_lanes = llvm_function(builder, "llvm.x86.avx2.pmadd.wd", eight, pairs, pairs)
    index, none, total = ir.VectorType(INT, 8)(lanes), INTS(ir.Undefined), eight([0] * 8)
    chosen = builder.bitcast(builder.shuffle_vector(numbers, none, index), bytes_)
    for codes, weight in parts:
        own = builder.bitcast(builder.shuffle_vector(codes, none, index), bytes_)
        added = builder.call(by_pairs, [own, chosen])
        total = builder.add(total, builder.call(by_lanes, [added, pairs([weight] * 16)]))
    return total


@jit()
def widen_rows(given, zero, group, nibbles, output):
    """Write rows for `_multiply_records`: numbers times the powers of two that their codes lack, and the group's sum.

    Args:
        given: (n, inputs)
        zero: code of 0, or of the least weight.
        group: inputs with one scale.
        nibbles: whether a code has four bits.
        output: (n, groups, group + 3) float32
    """
    for row in range(len(given)):
        for index in range(output.shape[1]):
            numbers, written, sums = (
                given[row, index * group : (index + 1) * group],
                output[row, index],
                np.zeros(8, np.float32),
            )
            for i in range(group):
                sums[i % 8] += numbers[i]
                first_bit = 4 * (2 * (i % 4) + i % 8 // 4) if nibbles else 8 * (i % 4)
                first_bit = 0 if first_bit == (28 if nibbles else 24) else first_bit  # it is moved down
                written[i] = numbers[i] * power_of_two(np.int32(-first_bit))
            total = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]))
            written[group], written[group + 1], written[group + 2] = -np.float32(zero) * total, 1, total


@jit()
def round_rows(given, zero, group, output):
    """Write rows for `_multiply_records`, rounded to 8 bits by group, four numbers in one of `output`.

    Args:
        given, zero, group: see `widen_rows`.
        output: (n, groups, group // 4 + 3) int32
    """
    numbers, written, groups, width = given.ravel(), output.ravel(), output.shape[1], output.shape[2]
    for row in range(len(given)):
        for index in range(groups):
            start = row * given.shape[1] + index * group
            _round_group(numbers, start, group, written, (row * groups + index) * width, -np.int32(zero))


@intrinsic
def _round_group(_: Any, given: Any, start: Any, group: Any, output: Any, at: Any, minus_zero: Any):
    """Write a group's codes, where a sum of products starts, their unit, and the sum of what they stand for."""

    def generate(context: Any, builder: Builder, signature: Any, arguments: Any):
        first, _, size, written, _, minus_zero = arguments
        first, written = (
            builder.gep(context.make_array(signature.args[each])(context, builder, arguments[each]).data, [where])
            for each, where in ((0, arguments[1]), (3, arguments[4]))
        )
        most = llvm_function(builder, f"llvm.maxnum.v{LANES}f32", FLOATS, FLOATS, FLOATS)
        whole = llvm_function(builder, f"llvm.rint.v{LANES}f32", FLOATS, FLOATS)
        size_of = llvm_function(builder, f"llvm.fabs.v{LANES}f32", FLOATS, FLOATS)

        def larger(index: Value, so_far: list[Value]) -> list[Value]:
            return [builder.call(most, [so_far[0], builder.call(size_of, [read(index)])])]

        def read(index: Value) -> Value:
            return load_vector(builder, builder.gep(first, [index]), 0)

        def maximum(*pair: Value) -> Value:
            kind = pair[0].type
            return builder.call(llvm_function(builder, f"llvm.maxnum.v{kind.count}f32", kind, kind, kind), pair)

        def scalar(vector: Value) -> Value:
            return builder.extract_element(vector, INT(0))

        [largest] = write_loop(builder, size, LANES, [FLOATS([0.0] * LANES)], larger)
        unit = builder.fdiv(scalar(gather_lanes(builder, [largest], maximum)), FLOAT(127))
        is_some = builder.fcmp_ordered(">", unit, FLOAT(0))
        factor = builder.select(is_some, builder.fdiv(FLOAT(1), unit), FLOAT(0))
        factors = in_all_lanes(builder, factor)
        bytes_ = builder.bitcast(written, BYTE.as_pointer())

        def write(index: Value, so_far: list[Value]) -> list[Value]:
            codes = builder.fptosi(builder.call(whole, [builder.fmul(read(index), factors)]), INTS)
            narrow = builder.trunc(codes, ir.VectorType(BYTE, LANES))
            builder.store(narrow, builder.bitcast(builder.gep(bytes_, [index]), narrow.type.as_pointer())).align = 4
            return [builder.add(so_far[0], codes)]

        [totals] = write_loop(builder, size, LANES, [INTS([0] * LANES)], write)
        total = scalar(gather_lanes(builder, [totals], builder.add))
        end = builder.gep(written, [builder.sdiv(size, LONG(4))])
        sums = builder.fmul(unit, builder.sitofp(total, FLOAT))
        for number, value in enumerate([builder.mul(minus_zero, total), unit, sums]):
            builder.store(value, builder.bitcast(builder.gep(end, [LONG(number)]), value.type.as_pointer()))
        return context.get_dummy_value()

    index = types.int64
    return types.void(given, index, index, output, index, types.int32), generate


@jit()
def multiply_rows(weights, start, groups, given, output, ahead, most, first_output, end_output):
    """Write these outputs of the product of prepared rows and a matrix of records.

    Args:
        weights, start: records, and the first of the matrix.
        groups: records of a vector of outputs.
        given, output: (n, groups, numbers) and (n, outputs)
        ahead: bytes between what is multiplied and what is asked of the memory.
        most: rows that go through a vector of outputs together.
        first_output, end_output: whole vectors.
    """
    count, outputs, width = len(output), output.shape[1], given.shape[1] * given.shape[2]
    given, output = given.ravel(), output.ravel()
    parts = (count + most - 1) // most
    for block in range(first_output, end_output, LANES):
        for part in range(parts):
            row, end = part * count // parts, (part + 1) * count // parts
            first, address = start + block // LANES * groups, row * outputs + block
            _multiply_records(
                weights, first, groups, given, row * width, width, output, address, outputs, end - row, ahead
            )


@jit()
def lay_out(saved, halves, nibbles, records):
    """Write a file's blocks of 32 codes into records.

    Args:
        saved: (outputs, bytes) uint8: scale, least weight perhaps, and codes, block after block.
        halves: 2 with least weights, else 1.
        nibbles: whether a code has four bits; the first 16 are in the lower ones.
        records: (outputs / LANES, groups, bytes) uint8
    """
    start, size = 2 * halves, 2 * halves + (16 if nibbles else 32)
    codes = LANES * start
    for vector in range(records.shape[0]):
        for group in range(records.shape[1]):
            record = records[vector, group]
            for lane in range(LANES):
                block = saved[vector * LANES + lane, group * size : (group + 1) * size]
                for i in range(start):
                    record[i // 2 * 2 * LANES + 2 * lane + i % 2] = block[i]
                for i in range(4):
                    at = codes + 4 * lane + i
                    if nibbles:
                        a, b, c, d = block[start + i], block[start + 4 + i], block[start + 8 + i], block[start + 12 + i]
                        record[at] = a & 15 | (b & 15) << 4
                        record[at + 4 * LANES] = c & 15 | (d & 15) << 4
                        record[at + 8 * LANES] = a >> 4 | b & 240
                        record[at + 12 * LANES] = c >> 4 | d & 240
                    else:
                        for step in range(8):
                            record[at + 4 * LANES * step] = block[start + 4 * step + i] ^ 128


@jit()
def widen_tokens(records, layout, tokens, output):
    """Write some rows of a matrix of records as numbers: the embeddings of tokens.

    Args:
        records: (vectors of outputs, groups of inputs, bytes) uint8
        layout: inputs of a group, bytes of a scale, whether there are least weights and whether a code has four bits,
            and the code of 0.
        tokens: (n,) the rows.
        output: (n, inputs)
    """
    group, size, has_lows, nibbles, zero = layout
    codes, count = LANES * size * (1 + has_lows), 8 if nibbles else 4
    for row in range(len(tokens)):
        vector, lane = tokens[row] // LANES, tokens[row] % LANES
        for at in range(records.shape[1]):
            record, low = records[vector, at], np.float32(0)
            if size == 2:
                halves = record[:codes].view(np.int16)
                scale = widened(halves[lane])
                low = widened(halves[LANES + lane]) if has_lows else low
            else:
                floats = record[:codes].view(np.float32)
                scale = floats[lane]
                low = floats[LANES + lane] if has_lows else low
            for i in range(group):
                step, inside = i // count, i % count
                code = record[codes + 4 * LANES * step + 4 * lane + inside % 4]
                if nibbles:
                    code = code >> 4 if inside >= 4 else code & 15
                output[row, at * group + i] = scale * (np.float32(code) - np.float32(zero)) + low
