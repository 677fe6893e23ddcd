"""Growth of a call's cost with the tree, and the distance of plain decoding from what memory allows."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch

from playground.decoding.decode import Request
from playground.makers.engine.rivals import ours
from playground.models.language_model import LanguageModel
from playground.models.machine import last_cache_bytes
from playground.models.reading import synchronise
from playground.tree import TokenTree

TREE_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
STREAM_BYTES = 256 * 2**20  # read at the speed of memory, or eight times the last cache where that is larger
ROW = 1024  # numbers of a row of what is read


def by_tree(
    model: LanguageModel, sizes: Sequence[int] = TREE_SIZES, context: int = 128, repeats: int = 9
) -> dict[str, Any]:
    """Time of one call on n nodes over that on one node, as chains behind a cached context."""
    seconds = {size: _call_s(model, context, size, repeats) for size in sizes}
    one_node_s = seconds[sizes[0]]
    return {"chain": {str(size): value / one_node_s for size, value in seconds.items()}, "one_node_s": one_node_s}


def roofline(requests: Sequence[Request], repeats: int = 3) -> dict[str, Any]:
    """Tokens/s of plain decoding, and of reading the bytes of the weights, in turns.

    Weights that fit the last cache stay there from one token to the next. How fast they are read is then between the
    cache's speed and the memory's, so that no share is said. Keys and values are left out.
    """
    target = requests[0].target
    assert isinstance(target, LanguageModel)
    weight_bytes, cache_bytes, device = _bytes_read(target), last_cache_bytes(target.device), target.device
    sizes = (int(weight_bytes), max(STREAM_BYTES, 8 * cache_bytes))
    buffers = [torch.ones(size // 4 // ROW, ROW, device=device) for size in sizes]
    speeds, rates = [[], []], []
    for _ in range(repeats):
        for request in requests:
            seconds, tokens = ours(request)
            rates.append(tokens / seconds)
            for readings, buffer in zip(speeds, buffers, strict=True):
                readings.append(_read_speed(buffer))
    as_weights, memory = map(max, speeds)
    return {
        "share": None if weight_bytes <= cache_bytes else max(rates) * weight_bytes / as_weights,
        "tokens_per_s": max(rates),
        "weight_bytes": weight_bytes,
        "cache_bytes": cache_bytes,
        "bytes_per_s": as_weights,
        "memory_bytes_per_s": memory,
    }


def _call_s(model: LanguageModel, context: int, size: int, repeats: int) -> float:
    """Seconds of one call on `size` nodes, the first of which is the token that makes a text this long; the median.

    So a context that fills its slots is measured as it is: making room for more, once in 256 tokens, is not in it.
    """
    readings, end = [], context - 2
    for _ in range(repeats):
        tree = TokenTree([1 + number % 100 for number in range(end + 1)])
        model.forward(tree, [end])
        nodes, parent = [], end
        for token in range(size):
            nodes.append(tree.add(parent, token))
            parent = nodes[-1]
        readings.append(_seconds(lambda: model.forward(tree, nodes), model.device))  # noqa: B023
    return statistics.median(readings)


def _read_speed(matrix: torch.Tensor) -> float:
    """Bytes per second of reading all of a matrix: the fastest of three plain reads, each the second time."""
    row, seconds = torch.ones(matrix.shape[1], device=matrix.device), []
    for read in (matrix.sum, matrix.amax, lambda: matrix @ row):
        read()  # what fits a cache is in it from here on, as the weights are from one token to the next
        seconds.append(_seconds(read, matrix.device))
    return matrix.nbytes / min(seconds)


def _bytes_read(target: LanguageModel) -> float:
    """Bytes that one pass reads: all weights; a table of embeddings that is not the output counts as nothing."""
    model, scale = target.model, 8 * target.dtype.itemsize / target.bits if target.bits else 1.0
    embeddings, head = model.get_input_embeddings().weight, model.get_output_embeddings().weight
    tables = 0 if embeddings.data_ptr() == head.data_ptr() else embeddings.nbytes
    matrices = sum(parameter.nbytes for parameter in model.parameters() if parameter.ndim == 2) - tables
    return matrices / scale + sum(parameter.nbytes for parameter in model.parameters() if parameter.ndim == 1)


def _seconds(work: Callable[[], Any], device: torch.device) -> float:
    synchronise(device)
    started = time.perf_counter()
    work()
    synchronise(device)
    return time.perf_counter() - started
