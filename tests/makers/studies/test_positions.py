"""Acceptance position by position: of one draft of each drafter, under each rule."""

import numpy as np
import pytest

from playground.makers.studies.positions import RULES, TOP_P, alphabet_sizes, as_data, by_kind, positions
from playground.models.loading import LoadedPair
from playground.models.sampling import Sampling
from tests.models.small import random_model

TARGET = random_model("llama", 1)
PROMPTS = [("one", "5 7 11"), ("two", "3 3 3")]
ASKED = {"seed": 0, "sampling": Sampling(), "max_new_tokens": 6}


def test_each_rule_accepts_by_its_formula():
    """Of p = (.5, .3, .2) and q = (.2, .6, .2): the overlap, p of the likeliest draft, and both drawing the same."""
    p, q = np.array([[0.5, 0.3, 0.2]]), np.array([[0.2, 0.6, 0.2]])
    assert {name: rule(p, q).tolist() for name, rule in RULES.items()} == {
        "speculative_sampling": [pytest.approx(0.7)],
        "greedy_draft": [pytest.approx(0.3)],
        "sample_and_match": [pytest.approx(0.32)],
    }


def test_a_draft_that_is_the_target_is_always_accepted_and_means_are_over_positions():
    texts = positions(LoadedPair(TARGET, TARGET), ["draft"], PROMPTS, **ASKED)
    assert [len(each.pieces) for each in texts] == [6, 6]
    assert by_kind(texts, "speculative_sampling")["all"]["draft"] == pytest.approx(1, abs=1e-3)
    other = positions(LoadedPair(TARGET, random_model("llama", 2)), ["draft"], PROMPTS, **ASKED)
    rates = [rate for each in other for rate in each.acceptance["greedy_draft"]["draft"]]
    means = as_data(other, ["draft"])["means"]["greedy_draft"]
    assert means["all"]["draft"] == pytest.approx(np.mean(rates)) and set(means) == {"all", "one", "two"}
    assert 0 < np.mean(rates) < 1


def test_the_effective_alphabet_is_what_top_p_leaves_with_the_token_that_crosses_it():
    rows = np.array([[0.5, 0.3, 0.15, 0.05], [0.96, 0.02, 0.01, 0.01], [0.25, 0.25, 0.25, 0.25]])
    assert alphabet_sizes(rows) == [3, 1, 4]
    warped = Sampling(top_p=TOP_P).probs_on_host(np.log(rows))
    assert alphabet_sizes(rows) == np.count_nonzero(warped, axis=-1).tolist()
    (text, _) = positions(LoadedPair(TARGET, TARGET), ["draft"], PROMPTS, **ASKED)
    assert set(text.alphabet) == {"target", "draft"} and len(text.alphabet["draft"]) == len(text.pieces)
