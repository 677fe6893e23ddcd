"""The layout of a tree: each leaf has a row to itself, and a node is centred on its children.

The twin of assets/shared/plots/tree_layout.js; tests/golden/tree_layout.json holds both to one picture.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple


class TreeLayout(NamedTuple):
    """Positions of the nodes, and the number of rows."""

    rows: list[float]  # from 0, whole at a leaf
    depths: list[int]  # from 0 at a root
    leaves: int


def tree_layout(parents: Sequence[int], aside: Collection[int] = ()) -> TreeLayout:
    """Rows and depths of the nodes.

    Args:
        parents: of each node, as indices; -1 at a root.
        aside: nodes that were not drafted: below their siblings, and a parent is not centred on them.
    """
    below: list[list[int]] = [[] for _ in parents]
    roots: list[int] = []
    for node in sorted(range(len(parents)), key=lambda node: node in aside):
        (roots if parents[node] < 0 else below[parents[node]]).append(node)

    rows, depths = [0.0] * len(parents), [0] * len(parents)
    order: list[int] = []
    leaves = 0
    open_nodes = roots[::-1]
    while open_nodes:
        node = open_nodes.pop()
        order.append(node)
        depths[node] = 0 if parents[node] < 0 else depths[parents[node]] + 1
        if not below[node]:
            rows[node] = float(leaves)
            leaves += 1
        open_nodes += below[node][::-1]
    for node in reversed(order):
        if middle := [child for child in below[node] if child not in aside] or below[node]:
            rows[node] = (rows[middle[0]] + rows[middle[-1]]) / 2
    return TreeLayout(rows, depths, leaves)
