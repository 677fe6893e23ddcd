"""SuffixDecoding: what it finds, what it makes of it, and when the hybrid asks its draft model."""

import numpy as np
import pytest

from playground.decoding.method import make_method
from playground.models.drafters.suffixes import best_continuation, grow, matches
from playground.models.table_model import TableModel
from playground.trace.events import Drafted
from tests.decoding.runs import request, trace_of

TEXT = [1, 2, 3, 1, 2, 4, 1, 2, 3, 5, 1, 2]


def guessed(context, **how):
    result = best_continuation(context, **{"longest": 8, "per_token": 8, "most": 16, "depth": 8} | how)
    return [(each.depth, each.token, round(each.value, 4)) for each in result.guesses] if result else []


def test_matches_are_the_places_after_the_last_tokens_the_latest_first():
    assert list(matches(TEXT, 8)) == [(1, (8, 5, 2)), (2, (8, 5, 2))]
    assert list(matches([7], 8)) == list(matches([1, 2, 3], 8)) == []
    assert list(matches([5, 5, 5], 1)) == [(1, (2, 1))]


def test_guesses_are_worth_the_share_of_places_and_come_best_first():
    """After "1 2" came 3 twice and 4 once; after "1 2 3" came 1 and 5."""
    assert guessed(TEXT, per_token=3) == [
        (1, 3, 0.6667),
        (1, 4, 0.3333),
        (2, 5, 0.3333),
        (2, 1, 0.3333),
        (2, 1, 0.3333),
        (3, 1, 0.3333),
    ]


def test_below_each_guess_the_shares_add_up_to_its_own():
    """Places that the text's end cuts off are not counted; all others are shared out."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        text = rng.integers(0, 3, 30).tolist()
        for _, indices in matches(text, 3):
            guesses = list(grow(text, indices, 500, 4, frozenset()))
            assert [each.value for each in guesses] == sorted((each.value for each in guesses), reverse=True)
            for index, each in enumerate(guesses):
                assert each.parent < index and each.depth == (1 if each.parent < 0 else guesses[each.parent].depth + 1)
                below = [child.value for child in guesses if child.parent == index]
                assert not below or sum(below) == pytest.approx(each.value)
                assert len({child.token for child in guesses if child.parent == each.parent}) == sum(
                    child.parent == each.parent for child in guesses
                )


def test_a_longer_match_drafts_more_and_the_best_sum_wins():
    """ "9 2" stood there once and goes on for sure; "2" stood there often, and every time otherwise."""
    text = [9, 2, 6, 7, 2, 3, 2, 4, 2, 5, 9, 2]
    assert guessed(text, per_token=1) == [(1, 6, 1.0), (2, 7, 1.0)]
    assert guessed(text, per_token=1, longest=1) == [(1, 5, 0.25)]  # The most recent of four alike is taken.
    assert len(guessed(text, per_token=2)) == 4 and len(guessed(text, per_token=2, most=3)) == 3
    assert best_continuation([1, 2, 3, 1, 2], longest=8, per_token=8, most=1, depth=8).length == 2  # The two are alike.


def test_nothing_follows_a_token_that_ends_texts():
    assert guessed([1, 2, 3, 4, 1, 2], final=[3]) == [(1, 3, 1.0)]
    assert guessed([1, 2, 3, 4, 1, 2], depth=1) == [(1, 3, 1.0)]
    assert guessed([1, 2, 3, 4, 1, 2], depth=0) == []


def test_a_text_that_goes_round_in_circles_takes_few_calls():
    target = TableModel(np.roll(np.eye(3), 1, axis=1))
    trace = trace_of(request(make_method("suffix_decoding"), target=target, draft=None, prompt=(0,), length=48))
    assert trace.events[-1].text == "bca" * 16
    assert trace.events[-1].target_calls < 48 / 3 and trace.events[-1].draft_calls == 0


def test_the_hybrid_copies_where_the_score_is_high_enough_and_drafts_elsewhere():
    """Draws of a copied tree have q = 1, those of the model its own."""
    target = TableModel(0.9 * np.roll(np.eye(4), 1, axis=1) + 0.025)
    copied = drafted = 0
    for seed in range(6):
        trace = trace_of(request(make_method("hybrid"), target=target, draft=target, seed=seed, length=40))
        for number, each in enumerate(trace.rounds, 1):
            results = [working for working in each.verified.workings or [] if working["kind"] == "suffix"]
            rows = [e for e in trace.events if isinstance(e, Drafted) and e.round == number]
            qs = {q for row in rows for q in row.draft_probs}
            if results:
                copied += 1
                assert results[0]["score"] >= 3 and qs == {1.0}
                assert sum(results[0]["values"]) == pytest.approx(results[0]["score"])
            elif rows:
                drafted += 1
                assert 1.0 not in qs
    assert copied > 10 and drafted > 10
    never = trace_of(request(make_method("hybrid", {"least_score": 16}), target=target, draft=target, length=40))
    assert not [w for each in never.rounds for w in each.verified.workings or [] if w["kind"] == "suffix"]
