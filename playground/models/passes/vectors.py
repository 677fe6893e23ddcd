"""Vectors of numbers in LLVM's own instructions, which numba has no words for: loads, loops of sums, several rows.

What is compiled is kept on the disk under the contents of all files of kernels: numba itself looks at the file of a
function alone, and would go on using it when what it calls, in another file, has changed.
"""

import hashlib
import platform
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import llvmlite.binding as llvm
from llvmlite import ir
from numba import config, njit, types
from numba.extending import intrinsic

LANES = 16  # numbers in a vector; where the processor's are shorter, several of them
IN_ORDER = {"contract", "nnan", "ninf", "nsz"}  # what a compiler may assume where a sum is not to be reordered
LINE = 64  # bytes of a cache's line
FEATURES = llvm.get_host_cpu_features()
FUSES = platform.machine() in ("arm64", "aarch64") or bool(FEATURES.get("fma") and FEATURES.get("f16c"))
# Vectors of sums that leave registers for the rest. With 24 in long ones, sums of 6 rows of halves went to memory and
# back where a step also asks for weights ahead: 512 x 512 took 20 us in place of 13
SUMS = 20 if FEATURES.get("avx512f") else 6
VECTORS = 4 if SUMS > 6 else 1  # of outputs in a block of weights
BLOCK = LANES * VECTORS  # outputs
GROUP = SUMS // VECTORS  # rows whose sums the registers hold, beside what a step reads
INT, LONG, FLOAT = ir.IntType(32), ir.IntType(64), ir.FloatType()
BYTE = ir.IntType(8)
VNNI, AVX2 = bool(FEATURES.get("avx512vnni")), bool(FEATURES.get("avx2"))
INTS, FLOATS, HALVES = (ir.VectorType(scalar, LANES) for scalar in (INT, FLOAT, ir.HalfType()))
UPPERS = ir.VectorType(ir.IntType(16), LANES)  # They are bfloat16: the upper halves of float32.
NONE, FIRST = FLOATS(ir.Undefined), INTS([0] * LANES)
Value: TypeAlias = Any  # llvmlite has no types to import
Builder: TypeAlias = Any
Record: Any = types.Record
Terms = Callable[[Value], Iterator[tuple[list[Value], list[Value]]]]
Body = Callable[[Value, list[Value]], list[Value]]


def _own_name(record: Any) -> tuple[str, tuple[()]]:
    """Return what a function that takes such records is called by.

    numba takes a number that counts types in a process, and keeps what it compiles under it: read in another process it
    ran the function of another layout (numba's issue 7654).
    """
    return f"Record{hashlib.sha256(record.name.encode()).hexdigest()[:12]}", ()


Record.mangling_args = property(_own_name)


def _cache_folder() -> str:
    """Return the folder of what is compiled, named by what the files of kernels say."""
    here, digest = Path(__file__).parent, hashlib.sha256()
    for file in ("vectors.py", "meeting.py", "dense_kernel.py", "block_kernel.py", "compiled.py"):
        digest.update((here / file).read_bytes())
    return str(Path(config.CACHE_DIR or here / "__pycache__") / f"compiled-{digest.hexdigest()[:12]}")


CACHE_FOLDER = _cache_folder()


def jit(fastmath: Any = False) -> Callable[[Any], Any]:
    """Compile a function when it is first called; keep it on the disk where the code's or the user's folder can be."""

    def compiling(function: Any) -> Any:
        options: dict[str, object] = {"nogil": True, "error_model": "numpy", "fastmath": fastmath}
        elsewhere, config.CACHE_DIR = config.CACHE_DIR, CACHE_FOLDER
        try:
            return njit(cache=True, **options)(function)
        except RuntimeError:  # numba finds no such folder
            return njit(**options)(function)
        finally:
            config.CACHE_DIR = elsewhere

    return compiling


def load_vector(builder: Builder, pointer: Value, index: int, of: ir.Type = FLOATS) -> Value:
    """Load a vector at an offset from a pointer, in numbers."""
    loaded = builder.load(builder.bitcast(builder.gep(pointer, [LONG(index)]), of.as_pointer()))
    loaded.align = 2 if of in (HALVES, UPPERS) else 4
    return loaded


def store_vector(builder: Builder, value: Value, pointer: Value, index: int) -> None:
    """Store a vector of float32 at an offset from a pointer, in numbers."""
    builder.store(value, builder.bitcast(builder.gep(pointer, [LONG(index)]), FLOATS.as_pointer())).align = 4


def spread(builder: Builder, pointer: Value, index: Value) -> Value:
    """Return a number in memory in all lanes."""
    return in_all_lanes(builder, builder.load(builder.gep(pointer, [index])))


def in_all_lanes(builder: Builder, number: Value) -> Value:
    """Return one number in all lanes."""
    none = ir.VectorType(number.type, LANES)(ir.Undefined)
    return builder.shuffle_vector(builder.insert_element(none, number, INT(0)), none, FIRST)


def gather_lanes(builder: Builder, totals: list[Value], combine: Callable[[Value, Value], Value]) -> Value:
    """Combine each vector's lanes, halves with halves, and return one number a vector, in one vector.

    A number is the same however many vectors there are, as its halves are the same. There is a power of two of them.
    """
    lanes = LANES
    while lanes > 1:
        both = totals[0].type.count * (2 if len(totals) > 1 else 1)
        first = [start + lane for start in range(0, both, lanes) for lane in range(lanes // 2)]
        masks = [ir.VectorType(INT, len(first))([lane + start for lane in first]) for start in (0, lanes // 2)]
        pairs = list(zip(totals[::2], totals[1::2], strict=False)) or [(totals[0], totals[0])]
        totals = [combine(*(builder.shuffle_vector(*pair, mask) for mask in masks)) for pair in pairs]
        lanes //= 2
    return totals[0]


def prefetch(builder: Builder, pointer: Value, ahead: Value, num_bytes: int) -> None:
    """Prefetch this many bytes at an offset in bytes from a pointer; there may be nothing."""
    byte = BYTE.as_pointer()
    fetch = llvm_function(builder, "llvm.prefetch.p0", ir.VoidType(), byte, INT, INT, INT)
    start = builder.gep(builder.bitcast(pointer, byte), [ahead])
    for line in range(0, num_bytes, LINE):
        # to read, into the nearest cache, as data
        builder.call(fetch, [builder.gep(start, [LONG(line)]), INT(0), INT(3), INT(1)])


def power_of(builder: Builder, exponent: Value) -> Value:
    """2.0 to a whole number from -126 to 127."""
    return builder.bitcast(builder.shl(builder.add(exponent, INT(127)), INT(23)), FLOAT)


def llvm_function(builder: Builder, name: str, kind: Any, *kinds: Any) -> Value:
    """Return an intrinsic function of LLVM by its name and types."""
    return builder.module.globals.get(name) or ir.Function(builder.module, ir.FunctionType(kind, kinds), name)


def write_loop(builder: Builder, end: Value, step: int, starts: list[Value], body: Body) -> list[Value]:
    """Write a loop over 0, step, ... below `end`, once at least, and return its last values.

    Args:
        builder: writes the loop, and continues after it.
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


def write_sums(builder: Builder, end: Value, step: int, shape: tuple[int, int], terms: Terms) -> list[list[Value]]:
    """Write a loop over 0, step, ... to `end` and return rows x vectors of sums of weight times number.

    Args:
        builder, end, step: see `write_loop`.
        shape: rows and vectors.
        terms: of the index, the weights by vector and the numbers by row, once for each term.
    """
    rows, vectors = shape
    fma = llvm_function(builder, f"llvm.fma.v{LANES}f32", FLOATS, FLOATS, FLOATS, FLOATS)

    def body(index: Value, sums: list[Value]) -> list[Value]:
        for weights, numbers in terms(index):
            pairs = [(weight, number) for number in numbers for weight in weights]
            sums = [builder.call(fma, [*pair, old]) for pair, old in zip(pairs, sums, strict=True)]
        return sums

    sums = write_loop(builder, end, step, [FLOATS([0.0] * LANES)] * (rows * vectors), body)
    return [sums[row * vectors : (row + 1) * vectors] for row in range(rows)]


def on_rows(most: int) -> Callable[[Callable[[Builder, Any, list[Value], list[Value], int], None]], Any]:
    """Make an intrinsic on 1 to `most` rows: weights at an index, input rows and output rows, each with a number.

    What is decorated writes what is done with this many rows; it takes the builder, the weights' type, pointers to the
    three, and their numbers: the width of a row, or of weights their power of two; and, last, the bytes between what is
    multiplied and what is asked of the memory.
    """

    def making(write: Callable[[Builder, Any, list[Value], list[Value], int], None]) -> Any:
        @intrinsic
        def rows_of(
            _: Any,
            w: Any,
            w_at: Any,
            w_width: Any,
            x: Any,
            x_at: Any,
            x_width: Any,
            y: Any,
            y_at: Any,
            y_width: Any,
            n: Any,
            ahead: Any,
        ):
            def generate(context: Any, builder: Builder, signature: Any, arguments: Any):
                pointers = []
                for each in (0, 3, 6):
                    array = context.make_array(signature.args[each])(context, builder, arguments[each])
                    pointers.append(builder.gep(array.data, [arguments[each + 1]]))
                end = builder.append_basic_block()
                choice = builder.switch(arguments[9], end)
                for rows in range(1, most + 1):
                    case = builder.append_basic_block()
                    choice.add_case(LONG(rows), case)
                    builder.position_at_end(case)
                    write(builder, w.dtype, pointers, [arguments[each] for each in (2, 5, 8, 10)], rows)
                    builder.branch(end)
                builder.position_at_end(end)
                return context.get_dummy_value()

            index = types.int64
            return types.void(w, index, index, x, index, index, y, index, index, index, index), generate

        return rows_of

    return making


def row_starts(builder: Builder, pointer: Value, width: Value, rows: int) -> list[Value]:
    """Return pointers to the first number of each row."""
    return [builder.gep(pointer, [builder.mul(width, LONG(row))]) for row in range(rows)]


@intrinsic
def power_of_two(_: Any, exponent: Any):
    """2.0 to a whole number from -126 to 127."""

    def generate(context: Any, builder: Builder, signature: Any, arguments: Any):
        return power_of(builder, arguments[0])

    return types.float32(types.int32), generate


@intrinsic
def widened(_: Any, half: Any):
    """Return a float16, whose bits an int16 has, in float32."""

    def generate(context: Any, builder: Builder, signature: Any, arguments: Any):
        return builder.fpext(builder.bitcast(arguments[0], ir.HalfType()), FLOAT)

    return types.float32(types.int16), generate
