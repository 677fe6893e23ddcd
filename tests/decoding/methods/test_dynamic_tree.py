"""The dynamic tree: it keeps exactly the most valuable nodes."""

import itertools

import pytest

from playground.decoding.method import make_method
from playground.models.table_model import TableModel
from playground.trace.events import Drafted
from tests.decoding.runs import request, trace_of

TARGET, DRAFT = TableModel.random(4, order=1, seed=3), TableModel.random(4, order=1, seed=4)


def first_round(**options):
    trace = trace_of(request(make_method("dynamic_tree", options), target=TARGET, draft=DRAFT, prompt=(0,), length=20))
    return [event for event in trace.events if isinstance(event, Drafted) and event.round == 1]


def paths(depths):
    """Tokens on the path to each drafted node."""
    path_to = {}
    for drafted in depths:
        for parent, node, token in zip(drafted.parents, drafted.nodes, drafted.tokens, strict=True):
            path_to[node] = (*path_to.get(parent, ()), token)
    return path_to


@pytest.mark.parametrize("total", [1, 5, 12, 20])
def test_the_kept_nodes_are_the_most_valuable_of_all(total):
    """Against every path of up to three tokens, by brute force; width 16 prunes nothing here."""
    distribution = {length: DRAFT.distribution([0], length) for length in (1, 2, 3)}
    every = [path for length in distribution for path in itertools.product(range(4), repeat=length)]
    best = sorted(every, key=lambda path: -distribution[len(path)][path])[:total]
    assert set(paths(first_round(depth=3, width=16, total_tokens=total)).values()) == set(best)


def test_a_width_of_one_is_the_greedy_chain():
    depths = first_round(depth=4, width=1, total_tokens=4)
    token, chain = 0, []
    for _ in range(4):
        token = int(DRAFT.table[token].argmax())
        chain.append(token)
    assert [drafted.tokens for drafted in depths] == [[token] for token in chain]


def test_each_depth_is_offered_by_falling_value():
    depths = first_round(depth=3, width=4, total_tokens=30)
    path_to = paths(depths)
    for depth, drafted in enumerate(depths, 1):
        values = [DRAFT.distribution([0], depth)[path_to[node]] for node in drafted.nodes]
        assert len(values) > 1 and values == sorted(values, reverse=True)
