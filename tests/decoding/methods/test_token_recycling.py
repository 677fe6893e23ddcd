"""Token Recycling: what its table holds, and the tree that is read from it."""

from playground.decoding.method import make_method
from playground.decoding.methods.token_recycling import best_paths
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
