"""The expected-speed lab: chains, trees and beams by formula, break-even, and where memory sets the pace.

Nothing here is measured, and none of it is simulated: tokens are expectations, times are in target calls on one node.
The page draws measured runs next to it.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from msgspec import Meta
from numpy.typing import ArrayLike

from playground.errors import PlaygroundError
from playground.lab.verification_costs import CostRow, cost_rows, longest_paying
from playground.theory import beam_width, roofline, sequoia, speculation
from playground.theory.tree_speed_up import (
    Growth,
    Worth,
    best_tree_of,
    branching,
    chain,
    depth,
    nodes,
    round_cost,
    straight,
    tree_speed_ups,
    worth,
)
from playground.words import word

LONGEST = 16  # draft tokens of a chain; depth of a tree, or its best could be slower than a chain of the same size
MOST_NODES = 64  # A tree has no more.
MOST_CHILDREN, MOST_BEAMS, MOST_DRAWS = 4, 16, 64
RATES = np.linspace(0, 1, 101)
SIZES = np.geomspace(1, 512, 37)  # nodes of a call, where the cost of nodes is drawn
STRAIGHT = "straight"

Share = Annotated[float, Meta(ge=0, le=1)]


def expected_speed(
    passing: Annotated[Sequence[Share], Meta(min_length=1, max_length=MOST_CHILDREN)],
    *,
    draft_length: Annotated[int, Meta(ge=1, le=LONGEST)],
    cost_ratio: Annotated[float, Meta(ge=0, le=2)],
    nodes_cost: str,
    per_node: Share,
    bytes_per_parameter: Annotated[float, Meta(ge=0.5, le=8)],
    num_nodes: Annotated[int, Meta(ge=1, le=MOST_NODES)],
    children: Annotated[int, Meta(ge=1, le=MOST_CHILDREN)],
    layer_acceptance: Share,
    num_beams: Annotated[int, Meta(ge=1, le=MOST_BEAMS)],
    num_draws: Annotated[int, Meta(ge=1, le=MOST_DRAWS)],
    falling: Share = 1.0,
) -> dict[str, object]:
    """Return the whole picture.

    Args:
        passing: the chance of each child of a node to pass its test once those before it have failed; the first is
            alpha, the acceptance rate of a chain.
        draft_length: gamma, of the chain, and depth of the beams and of the branching tree.
        cost_ratio: c, a draft call over a target call on one node.
        nodes_cost: `STRAIGHT`, a machine of `roofline.MACHINES`, or a row of `cost_rows`.
        per_node: v of T(n) / T(1) = 1 + v (n - 1); for `STRAIGHT`.
        bytes_per_parameter: of the target's weights; for a machine.
        num_nodes: drafted, of the best tree.
        children: of every node of the branching tree.
        layer_acceptance: the chance that the beams of a drafted depth are accepted: min(t, beta).
        num_beams, num_draws: of DSBD: W beams, W_S draws per depth.
        falling: of a chain, acceptance of each later position over the one before.

    Raises:
        PlaygroundError: if so many draws cannot fill the beams, or there is no such machine. Whether numbers are in
            the ranges that stand beside them, the page's question is asked.
    """
    if num_draws < num_beams:
        raise PlaygroundError(
            f"{num_draws} drafts per depth can never fill {num_beams} beams. Give a depth more drafts."
        )
    growth, alpha = _growth(nodes_cost, per_node, bytes_per_parameter), float(passing[0])
    vector = sequoia.acceptance_vector(passing)
    drawn = worth(chain(draft_length), vector, cost_ratio, growth)
    drawn = drawn._replace(emitted=float(speculation.expected_emitted(alpha, draft_length, falling)))
    best = best_tree_of(num_nodes, vector, cost_ratio, growth, LONGEST)
    return {
        "alpha": alpha,
        "vector": vector,
        "shapes": [
            {"id": "chain"} | _row(drawn),
            {"id": "branching"} | _branching(children, draft_length, vector, cost_ratio, growth),
            {"id": "best"} | _row(best),
            {"id": "beams"} | _beams(layer_acceptance, draft_length, num_beams, num_draws, cost_ratio, growth),
        ],
        "chain": _chain(alpha, draft_length, cost_ratio, drawn.cost, growth, falling),
        "by_rate": _by_rate(draft_length, cost_ratio, growth, falling),
        "by_nodes": _by_nodes(alpha, vector, cost_ratio, growth, falling),
        "tree": _drawn(best, vector),
        "cost": _cost_curve(growth, nodes_cost, bytes_per_parameter),
    }


def _cost_curve(growth: Growth, nodes_cost: str, bytes_per_parameter: float) -> dict[str, object]:
    """Cost of a call over its nodes; on a machine also the nodes that cost nothing."""
    row = cost_rows().get(nodes_cost)
    machine = None if nodes_cost == STRAIGHT or row else _machine(nodes_cost)
    sizes = np.geomspace(1, max(row.costs), len(SIZES)) if row else SIZES
    return {
        "x": sizes.tolist(),
        "y": growth(sizes).tolist(),
        "free": roofline.free_nodes(machine, bytes_per_parameter) if machine else None,
        "note": _cost_note(machine, row),
        "sizes": list(row.costs.items()) if row else [],
    }


def _cost_note(machine: roofline.Machine | None, row: CostRow | None) -> str:
    """Say what a curve of costs is: measured, estimated or assumed."""
    if row:
        return word("lab_cost_row", title=row.title(), source=row.source or word("lab_costs_here"), on=row.on)
    return word("lab_cost_roofline", source=machine.source) if machine else word("lab_cost_straight")


def _chain(
    alpha: float, length: int, cost_ratio: float, cost: float, growth: Growth, falling: float
) -> dict[str, object]:
    """Compare the chain with plain decoding: where it breaks even, and which length is best, with the textbook's."""
    gains = _chain_speed_ups(alpha, cost_ratio, growth, falling)
    best = int(gains.argmax())
    return {
        "break_even": speculation.break_even_acceptance(length, (cost - 1) / length, falling),
        "most": float(speculation.expected_emitted(1.0, length, falling)),
        "textbook": float(speculation.speed_up(alpha, length, cost_ratio)),
        "textbook_break_even": speculation.break_even_acceptance(length, cost_ratio),
        "break_even_cost": float(speculation.break_even_cost(alpha, length)),
        "best_length": best,  # 0: not to speculate
        "best_speed_up": float(gains[best]),
        "textbook_best_length": speculation.best_draft_length(alpha, cost_ratio, longest=LONGEST),
    }


def _chain_speed_ups(alpha: ArrayLike, cost_ratio: float, growth: Growth, falling: float) -> np.ndarray:
    """Speed-up of chains of 0 .. `LONGEST` drafts, at each of some acceptance rates (...). (..., LONGEST + 1)"""
    lengths = np.arange(LONGEST + 1)
    emitted = [speculation.expected_emitted(alpha, int(length), falling) for length in lengths]
    return np.stack(emitted, -1) / round_cost(lengths, lengths, cost_ratio, growth)


def _by_rate(length: int, cost_ratio: float, growth: Growth, falling: float) -> dict[str, object]:
    """Curves over the acceptance rate."""
    gains = _chain_speed_ups(RATES, cost_ratio, growth, falling)  # (rates, LONGEST + 1)
    return {
        "x": RATES.tolist(),
        "emitted": speculation.expected_emitted(RATES, length, falling).tolist(),
        "speed_up": gains[:, length].tolist(),
        "textbook": speculation.speed_up(RATES, length, cost_ratio).tolist(),
        "best": gains.max(-1).tolist(),
        "best_length": gains.argmax(-1).tolist(),
        "longest_paying": longest_paying(gains),
    }


def _by_nodes(
    alpha: float, vector: Sequence[float], cost_ratio: float, growth: Growth, falling: float
) -> dict[str, object]:
    """Curves over the number of drafted nodes: chains, and the best tree of every size."""
    gains = tree_speed_ups(MOST_NODES, vector, cost_ratio, growth, LONGEST)
    finite = np.isfinite(gains)
    feasible = np.any(finite, axis=0)
    trees = np.where(feasible, np.where(finite, gains, -np.inf).max(0), np.nan)
    best = int(np.nanargmax(trees))
    return {
        "x": list(range(1, MOST_NODES + 1)),
        "chain": _chain_speed_ups(alpha, cost_ratio, growth, falling)[1:].tolist(),
        "tree": [float(value) if ok else None for value, ok in zip(trees[1:], feasible[1:], strict=True)],
        "best": best,  # 0: nothing to draft
        "best_speed_up": float(trees[best]),
    }


def _branching(
    children: int, most: int, vector: Sequence[float], cost_ratio: float, growth: Growth
) -> dict[str, object]:
    """Return the tree whose nodes all have this many children, as deep as the number of nodes allows."""
    useful = min(children, len(vector))
    fitting = max(d for d in range(1, most + 1) if sum(useful**i for i in range(1, d + 1)) <= MOST_NODES)
    return _row(worth(branching([useful] * fitting), vector, cost_ratio, growth)) | {"children": useful}


def _beams(
    depth_acceptance: float, num_depths: int, num_beams: int, num_draws: int, cost_ratio: float, growth: Growth
) -> dict[str, object]:
    """DSBD against beam sampling of the same width, which asks the target about all its beams at every step."""
    num_nodes = num_depths * num_draws
    cost = float(num_depths * cost_ratio + growth(num_beams + num_nodes))
    step, depths = float(growth(num_beams)), beam_width.expected_depths(depth_acceptance, num_depths)
    return {
        "num_nodes": num_nodes,
        "levels": num_depths,
        "emitted": depths,
        "cost": cost,
        "step": step,
        "speed_up": depths * step / cost,
    }


def _row(value: Worth) -> dict[str, object]:
    return {
        "num_nodes": sequoia.size(value.tree),
        "levels": depth(value.tree),
        "emitted": value.emitted,
        "cost": value.cost,
        "speed_up": value.speed_up,
    }


def _drawn(value: Worth, vector: Sequence[float]) -> dict[str, object]:
    listed = list(nodes(value.tree, vector))
    return {
        "parents": [parent for parent, _, _ in listed],
        "places": [rank for _, rank, _ in listed],
        "chances": [chance for _, _, chance in listed],
    }


def _growth(nodes_cost: str, per_node: float, bytes_per_parameter: float) -> Growth:
    if nodes_cost == STRAIGHT:
        return straight(per_node)
    if row := cost_rows().get(nodes_cost):
        return row.growth()
    machine = _machine(nodes_cost)
    return lambda num_nodes: roofline.call_growth(machine, bytes_per_parameter, num_nodes)


def _machine(name: str) -> roofline.Machine:
    if name not in roofline.MACHINES:
        raise PlaygroundError(f"Unknown machine {name!r}. Choose one of {', '.join(roofline.MACHINES)}.")
    return roofline.MACHINES[name]
