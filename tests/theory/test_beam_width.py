"""The width of a depth against golden values, and against the Markov chain of accepted and rejected drafts."""

from collections import defaultdict

import numpy as np
import pytest

from playground.decoding.verification import depth as depth_rule
from playground.decoding.verification.recursive import reject
from playground.theory.beam_width import (
    acceptance_rates,
    accepted_probabilities,
    at_least,
    depth_acceptance,
    expected_depths,
    reached_width,
)
from tests.golden import ACCEPTANCE

GOLDEN = ACCEPTANCE["dsbd"]
P, Q = GOLDEN["p_beam"], GOLDEN["q_beam"]
EDGES = {
    "golden": (P, Q),
    "equal": ([0.2, 0.3, 0.5], [0.2, 0.3, 0.5]),
    "disjoint": ([0.5, 0.5, 0, 0], [0, 0, 0.3, 0.7]),
    "point masses that agree": ([0, 1.0, 0], [0, 1.0, 0]),
    "a draft of one token": ([0.3, 0.7], [1.0, 0]),
    "a target of one token": ([0, 1.0, 0], [0.4, 0.5, 0.1]),
}


def chain(rates):
    """Both sides of every coin: the state is the number accepted, and the rejections since the last acceptance."""
    states = {(0, 0): 1.0}
    for _ in rates:
        after = defaultdict(float)
        for (accepted, rejected), chance in states.items():
            after[accepted + 1, 0] += chance * rates[rejected]
            after[accepted, rejected + 1] += chance * (1 - rates[rejected])
        states = after
    counts = np.zeros(len(rates) + 1)
    for (accepted, _), chance in states.items():
        counts[accepted] += chance
    return counts


@pytest.mark.parametrize("num_drafts", [4, 6])
def test_rates_probabilities_and_widths_equal_the_golden_ones(num_drafts):
    golden = GOLDEN[f"W_S={num_drafts}"]
    rates = acceptance_rates(P, Q, num_drafts)
    probabilities = accepted_probabilities(rates)
    np.testing.assert_allclose(rates, golden["alphas"], rtol=0, atol=1e-9)
    np.testing.assert_allclose(probabilities, golden["P_exactly_k"], rtol=0, atol=1e-9)
    np.testing.assert_allclose(at_least(probabilities), golden["P_at_least_K"], rtol=0, atol=1e-9)
    for threshold, width in golden["W_tilde"].items():
        assert reached_width(probabilities, float(threshold)) == width


@pytest.mark.parametrize(("num_drafts", "width"), [(3, 2), (4, 2), (4, 3)])
def test_a_depth_is_accepted_as_often_as_the_golden_values_say(num_drafts, width):
    golden = GOLDEN[f"layer WS={num_drafts} WL={width}"]["iid_drafts"]["P_layer_accepted"]
    reached = at_least(accepted_probabilities(acceptance_rates(P, Q, num_drafts)))
    assert reached[width] == pytest.approx(golden, abs=1e-9)


@pytest.mark.parametrize("num_drafts", [0, 1, 2, 5, 9, 40])
@pytest.mark.parametrize("name", EDGES)
def test_the_recursion_is_the_markov_chain_and_sums_to_one(name, num_drafts):
    rates = acceptance_rates(*EDGES[name], num_drafts)
    probabilities = accepted_probabilities(rates)
    assert len(rates) == num_drafts and probabilities.shape == (num_drafts + 1,)
    np.testing.assert_allclose(probabilities, chain(rates), rtol=0, atol=1e-12)
    assert probabilities.sum() == pytest.approx(1, abs=1e-12) and (probabilities >= 0).all()


def test_random_rows_agree_with_the_chain_and_with_the_rule():
    """200 pairs of rows: the rates are those of the residuals that the verification itself computes."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        p, q = rng.dirichlet(np.full(6, 0.5), size=2)
        rates = acceptance_rates(p, q, 5)
        np.testing.assert_allclose(accepted_probabilities(rates), chain(rates), rtol=0, atol=1e-12)
        left, draft = np.array(p), np.array(q)
        for rate in rates:
            assert rate == pytest.approx(float(np.minimum(left, draft).sum()), abs=1e-12)
            left = reject(left, draft)


@pytest.mark.parametrize(("name", "width"), [("equal", 7), ("point masses that agree", 7), ("disjoint", 0)])
def test_equal_rows_reach_every_width_for_certain_and_disjoint_ones_none(name, width):
    probabilities = accepted_probabilities(acceptance_rates(*EDGES[name], 7))
    for threshold in (0.01, 0.7, 1.0):
        assert reached_width(probabilities, threshold) == width


def test_the_width_falls_with_the_threshold():
    probabilities = accepted_probabilities(acceptance_rates(P, Q, 6))
    thresholds = np.linspace(0.01, 1, 60)
    widths = [reached_width(probabilities, threshold) for threshold in thresholds]
    assert widths == sorted(widths, reverse=True) and widths[0] > widths[-1] == 0
    for threshold, width in zip(thresholds, widths, strict=True):
        reached = at_least(probabilities)
        assert reached[width] >= threshold and (width == 6 or reached[width + 1] < threshold)


def test_without_drafts_no_width_is_reached():
    probabilities = accepted_probabilities([])
    assert probabilities.tolist() == [1.0] and reached_width(probabilities, 0.7) == 0


def test_a_depth_is_accepted_with_the_threshold_or_with_beta():
    probabilities = accepted_probabilities(acceptance_rates(P, Q, 6))
    beta = at_least(probabilities)[2]  # 0.7624
    assert depth_acceptance(probabilities, 0.7, 2) == 0.7
    assert depth_acceptance(probabilities, 0.9, 2) == pytest.approx(beta)
    assert depth_acceptance(probabilities, 0, 2) == pytest.approx(beta)  # no threshold chooses
    assert depth_acceptance(probabilities, 0.7, 9) == 0  # more than there are drafts


def test_depths_are_counted_as_the_theorem_says():
    assert expected_depths(0.7, 3) == pytest.approx(1 + 0.7 + 0.49 + 0.343)
    assert expected_depths(1.0, 3) == 4 and expected_depths(0.0, 3) == 1


def test_the_rule_accepts_as_often_as_the_recursion_says():
    """Chi-square over 7 numbers of accepted drafts, 2,000 depths, one seed: a false alarm in 1 of 10,000 seeds."""
    rng, counts = np.random.default_rng(0), np.zeros(7)
    for draws in rng.choice(len(Q), size=(2000, 6), p=Q).tolist():
        counts[len(depth_rule.judge(np.array(P), np.array(Q), draws, 6, rng).accepted)] += 1
    expected = accepted_probabilities(acceptance_rates(P, Q, 6)) * counts.sum()
    assert ((counts - expected) ** 2 / expected).sum() < 27.86
