"""The beam lab: golden widths, and the rule's own frequencies on the exact ones."""

import numpy as np
import pytest

from playground.errors import PlaygroundError
from playground.lab.beam_width import _at_depth, _noise, chosen_width, simulated_counts, simulated_rounds
from tests.golden import ACCEPTANCE

GOLDEN = ACCEPTANCE["dsbd"]
P, Q = GOLDEN["p_beam"], GOLDEN["q_beam"]
SLIDERS = {"num_draws": 6, "threshold": 0.7, "min_width": 2, "num_layers": 3}


def asked(p=P, q=Q, **changed):
    return chosen_width(p, q, **SLIDERS | changed)


def test_rates_chances_and_width_equal_the_golden_ones():
    result, golden = asked(), GOLDEN["W_S=6"]
    np.testing.assert_allclose(result["rates"], golden["alphas"], atol=1e-9)
    np.testing.assert_allclose(result["exactly"], golden["P_exactly_k"], atol=1e-9)
    assert (result["reached"], result["width"]) == (2, 2)
    assert (asked(threshold=0.9)["reached"], asked(threshold=0.9)["width"]) == (0, 2)
    assert asked(threshold=0)["width"] == 2, "without a threshold it is the least"
    rounds = simulated_rounds(P, Q, **SLIDERS | {"threshold": 0}, seed=0, runs=20)
    assert {width for record in rounds["layers"] for width, _ in record["widths"]} == {2}
    weights = asked([3, 7, 2, 5, 3], [8, 5, 4, 2, 1])
    assert weights["normalised"] and weights["exactly"] == pytest.approx(result["exactly"])


def test_each_rate_is_what_the_row_shown_beside_it_shares_with_the_draft():
    answer = asked()
    shared = np.minimum(answer["left"], answer["draft"]).sum(1)
    np.testing.assert_allclose(answer["rates"], shared, atol=1e-12)
    assert answer["left"][0] == answer["target"]


def test_equal_rows_accept_all_and_disjoint_ones_nothing():
    assert asked([0.5, 0.5], [0.5, 0.5])["width"] == 6
    disjoint = asked([1, 0], [0, 1])
    assert disjoint["normalised"] is False and (disjoint["reached"], disjoint["full"]) == (0, 0)
    assert disjoint["layers"] == 1  # every round is its correction
    assert simulated_counts([1, 0], [0, 1], num_draws=6, seed=0)["shares"][0] == 1


def test_the_rule_accepts_as_often_as_the_recursion_says():
    """Chi-square over 7 numbers of accepted drafts, 2,000 depths, one seed: a false alarm in 1 of 10,000 seeds."""
    result, played = asked(), simulated_counts(P, Q, num_draws=6, seed=0)
    expected = np.array(result["exactly"]) * played["runs"]
    assert ((np.array(played["shares"]) * played["runs"] - expected) ** 2 / expected).sum() < 27.86


def test_the_first_depth_of_a_round_is_accepted_as_exactly_as_it_is_chosen():
    """Four standard errors of 150 rounds: a false alarm in 1 of 15,000 seeds. Greater depths have fewer drafts."""
    result, played = asked(), simulated_rounds(P, Q, **SLIDERS, seed=0)
    first, second, _ = played["layers"]
    assert abs(first["accepted"] - result["full"]) < 4 * np.sqrt(result["full"] * (1 - result["full"]) / played["runs"])
    assert first["num_draws"] == 6 and second["num_draws"] < 4
    assert second["share"] == first["accepted"]
    assert played["steps"] < result["layers"]  # the theorem offers every depth all its drafts


def test_the_same_seed_plays_the_same_rounds():
    small = SLIDERS | {"runs": 10}
    assert simulated_rounds(P, Q, **small, seed=3) == simulated_rounds(P, Q, **small, seed=3)
    assert simulated_counts(P, Q, num_draws=4, seed=3) != simulated_counts(P, Q, num_draws=4, seed=4)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"p": [1]}, "one entry per token"),
        ({"p": [1], "q": [1]}, "2 to 8"),
        ({"p": [1] * 9, "q": [1] * 9}, "2 to 8"),
        ({"p": [0, 0], "q": [1, 1]}, "sums to 0"),
        ({"p": [1, float("inf")], "q": [1, 1]}, "not a probability"),
        ({"p": [2, -1], "q": [1, 1]}, "not a probability"),
        ({"num_draws": 13}, "Number of draws 13"),
        ({"num_layers": 0}, "out of range"),
        ({"num_layers": 7}, "out of range"),
        ({"min_width": 0}, "out of range"),
        ({"min_width": 7}, "Least width 7"),
        ({"threshold": -0.1}, "out of range"),
        ({"threshold": 1.1}, "Threshold 1.1"),
    ],
)
def test_bad_sliders_become_a_sentence(changed, words):
    with pytest.raises(PlaygroundError, match=words):
        asked(**changed)
    for ends in ({"num_layers": 1, "threshold": 1.0}, {"num_layers": 6, "num_draws": 12, "min_width": 6}):
        assert asked(**ends)["width"] >= 1
    assert asked([1] * 8, [1] * 8)["width"] >= 1


@pytest.mark.parametrize(("share", "runs", "noise"), [(0.5, 96, 0.1), (0.0, 6, 0.252982), (1.0, 6, 0.252982)])
def test_the_noise_of_a_share_is_agrestis(share, runs, noise):
    """Two successes and two failures are added: 50 of 100 here, and 2 or 8 of 10."""
    assert _noise(share, runs) == pytest.approx(noise, abs=1e-6)


def test_a_depth_adds_up_its_rounds():
    """Four rounds: three came to the second depth, of which two asked for a width of 2 and one for 3."""
    first = {"accepted": 2, "width": 2, "num_draws": 6}
    rounds = [
        [first, {"accepted": 2, "width": 2, "num_draws": 4}],
        [first, {"accepted": 1, "width": 2, "num_draws": 2}],
        [first, {"accepted": 4, "width": 3, "num_draws": 3}],
        [first | {"accepted": 1}],
    ]
    assert _at_depth(rounds, 2) == {
        "share": 0.75, "reached": 3, "num_draws": 3, "widths": [[2, 2 / 3], [3, 1 / 3]], "accepted": 2 / 3,
        "noise": _noise(2 / 3, 3),
    }  # fmt: skip
    assert (_at_depth(rounds, 1)["share"], _at_depth(rounds, 1)["accepted"]) == (1, 0.75)
    assert _at_depth(rounds, 3) == {
        "share": 0, "reached": 0, "num_draws": None, "widths": [], "accepted": None, "noise": None
    }  # fmt: skip


def test_the_noise_of_the_steps_is_two_standard_errors_of_the_rounds():
    """With one depth a round is one step or two, so its variance is that of a share."""
    played = simulated_rounds(P, Q, **SLIDERS | {"num_layers": 1}, seed=0, runs=40)
    (only,) = played["layers"]
    share = only["accepted"]
    assert 0 < share < 1 and played["steps"] == pytest.approx(1 + share)
    assert played["steps_noise"] == pytest.approx(2 * np.sqrt(share * (1 - share) / 39))


def test_the_noise_of_a_count_is_two_standard_errors_of_its_chance():
    played, exactly = simulated_counts(P, Q, num_draws=3, seed=0, runs=100), np.array(asked(num_draws=3)["exactly"])
    assert played["noise"] == pytest.approx(2 * np.sqrt(exactly * (1 - exactly) / 100))
    assert sum(played["shares"]) == pytest.approx(1) and played["runs"] == 100


def test_steps_per_target_call_follow_from_the_chance_of_a_layer():
    """1 + x + x^2 + x^3 for three depths, where x is min(t, beta), and once more with the chosen width's own chance."""
    answer = asked()
    for chance, layers in (("layer", "layers"), ("full", "full_layers")):
        assert answer[layers] == pytest.approx(sum(answer[chance] ** power for power in range(4)))
    assert answer["full"] == answer["at_least"][answer["width"]] and answer["layer"] <= 0.7


@pytest.mark.parametrize(("p", "q"), [([1, 1], [0.5, 0.5]), ([0.5, 0.5], [1, 1])])
def test_one_row_that_had_to_be_normalised_is_enough_to_say_so(p, q):
    assert asked(p, q)["normalised"] and not asked([0.5, 0.5], [0.5, 0.5])["normalised"]
