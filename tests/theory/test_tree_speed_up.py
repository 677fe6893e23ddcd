"""What a tree is worth: by hand, against the textbook formula, and the best tree of a size against all others."""

import numpy as np
import pytest

from playground.theory import speculation
from playground.theory.sequoia import acceptance_vector, expected_emitted, size
from playground.theory.tree_speed_up import (
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
from tests.theory.test_sequoia import forests

VECTOR = acceptance_vector([0.7, 0.4, 0.3])


def test_nothing_drafted_is_plain_decoding():
    result = worth((), VECTOR, 0.2, straight(0.05))
    assert (result.emitted, result.cost, result.speed_up) == (1, 1, 1)
    assert list(nodes((), VECTOR)) == []


def test_a_round_by_hand():
    """Two depths of two children each: 2 draft calls at 0.1, and 7 nodes, each beyond the first at 0.05."""
    tree = branching([2, 2])
    assert (size(tree), depth(tree)) == (6, 2)
    assert round_cost(2, 6, 0.1, straight(0.05)) == pytest.approx(0.2 + 1 + 6 * 0.05)
    a = sum(VECTOR[:2])
    assert worth(tree, VECTOR, 0.1, straight(0.05)).emitted == pytest.approx(1 + a + a * a)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("length", [1, 4, 9])
def test_a_chain_whose_nodes_cost_nothing_is_the_textbook_formula(alpha, length):
    result = worth(chain(length), [alpha], 0.15, straight(0))
    assert result.speed_up == pytest.approx(float(speculation.speed_up(alpha, length, 0.15)), abs=1e-12)


def test_the_nodes_of_a_tree_sum_to_what_it_emits():
    tree = branching([3, 1, 2])
    listed = list(nodes(tree, VECTOR))
    assert len(listed) == size(tree) and all(parent < number for number, (parent, _, _) in enumerate(listed))
    assert 1 + sum(chance for *_, chance in listed) == pytest.approx(expected_emitted(tree, VECTOR))


@pytest.mark.parametrize("num_nodes", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("cost_ratio", [0.0, 0.15, 0.6])
def test_the_best_tree_beats_every_tree_of_its_size(num_nodes, cost_ratio):
    growth = straight(0.03)
    best = best_tree_of(num_nodes, VECTOR, cost_ratio, growth, 8)
    fitting = [tree for tree in forests(num_nodes) if max(len(each) for each in subtrees(tree)) <= len(VECTOR)]
    assert size(best.tree) == num_nodes
    assert best.speed_up == pytest.approx(max(worth(tree, VECTOR, cost_ratio, growth).speed_up for tree in fitting))


def subtrees(tree):
    return [tree, *(below for child in tree for below in subtrees(child))]


def test_nodes_that_are_never_accepted_are_not_drafted():
    growth = straight(0.02)
    assert best_tree_of(10, [0.0, 0.0], 0.1, growth, 6).tree == ()
    only_first = best_tree_of(10, [0.5, 0.0], 0.1, growth, 6)
    assert (size(only_first.tree), depth(only_first.tree)) == (6, 6)  # a chain, as deep as is allowed


def test_the_table_of_speed_ups_is_that_of_the_trees():
    growth = straight(0.02)
    table = tree_speed_ups(12, VECTOR, 0.1, growth, 5)
    for number in (1, 5, 12):
        best = best_tree_of(number, VECTOR, 0.1, growth, 5)
        assert np.nanmax(table[:, number]) == pytest.approx(best.speed_up)
    assert np.isnan(table[1, 4]) and table[0, 0] == 1  # three children at most at one depth
