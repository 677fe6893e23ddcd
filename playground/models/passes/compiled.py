"""The layers of a Llama-shaped model, compiled for this processor by numba: a pass reads each weight once, in order.

A matrix lies in blocks of outputs, a block in steps of two inputs. As many rows as the registers hold sums of go
through a block together; more go in groups, while the block is in the processor's cache. An output is one sum, input
after input, and so is what attention mixes, slot after slot: a row comes out the same whatever is beside it, to the
last bit.

Weights are float32, or float16 times a power of two, widened in registers; numba has no float16 on a processor, so
their type is int16.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic, overload, register_jitable

LANES = 16  # numbers in a vector; where the processor's are shorter, several of them
IN_ORDER = {"contract", "nnan", "ninf", "nsz"}  # what a compiler may assume where a sum is not to be reordered
LINE, AHEAD = 64, 8192  # bytes: of a cache's line; between what is multiplied and what is asked of the memory
FEATURES = llvm.get_host_cpu_features()
FUSES = platform.machine() in ("arm64", "aarch64") or bool(FEATURES.get("fma") and FEATURES.get("f16c"))
SUMS = 24 if FEATURES.get("avx512f") else 6  # vectors of sums that leave registers for the rest
# Vectors of outputs in a block. Where the sums of several rows leave no room for all of them, the rows walk through the
# block once for each part, and skip memory: with 6 sums and 4 vectors, 5 rows took 1.3 to 1.8 times as long
VECTORS = 4 if SUMS > 6 else 1
BLOCK = LANES * VECTORS  # outputs
GROUP = min(8, SUMS)  # rows whose sums the registers hold
FEWER = SUMS // VECTORS  # rows whose sums over a group fit; those over all groups wait in memory meanwhile
INT, LONG, FLOAT = ir.IntType(32), ir.IntType(64), ir.FloatType()
BYTE = ir.IntType(8)
INTS, FLOATS, HALVES = (ir.VectorType(scalar, LANES) for scalar in (INT, FLOAT, ir.HalfType()))
NONE, FIRST = FLOATS(ir.Undefined), INTS([0] * LANES)
Value: TypeAlias = Any  # llvmlite has no types to import
Builder: TypeAlias = Any
Terms = Callable[[Value], Iterator[tuple[list[Value], list[Value]]]]
Body = Callable[[Value, list[Value]], list[Value]]


def _jit(fastmath: Any = False) -> Callable[[Any], Any]:
    """Compiled when first called, and kept on the disk where a folder of the code or of the user can be written."""

    def compiling(function: Any) -> Any:
        options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": fastmath}
        try:
            return njit(cache=True, **options)(function)
        except RuntimeError:  # numba finds no such folder
            return njit(**options)(function)

    return compiling


def _vector(builder: Builder, pointer: Value, index: int, of: ir.Type = FLOATS) -> Value:
    loaded = builder.load(builder.bitcast(builder.gep(pointer, [LONG(index)]), of.as_pointer()))
    loaded.align = 2 if of is HALVES else 4
    return loaded


def _store(builder: Builder, value: Value, pointer: Value, index: int) -> None:
    builder.store(value, builder.bitcast(builder.gep(pointer, [LONG(index)]), FLOATS.as_pointer())).align = 4


def _spread(builder: Builder, pointer: Value, index: Value) -> Value:
    """Return one number in all lanes."""
    number = builder.load(builder.gep(pointer, [index]))
    none = ir.VectorType(number.type, LANES)(ir.Undefined)
    return builder.shuffle_vector(builder.insert_element(none, number, INT(0)), none, FIRST)


def _fetch(builder: Builder, pointer: Value, offset: int) -> None:
    """Ask the memory for what lies so many bytes behind a pointer; there may be nothing."""
    byte = ir.IntType(8).as_pointer()
    fetch = _function(builder, "llvm.prefetch.p0", ir.VoidType(), byte, INT, INT, INT)
    address = builder.gep(builder.bitcast(pointer, byte), [LONG(offset)])
    builder.call(fetch, [address, INT(0), INT(3), INT(1)])  # to read, into the nearest cache, as data


def _power(builder: Builder, exponent: Value) -> Value:
    """2.0 to a whole number from -126 to 127."""
    return builder.bitcast(builder.shl(builder.add(exponent, INT(127)), INT(23)), FLOAT)


def _weights(builder: Builder, pointer: Value, kind: Any, vector: int) -> list[Value]:
    """Return the weights of one vector of outputs for two inputs, widened."""
    starts = [2 * LANES * vector + LANES * i for i in (0, 1)]
    if kind == types.float32:
        return [_vector(builder, pointer, start) for start in starts]
    return [builder.fpext(_vector(builder, pointer, start, HALVES), FLOATS) for start in starts]


def _function(builder: Builder, name: str, kind: Any, *kinds: Any) -> Value:
    """Return an intrinsic function of LLVM by its name and types."""
    return builder.module.globals.get(name) or ir.Function(builder.module, ir.FunctionType(kind, kinds), name)


def _loop(builder: Builder, end: Value, step: int, starts: list[Value], body: Body) -> list[Value]:
    """Write a loop over 0, step, ... below `end`, once at least, and return its last values.

    Args:
        builder: writes the loop, and continues after it.
        end, step: of the loop's index.
        starts: values before the loop.
        body: returns the new values, of the index and the values so far.
    """
    before, inside, after = builder.block, builder.append_basic_block(), builder.append_basic_block()
    builder.branch(inside)
    builder.position_at_end(inside)
    index, values = builder.phi(LONG), [builder.phi(start.type) for start in starts]
    results = body(index, values)
    following = builder.add(index, LONG(step))
    for phi, start, new in zip([index, *values], [LONG(0), *starts], [following, *results], strict=True):
        phi.add_incoming(start, before)
        phi.add_incoming(new, builder.block)
    builder.cbranch(builder.icmp_signed("<", following, end), inside, after)
    builder.position_at_end(after)
    return results


def _sums(builder: Builder, end: Value, step: int, shape: tuple[int, int], terms: Terms) -> list[list[Value]]:
    """Write a loop over 0, step, ... to `end` and return rows x vectors of sums of weight times number.

    Args:
        builder, end, step: see `_loop`.
        shape: rows and vectors.
        terms: of the index, the weights by vector and the numbers by row, once for each term.
    """
    rows, vectors = shape
    fma = _function(builder, f"llvm.fma.v{LANES}f32", FLOATS, FLOATS, FLOATS, FLOATS)

    def body(index: Value, sums: list[Value]) -> list[Value]:
        for weights, numbers in terms(index):
            pairs = [(weight, number) for number in numbers for weight in weights]
            sums = [builder.call(fma, [*pair, old]) for pair, old in zip(pairs, sums, strict=True)]
        return sums

    sums = _loop(builder, end, step, [FLOATS([0.0] * LANES)] * (rows * vectors), body)
    return [sums[row * vectors : (row + 1) * vectors] for row in range(rows)]


def _on_rows(write: Callable[[Builder, Any, list[Value], list[Value], int], None]) -> Any:
    """Make an intrinsic on 1 to GROUP rows: weights at an index, input rows and output rows, each with a number.

    Args:
        write: writes what is done with so many rows; takes the builder, the weights' type, pointers to the three, and
            their numbers: the width of a row, or of weights their power of two.
    """

    @intrinsic
    def on_rows(_: Any, w: Any, w_at: Any, w_width: Any, x: Any, x_at: Any, x_width: Any, y: Any, y_at: Any, y_width: Any, n: Any):  # fmt: skip  # noqa: E501
        def generate(context: Any, builder: Builder, signature: Any, arguments: Any):
            pointers = []
            for each in (0, 3, 6):
                array = context.make_array(signature.args[each])(context, builder, arguments[each])
                pointers.append(builder.gep(array.data, [arguments[each + 1]]))
            end = builder.append_basic_block()
            choice = builder.switch(arguments[9], end)
            for rows in range(1, GROUP + 1):
                case = builder.append_basic_block()
                choice.add_case(LONG(rows), case)
                builder.position_at_end(case)
                write(builder, w.dtype, pointers, [arguments[each] for each in (2, 5, 8)], rows)
                builder.branch(end)
            builder.position_at_end(end)
            return context.get_dummy_value()

        index = types.int64
        return types.void(w, index, index, x, index, index, y, index, index, index), generate

    return on_rows


def _starts(builder: Builder, pointer: Value, width: Value, rows: int) -> list[Value]:
    return [builder.gep(pointer, [builder.mul(width, LONG(row))]) for row in range(rows)]


def _most(rows: int, besides: int = 0) -> int:
    """Vectors of outputs that the sums of so many rows leave registers for."""
    return next(width for width in (VECTORS, 2, 1) if rows * (width + besides) <= SUMS or width == 1)


@_on_rows
def _multiply_block(builder: Builder, kind: Any, pointers: list[Value], widths: list[Value], rows: int) -> None:
    """Multiply a block of a matrix by rows."""
    (weights, given, output), (power, inputs, outputs), vectors = pointers, widths, _most(rows)
    size = 4 if kind == types.float32 else 2
    factor = _power(builder, builder.trunc(power, INT))
    factor = builder.shuffle_vector(builder.insert_element(NONE, factor, INT(0)), NONE, FIRST)
    heads, ends = _starts(builder, given, inputs, rows), _starts(builder, output, outputs, rows)
    for part in range(0, VECTORS, vectors):

        def terms(index: Value, part: int = part) -> Iterator[tuple[list[Value], list[Value]]]:
            start = builder.gep(weights, [builder.mul(index, LONG(BLOCK))])
            read = [_weights(builder, start, kind, part + vector) for vector in range(vectors)]
            for line in range(0, 2 * LANES * vectors * size, LINE):  # else waiting and adding take turns
                _fetch(builder, start, AHEAD + 2 * LANES * part * size + line)
            for i in (0, 1):
                address = builder.add(index, LONG(i))
                yield [two[i] for two in read], [_spread(builder, head, address) for head in heads]

        for end, row in zip(ends, _sums(builder, inputs, 2, (rows, vectors), terms), strict=True):
            for vector, total in enumerate(row):
                _store(builder, builder.fmul(total, factor), end, LANES * (part + vector))


def _floats_of(builder: Builder, record: Value, field: Any) -> list[Value]:
    """Return a record's scales or least weights, widened where they are halves; none without such a field."""
    if field is None:
        return []
    kind = HALVES if field.type.dtype == types.int16 else FLOATS
    start = builder.bitcast(builder.gep(record, [LONG(field.offset)]), kind.element.as_pointer())
    loaded = [_vector(builder, start, LANES * vector, kind) for vector in range(VECTORS)]
    return [builder.fpext(each, FLOATS) for each in loaded] if kind is HALVES else loaded


class _Layout(NamedTuple):
    """Layout of a record, which the kernels read from its type.

    Attributes:
        scales, lows, codes: its fields; lows may be None.
        group: inputs.
        nibbles: whether a code has 4 bits in place of 8.
    """

    scales: Any
    lows: Any
    codes: Any
    group: int
    nibbles: bool

    @classmethod
    def of(cls, kind: Any) -> _Layout:
        """Read the layout from numba's type of a record."""
        name = next(name for name in kind.fields if name.startswith("codes"))
        _, bits, group = name.split("_")
        scales, lows = kind.fields["scales"], kind.fields.get("lows")
        return cls(scales, lows, kind.fields[name], int(group), bits == "4")

    @property
    def steps(self) -> int:
        """Vectors of codes for one vector of outputs."""
        return self.group // (8 if self.nibbles else 4)

    @property
    def width(self) -> int:
        """Numbers of a prepared row for a group: its inputs, where its sum starts, and its own sum."""
        return self.group + 2


@_on_rows
def _multiply_records(builder: Builder, kind: Any, pointers: list[Value], widths: list[Value], rows: int) -> None:
    """Multiply a block of outputs, a record for each group of inputs, with prepared rows."""
    if rows > FEWER:
        return
    (records, given, output), (groups, width, outputs) = pointers, widths
    layout, fma = _Layout.of(kind), _function(builder, f"llvm.fma.v{LANES}f32", FLOATS, FLOATS, FLOATS, FLOATS)
    heads = _starts(builder, given, width, rows)

    def group(index: Value, before: list[Value]) -> list[Value]:
        totals = list(before)
        record = builder.bitcast(builder.gep(records, [index]), BYTE.as_pointer())
        numbers = [builder.gep(head, [builder.mul(index, LONG(layout.width))]) for head in heads]
        codes = builder.bitcast(builder.gep(record, [LONG(layout.codes.offset)]), INT.as_pointer())

        def step(at: Value, sums: list[Value]) -> list[Value]:
            first = builder.mul(at, LONG(LANES))
            indices = [builder.add(first, LONG(LANES * layout.steps * vector)) for vector in range(VECTORS)]
            addresses = [builder.gep(codes, [index]) for index in indices]
            for address in addresses:
                _fetch(builder, address, AHEAD)
            return _add_widened(
                builder, layout.nibbles, [_vector(builder, each, 0, INTS) for each in addresses], numbers, at, sums
            )

        starts = [_spread(builder, each, LONG(layout.group)) for each in numbers]
        sums = _loop(builder, LONG(layout.steps), 1, [each for each in starts for _ in range(VECTORS)], step)
        scales, lows = (_floats_of(builder, record, field) for field in (layout.scales, layout.lows))
        for row, number in enumerate(numbers):
            own = slice(row * VECTORS, (row + 1) * VECTORS)
            totals[own] = [builder.call(fma, [*each]) for each in zip(scales, sums[own], totals[own], strict=True)]
            if lows:
                whole = _spread(builder, number, LONG(layout.group + 1))
                totals[own] = [builder.call(fma, [low, whole, old]) for low, old in zip(lows, totals[own], strict=True)]
        return totals

    totals = _loop(builder, groups, 1, [FLOATS([0.0] * LANES)] * (rows * VECTORS), group)
    for row, end in enumerate(_starts(builder, output, outputs, rows)):
        for vector in range(VECTORS):
            _store(builder, totals[row * VECTORS + vector], end, LANES * vector)


def _add_widened(
    builder: Builder, nibbles: bool, read: list[Value], numbers: list[Value], at: Value, sums: list[Value]
) -> list[Value]:
    """Add codes times float32 numbers; a code is read in its position, times a power of two that its number lacks."""
    fma = _function(builder, f"llvm.fma.v{LANES}f32", FLOATS, FLOATS, FLOATS, FLOATS)
    bits = 4 if nibbles else 8
    count = 32 // bits
    for position in range(count):
        if position == count - 1:
            codes = [builder.lshr(each, INTS([32 - bits] * LANES)) for each in read]
        else:
            codes = [builder.and_(each, INTS([((1 << bits) - 1) << (bits * position)] * LANES)) for each in read]
        weights = [builder.sitofp(each, FLOATS) for each in codes]
        number = position // 2 + 4 * (position % 2) if nibbles else position
        index = builder.add(builder.mul(at, LONG(count)), LONG(number))
        pairs = [(weight, value) for value in (_spread(builder, each, index) for each in numbers) for weight in weights]
        sums = [builder.call(fma, [*pair, old]) for pair, old in zip(pairs, sums, strict=True)]
    return sums


@_on_rows
def _score(builder: Builder, _: Any, pointers: list[Value], widths: list[Value], rows: int) -> None:
    """Multiply a key by queries, one number each."""
    (key, queries, scores), (size, apart, slots) = pointers, widths
    heads = _starts(builder, queries, apart, rows)

    def terms(index: Value) -> Iterator[tuple[list[Value], list[Value]]]:
        read = [_vector(builder, builder.gep(each, [index]), 0) for each in (key, *heads)]
        yield read[:1], read[1:]

    totals = _sums(builder, size, LANES, (rows, 1), terms)
    for end, [total] in zip(_starts(builder, scores, slots, rows), totals, strict=True):
        width = LANES
        while width > 1:
            width //= 2
            halves = [ir.VectorType(INT, width)([*range(i * width, (i + 1) * width)]) for i in (0, 1)]
            first, second = (builder.shuffle_vector(total, total.type(ir.Undefined), half) for half in halves)
            total = builder.fadd(first, second)
        builder.store(builder.extract_element(total, INT(0)), end)


def _mix(most: int) -> Any:
    @_on_rows
    def mix(builder: Builder, _: Any, pointers: list[Value], widths: list[Value], rows: int) -> None:
        """Values by their shares, over the sum of the shares: `most` vectors."""
        (values, shares, mixed), (size, slots, apart), vectors = pointers, widths, min(_most(rows, 1), most)
        heads, ends = _starts(builder, shares, slots, rows), _starts(builder, mixed, apart, rows)
        for part in range(0, most, vectors):

            def terms(index: Value, part: int = part) -> Iterator[tuple[list[Value], list[Value]]]:
                start = builder.gep(values, [builder.mul(index, size)])
                read = [_vector(builder, start, LANES * (part + vector)) for vector in range(vectors)]
                yield [*read, FLOATS([1.0] * LANES)], [_spread(builder, head, index) for head in heads]

            for end, [*row, whole] in zip(ends, _sums(builder, slots, 1, (rows, vectors + 1), terms), strict=True):
                for vector, total in enumerate(row):
                    _store(builder, builder.fdiv(total, whole), end, LANES * (part + vector))

    return mix


_mix_vector, _mix_block = _mix(1), _mix(VECTORS)


@intrinsic
def _power_of_two(_: Any, exponent: Any):
    """2.0 to a whole number from -126 to 127."""

    def generate(context: Any, builder: Builder, signature: Any, arguments: Any):
        return _power(builder, arguments[0])

    return types.float32(types.int32), generate


@_jit(IN_ORDER)
def _exp(x):
    """e to the x, in float32 to its last digit but one; 0 where x is below -86."""
    within = min(max(x, np.float32(-86)), np.float32(86))
    whole = np.floor(within * np.float32(1.4426950408889634) + np.float32(0.5))
    remainder = within - whole * np.float32(0.693359375) - whole * np.float32(-2.12194440e-4)
    series = np.float32(1.9875691500e-4)
    series = series * remainder + np.float32(1.3981999507e-3)
    series = series * remainder + np.float32(8.3334519073e-3)
    series = series * remainder + np.float32(4.1665795894e-2)
    series = series * remainder + np.float32(1.6666665459e-1)
    series = series * remainder + np.float32(5.0000001201e-1)
    power = (series * remainder * remainder + remainder + np.float32(1)) * _power_of_two(np.int32(whole))
    return power if x >= np.float32(-86) else np.float32(0)


@_jit(IN_ORDER)
def normalise(given, weight, eps, output):
    """RMSNorm of every row of `given`, (n, width), into `output`.

    The squares are added in an order that is written down: a compiler that may choose it chooses by what is compiled
    around, and two builds of the same code would differ in their last bits.
    """
    width = given.shape[1]
    whole, flat, total_of = width - width % LANES, given.ravel(), np.zeros(1, np.float32)
    for row in range(len(given)):
        if whole:
            _score(flat, row * width, whole, flat, row * width, 0, total_of, 0, 0, 1)
        total = total_of[0]
        for i in range(whole, width):
            total += given[row, i] * given[row, i]
        factor = np.float32(1) / np.sqrt(total / np.float32(width) + eps)
        for i in range(width):
            output[row, i] = given[row, i] * factor * weight[i]


@_jit()
def multiply_all(weights, matrix, given, output):
    """Write a product; see `product`."""
    product(weights, matrix, given, output)


@_jit()
def multiply(weights, matrix, given, output):
    """Write the product of `given` (n, inputs) and a matrix to `output` (n, outputs).

    Args:
        weights: of all matrices.
        matrix: where it starts, inputs, outputs, and its power of two.
        given: one row or more.
        output: as many.
    """
    start, inputs, outputs, power, _ = matrix
    count, given, output = len(given), given.ravel(), output.ravel()
    groups = (count + GROUP - 1) // GROUP
    for block in range(0, outputs, BLOCK):
        for group in range(groups):
            row, end = group * count // groups, (group + 1) * count // groups
            first, address = start + block * inputs, row * outputs + block
            _multiply_block(weights, first, power, given, row * inputs, inputs, output, address, outputs, end - row)


@_jit()
def _widen_rows(given, zero, group, nibbles, output):
    """Write rows for `_multiply_records`: numbers times the powers of two that their codes lack, and the group's sum.

    Args:
        given: (n, inputs)
        zero: code that stands for 0, or for the least weight.
        group: inputs with one scale.
        nibbles: whether a code has four bits.
        output: (n, groups, group + 2) float32
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
                written[i] = numbers[i] * _power_of_two(np.int32(-first_bit))
            total = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]))
            written[group], written[group + 1] = -np.float32(zero) * total, total


@_jit()
def _multiply_rows(weights, start, groups, given, output):
    """Write the product of prepared rows and a matrix of records."""
    count, outputs, width = len(output), output.shape[1], given.shape[1] * given.shape[2]
    given, output = given.ravel(), output.ravel()
    parts = (count + FEWER - 1) // FEWER
    for block in range(0, outputs, BLOCK):
        for part in range(parts):
            row, end = part * count // parts, (part + 1) * count // parts
            first, address = start + block // BLOCK * groups, row * outputs + block
            _multiply_records(weights, first, groups, given, row * width, width, output, address, outputs, end - row)


def product(weights, matrix, given, output):
    """Write the product of `given` (n, inputs) and a matrix to `output` (n, outputs); in compiled code alone.

    Args:
        weights: arrays of float32, of halves or of records.
        matrix: start, inputs, outputs, power of two or code of zero, and which array.
        given, output: rows.
    """
    raise NotImplementedError


@overload(product)
def _product(weights, matrix, given, output):
    kind = weights[0].dtype
    layout = _Layout.of(kind) if isinstance(kind, types.Record) else None

    if layout is None:

        def first(weights, matrix, given, output):
            multiply(weights[0], matrix, given, output)

    else:
        group, nibbles = layout.group, layout.nibbles

        def first(weights, matrix, given, output):
            start, inputs, zero = matrix[0], matrix[1], matrix[3]
            rows = np.empty((len(given), inputs // group, group + 2), np.float32)
            _widen_rows(given, zero, group, nibbles, rows)
            _multiply_rows(weights[0], start, inputs // group, rows, output)

    if len(weights) == 1:
        return first
    first = register_jitable(first)

    def choose(weights, matrix, given, output):
        if matrix[4] == 0:
            first(weights, matrix, given, output)
        else:
            following = matrix.copy()
            following[4] -= 1
            product(weights[1:], following, given, output)

    return choose


@_jit()  # of a sum of two products either could be fused
def _turn(fused, positions, turns, norms, eps, size):
    """Heads of queries and keys, normalised where the model does that, turned by their positions."""
    half, cosines, sines = size // 2, turns[0], turns[1]
    for row in range(len(fused)):
        position = positions[row]
        heads = fused[row, : turns.shape[2] * size].reshape(-1, size)
        for head in range(len(norms)):
            normalise(heads[head : head + 1], norms[head], eps, heads[head : head + 1])
        for head in range(turns.shape[2]):
            for i in range(half):
                a, b = heads[head, i], heads[head, half + i]
                heads[head, i] = a * cosines[position, head, i] + b * sines[position, head, i]
                heads[head, half + i] = b * cosines[position, head, half + i] + a * sines[position, head, half + i]


@_jit(IN_ORDER)
def _shares(scores, mask, scale):
    """Shares of the slots for every row, up to a factor, in place of its scores."""
    for row in range(len(scores)):
        most = np.float32(-3e38)
        for slot in range(scores.shape[1]):
            scores[row, slot] = scores[row, slot] * scale + mask[row, slot]
        for slot in range(scores.shape[1]):
            most = max(most, scores[row, slot])
        for slot in range(scores.shape[1]):
            scores[row, slot] = _exp(scores[row, slot] - most)


@_jit()
def _attend(fused, cached, mask, scale, heads, scores, mixed):
    """Attention of n nodes over the cached keys and values, (2 G, slots, D), as far as the mask reaches."""
    count, width, groups, size = len(fused), fused.shape[1], len(cached) // 2, cached.shape[2]
    slots, queries, flat, output = mask.shape[1], fused.ravel(), scores.ravel(), mixed.ravel()
    parts = (count + GROUP - 1) // GROUP
    for head in range(heads):
        keys, values = cached[head * groups // heads].ravel(), cached[groups + head * groups // heads].ravel()
        for part in range(parts):
            row = part * count // parts
            rows = (part + 1) * count // parts - row
            query = row * width + head * size
            for slot in range(slots):
                _score(keys, slot * size, size, queries, query, width, flat, row * slots + slot, slots, rows)
        _shares(scores, mask, scale)
        for part in range(parts):
            row = part * count // parts
            rows = (part + 1) * count // parts - row
            for at in range(0, size - size % BLOCK, BLOCK):
                address = row * heads * size + head * size + at
                _mix_block(values, at, size, flat, row * slots, slots, output, address, heads * size, rows)
            for at in range(size - size % BLOCK, size, LANES):
                address = row * heads * size + head * size + at
                _mix_vector(values, at, size, flat, row * slots, slots, output, address, heads * size, rows)


@_jit(IN_ORDER)
def _gate(both, output):
    """SiLU of the first half of every row, times the second."""
    inner = output.shape[1]
    for row in range(len(output)):
        for i in range(inner):
            output[row, i] = both[row, i] / (np.float32(1) + _exp(-both[row, i])) * both[row, inner + i]


@_jit()
def _add(given, output):
    for row in range(len(output)):
        for i in range(output.shape[1]):
            output[row, i] += given[row, i]


@_jit()
def run_layers(first, end, stream, model, filled, start, positions, mask):
    """Layers `first` to `end` on n nodes, whose keys and values are written behind the first `start` slots.

    Args:
        first, end: of the layers.
        stream: (n, width) what goes into the first, and becomes what comes out of the last.
        model: weights, matrices, norms, head norms, biases, turns, the number of heads, eps and scale.
        filled: (layers, 2 G, slots, D) keys and values.
        start: how many slots are filled.
        positions: (n,)
        mask: (n, start + n) to add to the scores.
    """
    weights, matrices, norms, head_norms, biases, turns, heads, eps, scale = model
    count, size, groups = len(stream), filled.shape[3], filled.shape[1] // 2
    hidden, mixed = np.empty_like(stream), np.empty((count, heads * size), np.float32)
    fused = np.empty((count, matrices[0, 0, 2]), np.float32)
    both, gated = np.empty((count, matrices[0, 2, 2]), np.float32), np.empty((count, matrices[0, 3, 1]), np.float32)
    output, scores = np.empty((count, matrices[0, 1, 2]), np.float32), np.empty(mask.shape, np.float32)
    for layer in range(first, end):
        for part in range(4):
            if part % 2 == 0:
                normalise(stream, norms[layer, part // 2], eps, hidden)
            given = hidden if part % 2 == 0 else mixed if part == 1 else gated
            result = fused if part == 0 else both if part == 2 else output
            product(weights, matrices[layer, part], given, result)
            if biases.size:
                for row in range(count):
                    result[row] += biases[layer, part, : result.shape[1]]
            if part == 0:
                _turn(fused, positions, turns, head_norms[layer], eps, size)
                for row in range(count):
                    for head in range(2 * groups):
                        filled[layer, head, start + row] = fused[row, (heads + head) * size : (heads + head + 1) * size]
                _attend(fused, filled[layer], mask, scale, heads, scores, mixed)
            elif part == 2:
                _gate(both, gated)
            else:
                _add(output, stream)
