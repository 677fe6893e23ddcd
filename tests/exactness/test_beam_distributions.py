"""The references that beam methods are measured against, by hand; beam sampling itself is enumerated against them."""

import itertools
import math

import pytest

from playground.exactness.beam_distributions import beam_sampling_distribution, beam_search
from playground.models.table_model import TableModel
from tests.decoding.methods.test_beam_sampling import ENDING, PROMPT


def test_a_text_that_ends_takes_its_place_along():
    """One beam: an ended text stays as it is, and has the probability of its tokens."""
    distribution = beam_sampling_distribution(ENDING, PROMPT, width=1, num_steps=2, replacement=True)
    first = ENDING.row(PROMPT)
    assert distribution[((2,),)] == pytest.approx(first[2])
    assert distribution[((0, 2),)] == pytest.approx(first[0] * ENDING.row([*PROMPT, 0])[2])
    two = beam_sampling_distribution(ENDING, PROMPT, width=2, num_steps=2, replacement=True)
    assert sum(two.values()) == pytest.approx(1, abs=1e-12)
    assert two[((2,), (2,))] == pytest.approx(first[2] ** 2)
    # one draw ends at once; the other goes on alone, so its second token is a plain sample
    assert two[((0, 1), (2,))] == pytest.approx(2 * first[0] * first[2] * ENDING.row([*PROMPT, 0])[1])


def test_a_search_that_is_wide_enough_finds_the_most_probable_text():
    for seed in range(20):
        model = TableModel.random(3, order=3, seed=seed)
        distribution = model.distribution([*PROMPT], 3)
        best = max(itertools.product(range(3), repeat=3), key=lambda text: distribution[text])
        assert beam_search(model, PROMPT, width=9, num_tokens=3).answer == best


def test_an_ended_text_wins_by_its_log_probability_per_token():
    """log 0.4 for one token against log(0.6 * 0.99) / 2 for two."""
    model = TableModel([[0.99, 0.01], [0.6, 0.4]], eos_ids=frozenset([1]))
    result = beam_search(model, [1], width=2, num_tokens=2)
    assert result.answer == (0, 0) and (1,) in result.ended
    assert math.log(0.6 * 0.99) / 2 > math.log(0.4)
