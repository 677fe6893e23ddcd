"""The law of the next tokens of a model that is asked, against one whose law is written down."""

import numpy as np
import pytest
import torch

from playground.decoding.method import make_method
from playground.errors import PlaygroundError
from playground.exactness.goodness_of_fit import compare_under_conditions
from playground.exactness.next_tokens import MOST_TEXTS, NextTokens
from playground.models.table_model import TableModel

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


@pytest.mark.parametrize("method_id", ["speculative_sampling", "rsd_c", "prompt_lookup"])
def test_a_lossless_method_has_this_law(method_id):
    """False alarm: 1e-4, were the seeds not fixed."""
    tokens, method = next_tokens(), make_method(method_id)
    with torch.inference_mode():
        counts: dict = {}
        for seed in range(800):
            text = tokens.observe(method, seed)
            counts[text] = counts.get(text, 0) + 1
    assert compare_under_conditions([(counts, tokens.distribution())]).p_value > 1e-4


def test_a_lossy_one_has_not():
    tokens, method = next_tokens(), make_method("typical_acceptance")
    counts: dict = {}
    for seed in range(400):
        text = tokens.observe(method, seed)
        counts[text] = counts.get(text, 0) + 1
    assert compare_under_conditions([(counts, tokens.distribution())]).p_value < 1e-9


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
