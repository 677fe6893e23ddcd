"""Laws without drawing: every way the coins can fall."""

import numpy as np
import pytest

from playground.decoding.method import make_method
from playground.exactness.broken_rules import BROKEN
from playground.exactness.diagnosis import REWOUND, enumerate_mistake
from playground.exactness.enumeration import (
    Course,
    Stream,
    Uniform,
    courses,
    method_round,
    runs_distribution,
    texts_distribution,
)
from playground.exactness.trial import DRAFT, NUM_TOKENS, PROMPT, TARGET, Trial, target_distribution

LOSSLESS = [
    ("autoregressive", {}),
    ("speculative_sampling", {"draft_length": 2}),
    ("block_verification", {"draft_length": 2}),
    ("sample_and_match", {"draft_length": 2}),
    ("greedy_draft", {"draft_length": 3}),
    ("specinfer", {"draft_length": 1, "first_draws": 2}),
    ("spectr", {"draft_length": 1, "num_drafts": 2}),
    ("importance_sampling", {"draft_length": 1, "num_drafts": 2}),
    ("dynamic_tree", {}),
]


@pytest.mark.parametrize(("name", "options"), LOSSLESS)
def test_the_law_of_a_lossless_method_is_the_targets_to_rounding(name, options):
    distribution = texts_distribution(method_round(make_method(name, options), TARGET, DRAFT), PROMPT, NUM_TOKENS)
    assert max(abs(distribution.get(text, 0) - p) for text, p in target_distribution().items()) < 1e-12


def test_whole_runs_have_the_law_that_their_rounds_are_put_together_to():
    method = make_method("speculative_sampling", {"draft_length": 1})
    whole, _ = runs_distribution(method, TARGET, DRAFT, PROMPT, 2)
    apiece = texts_distribution(method_round(method, TARGET, DRAFT), PROMPT, 2)
    assert set(whole) == set(apiece) and all(abs(whole[text] - apiece[text]) < 1e-12 for text in whole)


@pytest.mark.parametrize("name", REWOUND)
def test_what_rounds_pass_on_of_their_coins_makes_whole_runs(name):
    method = BROKEN[name].make()
    whole, _ = runs_distribution(method, TARGET, DRAFT, PROMPT, NUM_TOKENS)
    apiece = enumerate_mistake(name, Trial(1))
    assert set(whole) == set(apiece) and all(abs(whole[text] - apiece[text]) < 1e-12 for text in whole)


def test_every_side_of_every_decision_is_taken_once_and_their_chances_sum_to_one():
    def run(course):
        uniform, other = (Uniform(course) for _ in range(2))
        return uniform * 0.5 < 0.2, uniform < 0.7, uniform >= 0.7, other < 0.5

    results = dict(courses(run))
    assert len(results) == 6 and sum(results.values()) == pytest.approx(1)
    assert results[True, True, False, True] == pytest.approx(0.4 * 0.5)
    assert results[False, True, False, False] == pytest.approx(0.3 * 0.5)
    assert results[False, False, True, False] == pytest.approx(0.3 * 0.5)


def test_a_stream_that_is_put_back_gives_the_same_coins():
    course = Course([])
    stream = Stream(course)
    first = stream.random(2)
    state = stream.bit_generator.state
    third = stream.random()
    stream.bit_generator.state = 0
    assert [*stream.random(2)] == [*first] and stream.bit_generator.state == state
    assert stream.random() is third and isinstance(np.full(2, third)[0], Uniform)
