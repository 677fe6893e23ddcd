"""SpecInfer's chains: drafted as SpecTr's, and all of them go on. That they are lossless is in test_whole_rounds.py."""

from playground.decoding.method import make_method
from playground.models.table_model import TableModel
from tests.decoding.runs import request, rounds_of, tokens

SURE = TableModel([[0.97, 0.03]] * 2)  # nearly every chain begins alike


def first_draft(name, options, **more):
    return rounds_of(request(make_method(name, options), **more))[0].draft


def test_it_drafts_the_chains_that_spectr_and_importance_sampling_draft():
    """Under one seed: so the three differ by what they accept, and by nothing else."""
    options = {"draft_length": 4}
    ours = first_draft("specinfer", options | {"chains": 5})
    for rival in ("spectr", "importance_sampling"):
        theirs = first_draft(rival, options | {"num_drafts": 5})
        assert [(each.parents, each.nodes) for each in ours.depths] == [
            (each.parents, each.nodes) for each in theirs.depths
        ]


def test_chains_that_begin_alike_go_on_apart_where_the_tree_has_one_draw():
    draft = first_draft("specinfer", {"draft_length": 3, "chains": 4}, target=SURE, draft=SURE)
    assert [len(depth.nodes) for depth in draft.depths] == [4, 4, 4]
    arrived = draft.depths[0].nodes
    assert len(set(arrived)) < 4
    assert all(len(draft.draws[node].tokens) == arrived.count(node) for node in arrived)
    tree = first_draft("specinfer", {"draft_length": 3, "first_draws": 4}, target=SURE, draft=SURE)
    assert len(tree.depths[1].nodes) == len(set(tree.depths[0].nodes)) < 4


def test_one_chain_is_the_tree_of_one_draw():
    one, other = (make_method("specinfer", {"draft_length": 4, name: 1}) for name in ("chains", "first_draws"))
    assert tokens(request(one, length=40)) == tokens(request(other, length=40))


def test_chains_count_as_many_nodes_as_they_draft_and_no_limit_of_the_tree_is_theirs():
    method = make_method("specinfer", {"draft_length": 16, "chains": 3, "first_draws": 16, "later_draws": 1})
    assert method.options.num_drafted == 48
