"""Growth of a call's cost with the tree."""

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch

from playground.models.language_model import LanguageModel
from playground.models.reading import synchronise
from playground.tree import TokenTree

TREE_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)


def by_tree(
    model: LanguageModel, sizes: Sequence[int] = TREE_SIZES, context: int = 128, repeats: int = 9
) -> dict[str, object]:
    """Time of one call on n nodes over that on one node, as chains behind a cached context."""
    seconds = {size: statistics.median(call_s(model, context, size, repeats)) for size in sizes}
    one_node_s = seconds[sizes[0]]
    return {"chain": {str(size): value / one_node_s for size, value in seconds.items()}, "chain_one_node_s": one_node_s}


def call_s(model: LanguageModel, context: int, size: int, repeats: int) -> list[float]:
    """Return the seconds of calls on `size` nodes, the first of which is the token that makes a text this long.

    So a context that fills its slots is measured as it is: making room for more, once in 256 tokens, is not in it. A
    call over one node goes before, as in a run, where a call finds the weights that the last one left in the
    processor's cache: behind the prompt alone the first call of one node took longer than that of two.
    """
    readings, end = [], context - 2
    for _ in range(repeats):
        tree = TokenTree([1 + number % 100 for number in range(end + 1)])
        model.forward(tree, [end])
        model.forward(tree, [tree.add(end, size)])
        nodes, parent = [], end
        for token in range(size):
            nodes.append(tree.add(parent, token))
            parent = nodes[-1]
        readings.append(_seconds(lambda: model.forward(tree, nodes), model.device))  # noqa: B023
    return readings


def _seconds(work: Callable[[], Any], device: torch.device) -> float:
    synchronise(device)
    started = time.perf_counter()
    work()
    synchronise(device)
    return time.perf_counter() - started
