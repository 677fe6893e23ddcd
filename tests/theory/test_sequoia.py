"""The best draft tree: golden values, brute force over all trees, and what must hold for any acceptance vector."""

import heapq
from functools import lru_cache
from itertools import product

import numpy as np
import pytest

from playground.theory.sequoia import acceptance_vector, best_tree, expected_emitted, plan, size
from tests.golden import ACCEPTANCE

GOLDEN = ACCEPTANCE["sequoia_dp"]


def depth_of(tree):
    return max((1 + depth_of(child) for child in tree), default=0)


def width_of(tree):
    return max([len(tree), *(width_of(child) for child in tree)])


@lru_cache
def forests(num_nodes):
    """Every ordered sequence of trees with so many nodes, roots included; a tree is the forest below its root."""
    if num_nodes == 0:
        return [()]
    return [
        (first, *rest)
        for used in range(1, num_nodes + 1)
        for first, rest in product(forests(used - 1), forests(num_nodes - used))
    ]


def test_nothing_to_draft_is_a_root_alone():
    assert best_tree([], num_nodes=5, depth=3) == best_tree([0.5], num_nodes=0, depth=3) == ()
    assert best_tree([0.5], num_nodes=5, depth=0) == ()
    assert expected_emitted((), [0.5]) == 1


@pytest.mark.parametrize("num_nodes", [int(size) for size in GOLDEN["F"]])
def test_values_equal_the_golden_ones(num_nodes):
    """There the root counts as a node and as a depth."""
    vector, depth = GOLDEN["accept_vector"], GOLDEN["max_levels_including_root"] - 1
    tree = best_tree(vector, num_nodes=num_nodes - 1, depth=depth)
    assert abs(expected_emitted(tree, vector) - GOLDEN["F"][str(num_nodes)]) < 1e-12
    assert size(tree) == num_nodes - 1


@pytest.mark.parametrize("depth", [1, 2, 3, 7])
@pytest.mark.parametrize("seed", range(10))
def test_no_tree_does_better(seed, depth):
    """Against all ordered trees of up to seven drafted nodes; the vectors need not fall."""
    vector = np.random.default_rng(seed).dirichlet(np.ones(4))[:3].tolist()
    result = plan(tuple(vector), 7, depth)
    for num_nodes in range(8):
        allowed = [tree for tree in forests(num_nodes) if depth_of(tree) <= depth and width_of(tree) <= 3]
        best = max([expected_emitted(tree, vector) for tree in allowed], default=0)
        assert result.values[depth, num_nodes] >= best - 1e-12
        tree = best_tree(vector, num_nodes=num_nodes, depth=depth)
        assert size(tree) <= num_nodes and depth_of(tree) <= depth and width_of(tree) <= 3
        assert abs(expected_emitted(tree, vector) - result.values[depth, num_nodes]) < 1e-12


@pytest.mark.parametrize("num_nodes", [1, 10, 64, 128])
def test_a_falling_vector_needs_only_the_most_valuable_nodes(num_nodes):
    """Then no node is worth more than its parent or an earlier sibling, and the largest products make a tree."""
    vector = [0.5, 0.2, 0.1, 0.05]
    heap, total = [-chance for chance in vector], 1.0
    for _ in range(num_nodes):
        value = -heapq.heappop(heap)
        total += value
        for chance in vector:
            heapq.heappush(heap, -value * chance)
    assert abs(plan(tuple(vector), num_nodes, 64).values[-1, -1] - total) < 1e-9


def test_a_certain_first_child_makes_a_chain_and_a_hopeless_draft_nothing():
    assert best_tree([1.0, 0.0], num_nodes=10, depth=3) == ((((),),),)
    assert best_tree([0.0, 0.0], num_nodes=10, depth=3) == ()


def test_a_better_second_child_comes_only_after_the_first():
    assert best_tree([0.1, 0.5], num_nodes=2, depth=2) == ((), ())


def test_the_vector_of_equal_chances_is_geometric():
    assert acceptance_vector([0.5, 0.5, 0.5]) == [0.5, 0.25, 0.125]
    assert acceptance_vector([]) == []


@pytest.mark.parametrize("arguments", [((1.5,), 3, 3), ((float("nan"),), 3, 3), ((0.5,), -1, 3), ((0.5,), 3, -1)])
def test_impossible_arguments_are_refused(arguments):
    with pytest.raises(ValueError, match="Use 0"):
        plan(*arguments)
