"""Lookahead decoding: the tree of pool and window, a Jacobi iteration by hand, and what the pool learns."""

import numpy as np
import pytest

from playground.decoding.decode import Round, decode
from playground.decoding.drafting.draft import Draft
from playground.decoding.drafting.growth import hang_paths
from playground.decoding.method import make_method
from playground.decoding.methods.lookahead import Memory, with_ngrams
from playground.models.sampling import Sampling
from playground.models.table_model import TableModel
from playground.tree import TokenTree
from tests.decoding.runs import request, setting_of, trace_of

CYCLE = TableModel(np.roll(np.eye(4), 1, axis=1))  # writes 0 1 2 3 0 1 ...


def hung(paths, limit=9, **given):
    """Nodes of the paths below a prompt of one token, whose id is 0, and the draft."""
    draft = Draft()
    return hang_paths(setting_of(TokenTree([7]), None, **given), draft, paths, limit), draft


def test_paths_share_nodes_where_they_coincide_and_siblings_keep_the_order_of_the_paths():
    nodes, draft = hung([[1, 2], [3], [1, 2, 4], [3, 1]])
    assert nodes == [[1, 3], [2], [1, 3, 5], [2, 4]]
    assert draft.draws[0].tokens == [1, 3] and [len(depth.nodes) for depth in draft.depths] == [2, 2, 1]


def test_nothing_hangs_below_an_end_or_beyond_the_limit():
    assert hung([[1, 9, 2], [9, 1], [3]], eos_ids=frozenset([9]))[0] == [[1, 4], [2], [3]]
    assert hung([[1, 2, 3]], limit=2)[0] == [[1, 2]] and hung([[1]], limit=0)[0] == [[]]


def test_the_latest_ngram_comes_first_and_once():
    pool = with_ngrams({1: [[2, 3], [4, 5]]}, [[1, 4, 5], [6, 7, 8], [1, 0, 0]], most=2)
    assert pool == {1: [[0, 0], [4, 5]], 6: [[7, 8]]}


def test_each_call_moves_every_trajectory_on_by_the_rows_of_its_own_path():
    """In a cycle each prediction is the successor: from 0 come 0 1, then the n-gram 0 1 2 and the trajectory 1 2."""
    method, memories = make_method("lookahead", {"window": 2}), []

    def seen(number, setting):
        memories.append(setting.memory)
        return method

    run_request = request(method, target=CYCLE, draft=None, prompt=(0,), length=20, sampling=Sampling(0))
    assert sum(isinstance(item, Round) for item in decode(run_request, method_of=seen)) < 20
    assert memories[:3] == [None, Memory([[0, 1], [0, 1]]), Memory([[1, 2], [1, 2]], {0: [[1, 2]]})]
    for first, [rest] in memories[-1].pool.items():
        assert rest == [(first + 1) % 4, (first + 2) % 4]


def test_ngrams_of_the_pool_save_calls_that_the_window_alone_does_not():
    """By the pool every second round accepts an n-gram; the window's predictions are one place late after it."""
    calls = {}
    for candidates in (0, 5):
        method = make_method("lookahead", {"candidates": candidates})
        trace = trace_of(request(method, target=CYCLE, draft=None, prompt=(0,), length=60, sampling=Sampling(0)))
        assert trace.events[-1].text == "bcda" * 15 and trace.events[-1].draft_calls == 0
        calls[candidates] = trace.events[-1].target_calls
    assert calls[5] <= 60 / 2 and calls[5] < calls[0]


@pytest.mark.parametrize("ngram", [2, 3, 5])
def test_workings_name_the_targets_next_token_after_every_trajectory(ngram):
    target = TableModel.random(5, order=2, seed=3)
    method = make_method("lookahead", {"ngram": ngram, "window": 4})
    trace = trace_of(request(method, target=target, length=40, sampling=Sampling(0)))
    path_of, pool = {1: [0, 1]}, 0
    for each in trace.rounds:
        for event in (*each.drafted, each.committed):
            for parent, node, token in zip(event.parents, event.nodes, event.tokens, strict=True):
                path_of[node] = [*path_of[parent], token]
        for working in each.verified.workings:
            nodes, ends = working["nodes"], np.cumsum(working["lengths"]).tolist()
            num_candidates = len(ends) - len(working["tokens"])
            for end, token in zip(ends[num_candidates:], working["tokens"], strict=True):
                assert token == target.row(path_of[nodes[end - 1]]).argmax()
            assert working["ngram"] == ngram and working["num_ngrams"] >= max(pool, num_candidates)
            pool = working["num_ngrams"]
    assert pool > 3
