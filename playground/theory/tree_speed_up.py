"""Value of a draft tree when more nodes cost more: expected tokens over the time of a round, in target calls.

A round drafts depth by depth, each depth one draft call, and asks the target once about all nodes and the root. Its
time is depth * c + T(n + 1) / T(1), with c the cost ratio and T(n) the time of a target call over n nodes. That a depth
costs one draft call however wide it is, and that nothing takes time outside the models, are assumptions.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from playground.theory.sequoia import Tree, best_tree, expected_emitted, plan, size

Growth = Callable[[ArrayLike], np.float64 | NDArray[np.float64]]  # T(n) / T(1)


def straight(per_node: float) -> Growth:
    """Every node beyond the first costs the same share of a call: T(n) / T(1) = 1 + v (n - 1)."""
    return lambda num_nodes: 1 + per_node * (np.asarray(num_nodes, dtype=float) - 1)


def round_cost(num_depths: ArrayLike, num_nodes: ArrayLike, cost_ratio: float, growth: Growth) -> NDArray[np.float64]:
    """Time of a round, in target calls on one node.

    Args:
        num_depths: drafted below the root; also the number of draft calls.
        num_nodes: drafted; the target runs these and the root.
        cost_ratio: c.
        growth: T(n) / T(1).
    """
    return np.asarray(num_depths, dtype=float) * cost_ratio + growth(np.asarray(num_nodes, dtype=float) + 1)


def chain(length: int) -> Tree:
    """One node below the other."""
    return branching([1] * length)


def branching(children: Sequence[int]) -> Tree:
    """Every node of a depth has the same number of children: RSD-C's tree."""
    return (branching(children[1:]),) * children[0] if children else ()


def depth(tree: Tree) -> int:
    """Depth of the deepest node; the root is at depth 0."""
    return max((1 + depth(child) for child in tree), default=0)


class Worth(NamedTuple):
    """A tree, and what it brings and costs."""

    tree: Tree  # its shape
    emitted: float  # expected tokens per target call, the extra token included
    cost: float  # A round takes so many target calls.

    @property
    def speed_up(self) -> float:
        """Over plain decoding, which emits one token per target call."""
        return self.emitted / self.cost


def worth(tree: Tree, acceptance: Sequence[float], cost_ratio: float, growth: Growth) -> Worth:
    """Value of a tree of this shape, by the acceptance vector.

    Args:
        acceptance: (K,) a_1 .. a_K, see sequoia.py.
        cost_ratio: c.
        growth: T(n) / T(1).
    """
    cost = float(round_cost(depth(tree), size(tree), cost_ratio, growth))
    return Worth(tree, expected_emitted(tree, acceptance), cost)


def best_tree_of(num_nodes: int, acceptance: Sequence[float], cost_ratio: float, growth: Growth, deepest: int) -> Worth:
    """Return Sequoia's best tree of this many nodes, at the depth that makes it fastest; the flatter one on a tie.

    It is smaller where no node more would ever be accepted, or none fits into that many depths.

    Args:
        num_nodes: drafted.
        acceptance: (K,) a_1 .. a_K.
        cost_ratio: c.
        growth: T(n) / T(1).
        deepest: depth of the deepest tree looked at.
    """
    gains = tree_speed_ups(num_nodes, acceptance, cost_ratio, growth, deepest)
    most = int(np.flatnonzero(np.isfinite(gains).any(0))[-1])
    tree = best_tree(acceptance, num_nodes=most, depth=int(np.nanargmax(gains[:, most])))
    return worth(tree, acceptance, cost_ratio, growth)


def tree_speed_ups(
    num_nodes: int, acceptance: Sequence[float], cost_ratio: float, growth: Growth, deepest: int
) -> NDArray[np.float64]:
    """(deepest + 1, num_nodes + 1) speed-up of the best tree of every depth and size; NaN where none has that size."""
    useful = sum(chance > 0 for chance in acceptance)  # children that can be accepted at all
    values = plan(tuple(acceptance), num_nodes, deepest).values
    deep, nodes_ = np.arange(deepest + 1)[:, None], np.arange(num_nodes + 1)[None, :]
    is_feasible = np.cumsum(np.minimum(float(useful) ** np.arange(deepest + 1), 1e9))[:, None] - 1 >= nodes_
    is_feasible &= (deep <= nodes_) | (nodes_ == 0)  # a deeper tree than it has nodes is counted at its own depth
    return np.where(is_feasible, values / round_cost(deep, nodes_, cost_ratio, growth), np.nan)


def nodes(tree: Tree, acceptance: Sequence[float]) -> Iterator[tuple[int, int, float]]:
    """(parent, place among its siblings from 0, chance that the round reaches and accepts it) of every node.

    The parent is a number in the order of this list, -1 for the root; a parent comes before its children.
    """
    waiting, number = [(tree, -1, 1.0)], 0
    while waiting:
        at, parent, reached = waiting.pop(0)
        for rank, (child, chance) in enumerate(zip(at, acceptance, strict=False)):
            yield parent, rank, reached * chance
            waiting.append((child, number, reached * chance))
            number += 1
