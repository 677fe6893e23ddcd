"""The law of the next tokens of a model that is asked, against one whose law is written down."""

from dataclasses import replace

import numpy as np
import pytest

from playground.decoding.method import make_method
from playground.errors import PlaygroundError
from playground.exactness.next_tokens import MOST_TEXTS, NextTokens
from playground.models.table_model import TableModel
from tests.decoding.runs import texts_of_runs

TARGET = TableModel.random(6, order=2, seed=1)
DRAFT = TableModel.random(6, order=1, seed=2)
PROMPT = "abcab"


def next_tokens(target=TARGET, **changes):
    return NextTokens(
        **{"target": target, "draft": DRAFT, "prompt": PROMPT, "num_tokens": 2, "num_likeliest": 3} | changes
    )


def by_hand(context, kept):
    """The likeliest tokens of a row, normalised."""
    row = TARGET.row(context)
    best = np.argsort(-row)[:kept]
    return {int(token): row[token] / row[best].sum() for token in best}


def test_the_law_is_the_product_of_the_warped_rows():
    prompt, distribution = TARGET.vocabulary.encode(PROMPT), next_tokens().distribution()
    expected = {
        (first, second): p * q
        for first, p in by_hand(prompt, 3).items()
        for second, q in by_hand([*prompt, first], 3).items()
    }
    assert distribution.keys() == expected.keys()
    assert distribution == pytest.approx(expected, abs=1e-12) and sum(distribution.values()) == pytest.approx(
        1, abs=1e-12
    )


def test_a_text_that_ends_is_an_outcome_of_its_own():
    ending = next(iter(by_hand(TARGET.vocabulary.encode(PROMPT), 3)))
    distribution = next_tokens(
        TableModel(TARGET.table, eos_ids=frozenset([ending])), num_tokens=3, num_likeliest=3
    ).distribution()
    assert (ending,) in distribution and sum(distribution.values()) == pytest.approx(1, abs=1e-12)
    assert all(len(text) == 3 or text[-1] == ending for text in distribution)


@pytest.mark.parametrize(
    ("method", "lossless"), [("speculative_sampling", True), ("prompt_lookup", True), ("typical_acceptance", False)]
)
def test_runs_have_this_law_where_their_method_is_lossless_and_another_where_it_is_not(method, lossless):
    """Enumerated: two tokens, by every way that the random numbers can fall."""
    tokens, made = next_tokens(), make_method(method)
    texts, distribution = texts_of_runs(replace(tokens.request(made, 0), max_new_tokens=2)), tokens.distribution()
    apart = sum(abs(texts[text] - distribution.get(text, 0)) for text in {*texts, *distribution}) / 2
    assert (apart < 1e-12) if lossless else (apart > 0.05)
    assert tokens.observe(made, 0) in distribution


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_tokens": 0}, "Choose 1 to 3 tokens"),
        ({"num_likeliest": 1}, "2 to 10 kept"),
        ({"num_tokens": 3, "num_likeliest": 7}, f"343 texts, and {MOST_TEXTS} is the most"),
    ],
)
def test_too_much_is_refused(changes, message):
    with pytest.raises(PlaygroundError, match=message):
        next_tokens(**changes)


def test_a_beam_method_is_refused_on_a_language_model():
    with pytest.raises(PlaygroundError, match="Choose the tables of probabilities"):
        next_tokens().request(make_method("beam_sampling"), 0)
