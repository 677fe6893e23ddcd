"""Limits of a draft: the parents that `parents_by_depth` yields, on a tree made by hand."""

import numpy as np
import pytest

from playground.decoding.distribution import Independent
from playground.decoding.drafting.draft import Draft
from playground.tree import TokenTree
from tests.decoding.runs import setting_of

ROW = Independent(np.full((4,), 0.25))


@pytest.fixture
def setting():
    """With room for four tokens behind a prompt of two."""
    return setting_of(TokenTree([0, 1]), None, tokens_left=4)


def test_a_node_that_was_drawn_twice_is_handed_out_once(setting):
    draft, given = Draft(), []
    for parents in setting.parents_by_depth(draft, 3):
        given.append(parents)
        draft.hang(setting.tree, [(node, token) for node in parents for token in (2, 1, 2)], ROW)
    assert [len(parents) for parents in given] == [1, 2, 4]
    assert all(len(set(parents)) == len(parents) for parents in given)
    assert draft.num_draws() == 3 + 6 + 12 and len(draft.nodes()) == 2 + 4 + 8


def test_a_depth_that_got_nothing_is_the_last(setting):
    draft = Draft()
    assert list(setting.parents_by_depth(draft, 3)) == [setting.frontier]
