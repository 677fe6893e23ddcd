"""Prompt lookup: what it copies, and that a text that repeats itself is decoded in few calls."""

from itertools import islice

import numpy as np
import pytest

from playground.decoding.method import make_method
from playground.decoding.methods.prompt_lookup import copied, last_match
from playground.models.table_model import TableModel
from playground.trace.events import Drafted
from tests.decoding.runs import request, trace_of


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ([1, 2, 3, 4], []),
        ([7], []),
        ([1, 2, 3, 4, 1, 2], [3, 4, 1]),
        ([1, 2, 9, 5, 2, 8, 1, 2], [9, 5, 2]),  # the longer match wins over the more recent one
        ([1, 2, 3, 1, 2, 4, 1, 2], [4, 1, 2]),  # The more recent of two matches as long is taken.
        ([5, 5], [5, 5, 5]),  # the copy goes on with what it has copied
    ],
)
def test_it_copies_what_followed_the_longest_and_latest_match(context, expected):
    assert list(islice(copied(context, last_match(context, max_ngram=3)), 3)) == expected


def test_a_shorter_longest_match_looks_at_fewer_tokens():
    context = [1, 2, 9, 5, 2, 8, 1, 2]
    assert next(copied(context, last_match(context, max_ngram=1))) == 8


def test_a_text_that_goes_round_in_circles_takes_few_calls():
    """a b c a b c ...: once around, then nine tokens per call."""
    target = TableModel(np.roll(np.eye(3), 1, axis=1))
    trace = trace_of(request(make_method("prompt_lookup"), target=target, draft=None, prompt=(0,), length=48))
    assert trace.events[-1].text == "bca" * 16
    assert trace.events[-1].target_calls == 3 + 45 / 9
    assert trace.events[-1].draft_calls == 0 and trace.events[0].draft is None


def test_copying_stops_at_the_end_of_a_text():
    """The prompt holds an end-of-text token, as packed texts do: nothing behind it is proposed."""
    target = TableModel(np.full((4, 4), 0.25), eos_ids=frozenset([3]))
    trace = trace_of(request(make_method("prompt_lookup"), target=target, prompt=(0, 1, 3, 2, 0, 1), length=8))
    first = [event for event in trace.events if isinstance(event, Drafted) and event.round == 1]
    assert [event.tokens for event in first] == [[3]]
