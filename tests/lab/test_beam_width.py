"""The beam lab: golden widths, and the rule's own frequencies on the exact ones."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from playground.errors import PlaygroundError
from playground.lab.beam_width import chosen_width, simulated_counts, simulated_rounds

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "acceptance.json").read_text())["dsbd"]
P, Q = GOLDEN["p_beam"], GOLDEN["q_beam"]
SLIDERS = {"num_draws": 6, "threshold": 0.7, "min_width": 2, "num_layers": 3}


def asked(p=P, q=Q, **changed):
    return chosen_width(p, q, **SLIDERS | changed)


def test_rates_chances_and_width_equal_the_golden_ones():
    found, golden = asked(), GOLDEN["W_S=6"]
    np.testing.assert_allclose(found["rates"], golden["alphas"], atol=1e-9)
    np.testing.assert_allclose(found["exactly"], golden["P_exactly_k"], atol=1e-9)
    assert (found["reached"], found["width"]) == (2, 2)
    assert (asked(threshold=0.9)["reached"], asked(threshold=0.9)["width"]) == (0, 2)


def test_each_rate_is_what_the_row_shown_beside_it_shares_with_the_draft():
    found = asked()
    shared = np.minimum(found["left"], found["draft"]).sum(1)
    np.testing.assert_allclose(found["rates"], shared, atol=1e-12)
    assert found["left"][0] == found["target"]


def test_equal_rows_accept_all_and_disjoint_ones_nothing():
    assert asked([0.5, 0.5], [0.5, 0.5])["width"] == 6
    disjoint = asked([1, 0], [0, 1])
    assert disjoint["normalised"] is False and (disjoint["reached"], disjoint["full"]) == (0, 0)
    assert disjoint["layers"] == 1  # every round is its correction
    assert simulated_counts([1, 0], [0, 1], num_draws=6, seed=0)["shares"][0] == 1


def test_weights_are_normalised_and_said_so():
    found = asked([3, 7, 2, 5, 3], [8, 5, 4, 2, 1])
    assert found["normalised"] and found["exactly"] == pytest.approx(asked()["exactly"])


def test_without_a_threshold_the_width_is_the_least():
    assert asked(threshold=0)["width"] == 2
    rounds = simulated_rounds(P, Q, **SLIDERS | {"threshold": 0}, seed=0, runs=20)
    assert {width for layer in rounds["layers"] for width, _ in layer["widths"]} == {2}


def test_the_rule_accepts_as_often_as_the_recursion_says():
    """Chi-square over 7 numbers of accepted drafts, 2,000 layers, one seed: a false alarm in 1 of 10,000 seeds."""
    found, played = asked(), simulated_counts(P, Q, num_draws=6, seed=0)
    expected = np.array(found["exactly"]) * played["runs"]
    assert ((np.array(played["shares"]) * played["runs"] - expected) ** 2 / expected).sum() < 27.86


def test_the_first_layer_of_a_round_is_accepted_as_exactly_as_it_is_chosen():
    """Four standard errors of 150 rounds: a false alarm in 1 of 15,000 seeds. Deeper layers have fewer drafts."""
    found, played = asked(), simulated_rounds(P, Q, **SLIDERS, seed=0)
    first, second, _ = played["layers"]
    assert abs(first["accepted"] - found["full"]) < 4 * np.sqrt(found["full"] * (1 - found["full"]) / played["runs"])
    assert first["num_draws"] == 6 and second["num_draws"] < 4
    assert second["share"] == first["accepted"]
    assert played["steps"] < found["layers"]  # the theorem offers every layer all its drafts


def test_the_same_seed_plays_the_same_rounds():
    small = SLIDERS | {"runs": 10}
    assert simulated_rounds(P, Q, **small, seed=3) == simulated_rounds(P, Q, **small, seed=3)
    assert simulated_counts(P, Q, num_draws=4, seed=3) != simulated_counts(P, Q, num_draws=4, seed=4)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"p": [1]}, "one per token"),
        ({"p": [1], "q": [1]}, "2 to 8"),
        ({"p": [0, 0], "q": [1, 1]}, "no distribution"),
        ({"p": [1, float("inf")], "q": [1, 1]}, "no distribution"),
        ({"num_draws": 13}, "Draws 13"),
        ({"min_width": 7}, "Least width 7"),
        ({"threshold": 1.5}, "Threshold 1.5"),
    ],
)
def test_bad_sliders_become_a_sentence(changed, words):
    with pytest.raises(PlaygroundError, match=words):
        asked(**changed)
