"""The best draft tree of a given size, when the k-th child of a node is accepted with a chance that depends on k alone.

Let a_k be the probability that of a node's children it is the k-th that is accepted. A drafted node is then on the
accepted path with the product of the a's along its own path, and a tree emits, in expectation, the sum of these
products over its nodes, the root counted as 1 for the extra token. The best tree of n nodes splits into its first b - 1
subtrees and its last one, so a dynamic programme finds it:

    best[d][n] = 1 + max_b  first[b][n]              the subtrees below a node share n nodes and reach depth d
    first[b][n] = max_y  first[b-1][n-y] + a_b best[d-1][y-1]        the b-th of them has y nodes, its root included

Real acceptances depend on the text, not on k alone; the vector is an average.

Source: Chen et al. 2024, Sequoia, arXiv 2402.12374, the dynamic programme for the tree's structure.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

TIE = 9  # decimals: a1 (a2 a3) and (a1 a2) a3 are one value, and the last bit of a number must not choose the tree
# A node, as the subtrees of its children in draw order: () has no children, ((), ()) has two
Tree = tuple["Tree", ...]


class Plan(NamedTuple):
    """Tables of the dynamic programme, for all sizes up to n and all depths up to D at once."""

    # (D + 1, n + 1) expected emitted tokens per round of the best tree with at most this many depths and drafted nodes;
    # the extra token included, so 1 where nothing is drafted
    values: NDArray[np.float64]
    num_children: NDArray[np.intp]  # (D + 1, n + 1) of that tree's root
    # (D + 1, K + 1, n + 1) nodes in the subtree of the k-th of k children that share this many nodes
    sizes: NDArray[np.intp]


def best_tree(acceptance: Sequence[float], *, num_nodes: int, depth: int) -> Tree:
    """Return the tree that emits most within this many drafted nodes and depths; the smaller one of two equals.

    Args:
        acceptance: (K,) a_1 .. a_K; a node gets K children at most.
        num_nodes: drafted nodes, the root not counted.
        depth: of the deepest node at most; the root is at depth 0.
    """
    return _tree(plan(tuple(acceptance), num_nodes, depth), depth, num_nodes)


@lru_cache(maxsize=64)
def plan(acceptance: tuple[float, ...], num_nodes: int, depth: int) -> Plan:
    """Run the dynamic programme; see `best_tree` for the arguments. Costs depth * K * num_nodes^2 / 2 additions."""
    if not all(0 <= chance <= 1 for chance in acceptance):
        raise ValueError(f"The acceptance vector {acceptance} has entries that are not probabilities. Use 0 to 1.")
    if num_nodes < 0 or depth < 0:
        raise ValueError(f"A tree of {num_nodes} nodes and depth {depth} cannot be. Use 0 or more.")
    most = len(acceptance)
    values = np.ones((depth + 1, num_nodes + 1))
    num_children = np.zeros((depth + 1, num_nodes + 1), dtype=np.intp)
    sizes = np.zeros((depth + 1, most + 1, num_nodes + 1), dtype=np.intp)
    lag = np.subtract.outer(np.arange(num_nodes + 1), np.arange(1, num_nodes + 1))  # (n + 1, n): n - y
    for deepest in range(1, depth + 1):
        first = np.full((most + 1, num_nodes + 1), -np.inf)  # fewer nodes than children cannot be
        first[0] = 0
        for child in range(1, most + 1) if num_nodes else ():
            shared = (
                np.where(lag >= 0, first[child - 1][lag], -np.inf) + acceptance[child - 1] * values[deepest - 1, :-1]
            )
            choice = shared.round(TIE).argmax(1)  # the smallest, on a tie
            first[child] = shared[range(num_nodes + 1), choice]
            sizes[deepest, child] = choice + 1
        num_children[deepest] = first.round(TIE).argmax(0)  # the fewest, on a tie
        values[deepest] += first.max(0)
    return Plan(values, num_children, sizes)


def _tree(tables: Plan, depth: int, num_nodes: int) -> Tree:
    children: list[Tree] = []
    for child in range(int(tables.num_children[depth, num_nodes]), 0, -1):
        size = int(tables.sizes[depth, child, num_nodes])
        children.append(_tree(tables, depth - 1, size - 1))
        num_nodes -= size
    return tuple(reversed(children))


def expected_emitted(tree: Tree, acceptance: Sequence[float]) -> float:
    """Return expected emitted tokens per round of any tree, the extra token included."""
    return 1 + sum(
        chance * expected_emitted(child, acceptance) for chance, child in zip(acceptance, tree, strict=False)
    )


def size(tree: Tree) -> int:
    """Nodes below the root."""
    return sum(1 + size(child) for child in tree)


def acceptance_vector(passing: Sequence[float]) -> list[float]:
    """a_1 .. a_K from the chance of each child to pass its test once all before it have failed.

    Estimated so, every test that was made counts, also at nodes with fewer children than others.
    """
    vector, left = [], 1.0
    for chance in passing:
        vector.append(left * chance)
        left *= 1 - chance
    return vector
