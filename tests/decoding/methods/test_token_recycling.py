"""Token Recycling: what its table holds, and the tree that is read from it."""

from playground.decoding.method import make_method
from playground.decoding.methods.token_recycling import best_paths, workings
from playground.models.sampling import Sampling
from playground.models.table_model import TableModel
from tests.decoding.runs import request, trace_of

LOOP = TableModel([[0.1, 0.9, 0.0], [0.1, 0.0, 0.9], [0.9, 0.1, 0.0]])  # 0, 1, 2, 0, 1, 2, ...


def greedy_rounds(**options):
    method = make_method("token_recycling", options)
    return trace_of(request(method, target=LOOP, draft=None, sampling=Sampling(0), prompt=(0,), length=20)).rounds


def test_paths_come_by_their_sum_of_ranks_and_parents_before_children():
    table = {1: [2, 3], 2: [4, 1], 4: [5]}
    assert best_paths(table, 1, 4) == [[2], [3], [2, 4], [2, 1]] == best_paths(table, 1, 5)[:-1]
    assert best_paths(table, 1, 5)[-1] == [2, 4, 5]
    assert best_paths(table, 9, 4) == best_paths({}, 1, 4) == []
    assert best_paths({0: [0]}, 0, 3) == [[0], [0, 0], [0, 0, 0]], "a token that follows itself goes on"


def test_a_loop_is_learned_in_one_turn_and_then_written_a_whole_tree_at_a_time():
    """Three rounds fill the table, one row each; from then on the best path is the loop itself."""
    rounds = greedy_rounds(num_nodes=4, width=1)
    assert [len(each.committed.tokens) for each in rounds] == [1, 1, 1, 5, 5, 5, 2]


def test_what_was_never_written_is_drafted_too():
    """The row after 0 held 1 and then 0, and only 1 was written; when 0 comes again both are drafted."""
    rounds = greedy_rounds(num_nodes=2, width=2)
    assert not rounds[0].drafted and rounds[3].drafted[0].tokens == [1, 0]


def test_the_workings_are_the_table_that_the_next_draft_is_read_from():
    """Put together round by round they give the paths that are drafted, and their number is what a round says."""
    method = make_method("token_recycling", {"num_nodes": 3, "width": 2})
    target = TableModel.random(6, seed=2)
    trace = trace_of(request(method, target=target, draft=None, prompt=(0,), length=24))
    table, last, token_of = {}, 0, {0: 0}
    for each in trace.rounds:
        [working] = [working for working in each.verified.workings if working["kind"] == "token_table"]
        assert working["size"] == len(table) and len(working["tokens"]) == 2 * len(working["nodes"])
        for depth in each.drafted:
            token_of |= dict(zip(depth.nodes, depth.tokens, strict=True))
        if len(trace.rounds) > each.scored.round:  # the last is cut at the run's end
            ends = [path[-1] for path in best_paths(table, last, 3)]
            assert sorted(token for depth in each.drafted for token in depth.tokens) == sorted(ends)
        token_of |= dict(zip(each.committed.nodes, each.committed.tokens, strict=True))
        rows = [working["tokens"][i : i + 2] for i in range(0, len(working["tokens"]), 2)]
        table |= dict(zip((token_of[node] for node in working["nodes"]), rows, strict=True))
        last = each.committed.tokens[-1]


def test_of_many_rows_the_first_are_shown():
    shown = workings(range(65), [[1, 2, 3]] * 65, 7)
    assert len(shown.nodes) == 26 and len(shown.tokens) == 78 and (shown.size, shown.width) == (7, 3)
