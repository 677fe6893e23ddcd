"""A round's end cuts what a rule kept beyond what it may: drafts here stop before, those of a new method might not."""

import numpy as np
import pytest

from playground.decoding.distribution import Deterministic
from playground.decoding.drafting.draft import Draft
from playground.decoding.reader import Reader
from playground.decoding.verifying import close, read
from playground.models.sampling import Sampling
from playground.models.table_model import TableModel
from playground.tree import TokenTree
from tests.decoding.runs import setting_of

END = 2
TARGET = TableModel.random(4, order=2, seed=3)


def closed(tokens, *, kept, tokens_left):
    """The round in which these tokens were drafted as a chain, and a rule kept so many."""
    tree = TokenTree([0, 1])
    ending = {"tokens_left": tokens_left, "eos_ids": frozenset({END})}
    setting = setting_of(tree, Reader(TARGET, Sampling(), tree), verify_rng=np.random.default_rng(1), **ending)
    draft, node = Draft(), tree.trunk[-1]
    for token in tokens:
        [node] = draft.hang(tree, [(node, token)], Deterministic())
    verdict = close(setting, draft, read(setting, draft), draft.nodes()[:kept])
    return [tree.tokens[each] for each in verdict.accepted], verdict


@pytest.mark.parametrize(("tokens_left", "left"), [(1, [0]), (3, [0, 1, 3]), (4, [0, 1, 3, 0])])
def test_no_more_is_kept_than_there_is_room_for(tokens_left, left):
    path, verdict = closed([0, 1, 3, 0], kept=4, tokens_left=tokens_left)
    assert path == left and verdict.extra is None


@pytest.mark.parametrize("tokens_left", [3, 4, 8])
def test_nothing_is_kept_behind_an_end_token(tokens_left):
    path, verdict = closed([0, 1, END, 0, 1], kept=5, tokens_left=tokens_left)
    assert path == [0, 1, END] and verdict.extra is None


@pytest.mark.parametrize(("kept", "origin"), [(0, "correction"), (2, "correction"), (3, "bonus")])
def test_one_token_more_where_there_is_room(kept, origin):
    path, verdict = closed([0, 1, 3], kept=kept, tokens_left=8)
    assert len(path) == kept and verdict.extra is not None and verdict.origin == origin


def test_without_a_draft_the_token_is_plain():
    path, verdict = closed([], kept=0, tokens_left=1)
    assert path == [] and verdict.origin == "plain" and verdict.extra is not None
