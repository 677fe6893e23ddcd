"""The layers of a Llama-shaped model, compiled for this processor by numba: a pass reads each weight once, in order.

A matrix is stored in blocks of outputs, a block in steps of two inputs. As many rows as the registers hold sums of go
through a block together; more go in groups, while the block is in the processor's cache. An output is one sum, input
after input, and so is what attention mixes, slot after slot: a row comes out the same whatever is beside it, to the
last bit.

Weights are float32; or float16 times a power of two, or bfloat16, widened in registers; numba has neither on a
processor, so their types are int16 and uint16; or a GGUF file's blocks (`block_kernel`).
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from playground.models.passes.block_kernel import ROWS as ROWS
from playground.models.passes.block_kernel import Layout, multiply_rows, round_rows, widen_rows
from playground.models.passes.block_kernel import lay_out as lay_out
from playground.models.passes.block_kernel import widen_tokens as widen_tokens
from playground.models.passes.dense_kernel import multiply
from playground.models.passes.meeting import meet, share
from playground.models.passes.vectors import (
    BLOCK,
    FLOATS,
    GROUP,
    IN_ORDER,
    LANES,
    SUMS,
    VECTORS,
    Builder,
    Value,
    gather_lanes,
    jit,
    load_vector,
    on_rows,
    power_of_two,
    row_starts,
    spread,
    store_vector,
    write_sums,
)
from playground.models.passes.vectors import CACHE_FOLDER as CACHE_FOLDER
from playground.models.passes.vectors import FUSES as FUSES

UNSEEN = np.float32(-3e38)  # The score of a slot that a node does not see gets this added.


def product(weights, matrix, given, output, index, number) -> Any:
    """Write a share of the product of `given` (n, inputs) and a matrix to `output` (n, outputs); for compiled code.

    Returns:
        The first output of the share, and the one behind its last.

    Args:
        weights: arrays of float32, of 16 bits or of records.
        matrix: start, inputs, outputs, power of two or code of zero, which array, and how it is read: bytes that are
            asked of the memory ahead, and rows that go through a block together at most.
        index, number: of the share, and of all shares.
    """
    raise NotImplementedError


@overload(product)
def _product(weights, matrix, given, output, index, number):
    kind = weights[0].dtype
    layout = Layout.of(kind) if isinstance(kind, types.Record) else None

    if layout is None:

        def first(weights, matrix, given, output, index, number) -> Any:
            return multiply(weights[0], matrix, given, output, index, number)

    elif layout.rounded:
        group = layout.group

        def first(weights, matrix, given, output, index, number) -> Any:
            start, inputs, zero = matrix[0], matrix[1], matrix[3]
            rows = np.empty((len(given), inputs // group, group // 4 + 3), np.int32)
            round_rows(given, zero, group, rows)
            low, high = share(output.shape[1], LANES, index, number)
            multiply_rows(weights[0], start, inputs // group, rows, output, matrix[5], matrix[6], low, high)
            return low, high

    else:
        group, nibbles = layout.group, layout.nibbles

        def first(weights, matrix, given, output, index, number) -> Any:
            start, inputs, zero = matrix[0], matrix[1], matrix[3]
            rows = np.empty((len(given), inputs // group, group + 3), np.float32)
            widen_rows(given, zero, group, nibbles, rows)
            low, high = share(output.shape[1], LANES, index, number)
            multiply_rows(weights[0], start, inputs // group, rows, output, matrix[5], matrix[6], low, high)
            return low, high

    if len(weights) == 1:
        return first
    first = register_jitable(first)

    def choose(weights, matrix, given, output, index, number):
        if matrix[4] == 0:
            return first(weights, matrix, given, output, index, number)
        following = matrix.copy()
        following[4] -= 1
        return product(weights[1:], following, given, output, index, number)

    return choose


@jit()
def multiply_all(weights, matrix, given, output):
    """Write a product; see `product`."""
    product(weights, matrix, given, output, 0, 1)


def _score_of(count: int) -> Any:
    @on_rows(GROUP)
    def score(builder: Builder, _: Any, pointers: list[Value], widths: list[Value], rows: int) -> None:
        """Multiply `count` keys by queries, one number each; their lanes are added together, key beside key."""
        (key, queries, scores), (size, apart, slots, _) = pointers, widths
        keys = row_starts(builder, key, size, count)
        for query, end in zip(
            row_starts(builder, queries, apart, rows), row_starts(builder, scores, slots, rows), strict=True
        ):

            def terms(index: Value, query: Value = query) -> Iterator[tuple[list[Value], list[Value]]]:
                read = [load_vector(builder, builder.gep(each, [index]), 0) for each in (query, *keys)]
                yield read[1:], read[:1]

            [totals] = write_sums(builder, size, LANES, (1, count), terms)
            numbers = gather_lanes(builder, totals, builder.fadd)
            builder.store(numbers, builder.bitcast(end, numbers.type.as_pointer())).align = 4

    return score


KEYS = LANES if SUMS > 6 else 4  # They are multiplied together, as many as the registers hold sums of.
_score, _score_keys = _score_of(1), _score_of(KEYS)


def _values_at_once(rows: int) -> int:
    """Return the vectors of a value that the sums of this many rows, and of their shares, leave registers for."""
    return next(vectors for vectors in (VECTORS, 2, 1) if rows * (vectors + 1) <= SUMS or vectors == 1)


def _mix(most: int) -> Any:
    @on_rows(GROUP)
    def mix(builder: Builder, _: Any, pointers: list[Value], widths: list[Value], rows: int) -> None:
        """Values by their shares, over the sum of the shares: `most` vectors."""
        (values, shares, mixed), (size, slots, apart, _), vectors = pointers, widths, min(_values_at_once(rows), most)
        heads, ends = row_starts(builder, shares, slots, rows), row_starts(builder, mixed, apart, rows)
        for part in range(0, most, vectors):

            def terms(index: Value, part: int = part) -> Iterator[tuple[list[Value], list[Value]]]:
                start = builder.gep(values, [builder.mul(index, size)])
                read = [load_vector(builder, start, LANES * (part + vector)) for vector in range(vectors)]
                yield [*read, FLOATS([1.0] * LANES)], [spread(builder, head, index) for head in heads]

            for end, [*row, whole] in zip(ends, write_sums(builder, slots, 1, (rows, vectors + 1), terms), strict=True):
                for vector, total in enumerate(row):
                    store_vector(builder, builder.fdiv(total, whole), end, LANES * (part + vector))

    return mix


_mix_vector, _mix_block = _mix(1), _mix(VECTORS)


@jit(IN_ORDER)
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
    power = (series * remainder * remainder + remainder + np.float32(1)) * power_of_two(np.int32(whole))
    return power if x >= np.float32(-86) else np.float32(0)


@jit(IN_ORDER)
def normalise(given, weight, eps, output):
    """RMSNorm of every row of `given`, (n, width), into `output`.

    The squares are added in an order that is written down: a compiler that may choose it chooses by what is compiled
    around, and two builds of the same code would differ in their last bits.
    """
    width = given.shape[1]
    whole, flat, total_of = width - width % LANES, given.ravel(), np.zeros(1, np.float32)
    for row in range(len(given)):
        if whole:
            _score(flat, row * width, whole, flat, row * width, 0, total_of, 0, 0, 1, 0)
        total = total_of[0]
        for i in range(whole, width):
            total += given[row, i] * given[row, i]
        factor = np.float32(1) / np.sqrt(total / np.float32(width) + eps)
        for i in range(width):
            output[row, i] = given[row, i] * factor * weight[i]


@jit()  # of a sum of two products either could be fused
def _turn(fused, positions, turns, norms, eps, size, first, end):
    """Turn these heads of queries, keys and values by their positions, normalised where the model does that."""
    half, cosines, sines = size // 2, turns[0], turns[1]
    for row in range(len(fused)):
        position = positions[row]
        heads = fused[row, : turns.shape[2] * size].reshape(-1, size)
        for head in range(first, min(end, len(norms))):
            normalise(heads[head : head + 1], norms[head], eps, heads[head : head + 1])
        for head in range(first, end):
            for i in range(half):
                a, b = heads[head, i], heads[head, half + i]
                heads[head, i] = a * cosines[position, head, i] + b * sines[position, head, i]
                heads[head, half + i] = b * cosines[position, head, half + i] + a * sines[position, head, half + i]


@jit(IN_ORDER)
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


@jit()
def _attend(fused, cached, mask, scale, heads, first, end, scores, mixed):
    """Attention in these heads of n nodes over cached keys and values, (2 G, slots, D), as far as the mask reaches."""
    count, width, groups, size = len(fused), fused.shape[1], len(cached) // 2, cached.shape[2]
    slots, queries, flat, output = mask.shape[1], fused.ravel(), scores.ravel(), mixed.ravel()
    parts = (count + GROUP - 1) // GROUP
    for head in range(first, end):
        keys, values = cached[head * groups // heads].ravel(), cached[groups + head * groups // heads].ravel()
        for part in range(parts):
            row = part * count // parts
            rows = (part + 1) * count // parts - row
            query = row * width + head * size
            for slot in range(0, slots - slots % KEYS, KEYS):
                _score_keys(keys, slot * size, size, queries, query, width, flat, row * slots + slot, slots, rows, 0)
            for slot in range(slots - slots % KEYS, slots):
                _score(keys, slot * size, size, queries, query, width, flat, row * slots + slot, slots, rows, 0)
        _shares(scores, mask, scale)
        for part in range(parts):
            row = part * count // parts
            rows = (part + 1) * count // parts - row
            for at in range(0, size - size % BLOCK, BLOCK):
                address = row * heads * size + head * size + at
                _mix_block(values, at, size, flat, row * slots, slots, output, address, heads * size, rows, 0)
            for at in range(size - size % BLOCK, size, LANES):
                address = row * heads * size + head * size + at
                _mix_vector(values, at, size, flat, row * slots, slots, output, address, heads * size, rows, 0)


@jit(IN_ORDER)
def _gate(both, output, first, end):
    """SiLU of the first half of every row, times the second, from one number on to another."""
    inner = output.shape[1]
    for row in range(len(output)):
        for i in range(first, end):
            output[row, i] = both[row, i] / (np.float32(1) + _exp(-both[row, i])) * both[row, inner + i]


@jit()
def _add(given, output, first, end):
    for row in range(len(output)):
        for i in range(first, end):
            output[row, i] += given[row, i]


@jit()
def _attend_sequences(
    layer, fused, model, filled, indices, starts, counts, positions, masks, scores, mixed, first, end
):
    """Turn heads of these groups, write their keys and values, and attend; see `run_layers`."""
    _, _, _, head_norms, _, turns, heads, eps, scale = model
    size, groups, row, cell = filled.shape[4], filled.shape[2] // 2, 0, 0
    each = heads // groups
    _turn(fused, positions, turns, head_norms[layer], eps, size, first * each, end * each)
    for part in range(2):
        behind = heads + part * groups
        _turn(fused, positions, turns, head_norms[layer], eps, size, behind + first, behind + end)
    for sequence in range(len(indices)):
        held, start, nodes = filled[indices[sequence], layer], starts[sequence], counts[sequence]
        for node in range(nodes):
            for group in range(first, end):
                for head in range(group, 2 * groups, groups):
                    own = fused[row + node, (heads + head) * size : (heads + head + 1) * size]
                    held[head, start + node] = own
        area, rows = nodes * (start + nodes), slice(row, row + nodes)
        mask = masks[cell : cell + area].reshape(nodes, start + nodes)
        own_scores = scores[cell : cell + area].reshape(nodes, start + nodes)
        _attend(fused[rows], held, mask, scale, heads, first * each, end * each, own_scores, mixed[rows])
        row, cell = row + nodes, cell + area


@jit()
def _causal_masks(starts, counts):
    """Return the masks in which each node sees all before it, of each sequence, one after the other."""
    masks, cell = np.zeros((counts * (starts + counts)).sum(), np.float32), 0
    for sequence in range(len(counts)):
        for node in range(counts[sequence]):
            end = cell + starts[sequence] + counts[sequence]
            masks[end - counts[sequence] + node + 1 : end] = UNSEEN
            cell = end
    return masks


@jit()
def _join(joining, eps, stream, index, number):
    """Write a share of what goes into a drafter's first layer.

    Args:
        joining: embeddings (n, width); the number of the feature before each in the next array, or -2 less its number
            in the one behind that, or -1 where there is none; features of the target, and guesses at them; the norms of
            embedding and feature; weights and matrix of their joined product, which is the stream.
    """
    embedded, sources, read, guessed, norms, weights, matrix = joining
    width, both = stream.shape[1], np.empty((len(stream), 2 * stream.shape[1]), np.float32)
    features = np.zeros_like(embedded)
    for row in range(len(sources)):
        if sources[row] >= 0:
            features[row] = read[sources[row]]
        elif sources[row] < -1:
            features[row] = guessed[-2 - sources[row]]
    normalise(embedded, norms[0], eps, both[:, :width])
    normalise(features, norms[1], eps, both[:, width:])
    output = np.empty((len(stream), matrix[2]), np.float32)
    first, end = product(weights, matrix, both, output, index, number)
    end = min(end, width)
    stream[:, first:end] = output[:, first:end]


@jit()
def _end(ending, stream, eps, hidden, index, number):
    """Write the last norm of all nodes, and a share of the logits of some; see `run_pass`."""
    rows, norm, features, weights, matrix, logits, tokens, spread = ending
    normalise(stream, norm, eps, hidden)
    if index == 0:
        features[:] = hidden
    wanted = hidden if len(rows) == len(hidden) else hidden[rows]
    first, end = product(weights, matrix, wanted, logits, index, number)
    for row in range(len(spread)):
        for i in range(first, min(end, len(tokens))):
            spread[row, tokens[i]] = logits[row, i]


@jit()
def run_pass(index, number, barrier, layers, joining, stream, model, filled, numbers, masks, shared, ending):
    """Layers on the nodes of several sequences, whose keys and values are written behind their own; a thread's share.

    Each product is over the nodes of all sequences; attention is each sequence's own. A thread computes whole outputs
    and whole heads, so that a row is the same however many there are.

    Args:
        index, number, barrier: of the thread, of all threads, and where they meet.
        layers: the first, and the one behind the last.
        joining: see `_join`; no rows where the stream is there already.
        stream: (n, width) what goes into the first, and becomes what comes out of the last.
        model: weights, matrices, norms, head norms, biases, turns, the number of heads, eps and scale.
        filled: (sequences, layers, 2 G, slots, D) keys and values.
        numbers: of B sequences in all: their indices in `filled`, how many slots of each are filled, how many nodes
            each has, (B,) each; and the positions of all nodes, (n,).
        masks: to add to the scores: (count, start + count) of each sequence, one after the other. Empty where every
            node sees all before it.
        shared: fused heads, mixed values, gate and up, and gated, (n, ...) each.
        ending: rows whose logits are wanted, (m,), perhaps none; the last norm, what it makes of each node, (n, width),
            weights and matrix of the output layer, and the logits, (m, V or more). Of a draft vocabulary also its
            tokens, (K,), and rows over all tokens that take their logits, (m, V).
    """
    weights, matrices, norms, _, biases, _, _, eps, _ = model
    fused, mixed, both, gated = shared
    n = (len(numbers) - len(stream)) // 3
    indices, starts, counts, positions = numbers[:n], numbers[n : 2 * n], numbers[2 * n : 3 * n], numbers[3 * n :]
    masks = masks if masks.size else _causal_masks(starts, counts)
    if len(joining[0]):
        _join(joining, eps, stream, index, number)
        meet(barrier, number)
    hidden, scores = np.empty_like(stream), np.empty(masks.shape, np.float32)
    output = np.empty((len(stream), matrices[0, 1, 2]), np.float32)
    from_group, to_group = share(filled.shape[2] // 2, 1, index, number)
    from_gate, to_gate = share(gated.shape[1], LANES, index, number)
    for layer in range(layers[0], layers[1]):
        for part in range(4):
            if part % 2 == 0:
                normalise(stream, norms[layer, part // 2], eps, hidden)
            given = hidden if part % 2 == 0 else mixed if part == 1 else gated
            result = fused if part == 0 else both if part == 2 else output
            first, end = product(weights, matrices[layer, part], given, result, index, number)
            if biases.size:
                for row in range(len(stream)):
                    result[row, first:end] += biases[layer, part, first:end]
            if part % 2 == 1:
                _add(output, stream, first, min(end, stream.shape[1]))
            meet(barrier, number)
            if part == 0:
                _attend_sequences(
                    layer, fused, model, filled, indices, starts, counts, positions, masks, scores, mixed,
                    from_group, to_group,
                )  # fmt: skip
                meet(barrier, number)
            elif part == 2:
                _gate(both, gated, from_gate, to_gate)
                meet(barrier, number)
    if len(ending[0]):
        _end(ending, stream, eps, hidden, index, number)
        meet(barrier, number)


@jit()
def score_features(index, number, barrier, features, weights, matrix, logits):
    """Write a thread's share of the logits of features; see the `ending` of `run_pass`."""
    product(weights, matrix, features, logits, index, number)
    meet(barrier, number)
