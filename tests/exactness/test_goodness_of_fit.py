"""The statistics that a verdict rests on: distance, noise floor, and Pearson's test, also under several conditions."""

import itertools

import numpy as np
import pytest
from scipy import stats

from playground.exactness.goodness_of_fit import (
    CONCENTRATIONS,
    anytime_p_value,
    chi_square_p_value,
    compare_under_conditions,
    visible_distance,
)


def p_value(counts, law):
    return chi_square_p_value([(np.array(counts), np.array(law))])


def test_the_p_value_is_that_of_pearsons_test():
    counts, distribution = [210, 290, 480, 20], [0.2, 0.3, 0.475, 0.025]
    expected = stats.chisquare(counts, np.array(distribution) * 1000).pvalue
    assert p_value(counts, distribution) == pytest.approx(expected, rel=1e-9)


def test_rare_cells_are_thrown_together():
    counts, distribution = [50, 43, 3, 4], [0.5, 0.44, 0.03, 0.03]
    assert p_value(counts, distribution) == pytest.approx(stats.chisquare([50, 43, 7], [50, 44, 6]).pvalue)
    counts, of_five = [90, 8, 2], [0.9, 0.05, 0.05]  # five expected are enough
    assert p_value(counts, of_five) == pytest.approx(stats.chisquare(counts, [90, 5, 5]).pvalue)


def test_rare_cells_that_are_rare_together_join_the_next_larger_one():
    counts, distribution = [50, 46, 1, 3], [0.5, 0.46, 0.02, 0.02]
    assert p_value(counts, distribution) == pytest.approx(stats.chisquare([50, 50], [50, 50]).pvalue)


@pytest.mark.parametrize(("rare", "samples"), [(200, 1000), (9, 1000), (5, 1000), (2, 1000), (0, 1000), (1, 9)])
def test_where_one_outcome_is_nearly_certain_the_others_are_tested_exactly(rare, samples):
    """All rare cells together expect less than 5, so no two cells are left for Pearson."""
    counts, distribution = [samples - rare, rare, 0], [0.998, 0.0015, 0.0005]
    times = stats.binom(samples, 0.002)
    expected = min(1.0, 2 * min(times.cdf(rare), times.sf(rare - 1)))
    assert p_value(counts, distribution) == pytest.approx(expected, rel=1e-9)


def test_one_outcome_that_the_law_excludes_is_enough():
    for distribution in ({"a": 0.5, "b": 0.5}, {"a": 0.5, "b": 0.5, "c": 0.0}):
        comparison = compare_under_conditions([({"a": 500, "b": 499, "c": 1}, distribution)])
        assert comparison.p_value == 0.0 and comparison.tv == pytest.approx(0.001)


def test_a_law_of_one_outcome_has_no_noise():
    """A search has one right outcome: the distance is the fraction of runs that miss it."""
    right, wrong = (
        compare_under_conditions([({True: 1000 - missed, False: missed}, {True: 1.0})]) for missed in (0, 3)
    )
    assert (right.tv, right.noise_floor, right.noise_upper, right.p_value) == (0, 0, 0, 1)
    assert (wrong.tv, wrong.noise_upper, wrong.p_value) == (pytest.approx(0.003), 0, 0)


@pytest.mark.parametrize(("cells", "samples", "sharpness"), [(4, 2_000, 1), (27, 2_000, 1), (125, 20_000, 3)])
def test_a_law_at_the_visible_distance_is_seen_9_times_in_10(cells, samples, sharpness):
    """Simulated: every cell is off by the same share of itself, up or down, which is the hardest way to see. One that
    deviates more in the rarer cells is seen more often. A share of 400 misses .9 by .05 once in 1,000 seeds."""
    rng = np.random.default_rng(0)
    distribution = np.sort(rng.dirichlet(np.full(cells, 1 / sharpness)).clip(20 / samples))
    distribution /= distribution.sum()
    distance = visible_distance(
        [(dict(enumerate((distribution * samples).tolist())), dict(enumerate(distribution.tolist())))]
    )

    def seen(signs):
        away = distribution * signs
        away -= distribution * away.sum()
        other = distribution + away * 2 * distance / np.abs(away).sum()
        drawn = rng.multinomial(samples, other, 400)
        return np.mean([chi_square_p_value([(counts, distribution)]) < 1e-4 for counts in drawn])

    halves = np.where(np.arange(cells) % 2, 1.0, -1.0)
    assert seen(halves) == pytest.approx(0.9, abs=0.05)
    assert seen(halves * np.linspace(2, 0.1, cells)) > 0.93  # the rarer, the more it is off


def test_the_limit_and_the_power_are_those_of_the_noncentral_chi_square_distribution():
    distribution, samples = {"a": 0.2, "b": 0.3, "c": 0.5}, 10_000
    distance = visible_distance([({"a": 2_000, "b": 3_000, "c": 5_000}, distribution)])
    limit = stats.chi2.isf(1e-4, 2)
    assert stats.ncx2.sf(limit, 2, 4 * samples * distance**2) == pytest.approx(0.9, abs=1e-9)


def test_the_noise_floor_is_the_mean_distance_of_true_samples():
    """Two tokens, half each: E|X / n - 1/2| for X ~ Binomial(n, 1/2), summed over X. Of 2,000 draws, 5 % is 3 sigma."""
    n = 100
    exact = sum(stats.binom.pmf(k, n, 0.5) * abs(k / n - 0.5) for k in range(n + 1))
    comparison = compare_under_conditions([({0: 50, 1: 50}, {0: 0.5, 1: 0.5})])
    assert comparison.tv == 0 and comparison.p_value == 1
    assert comparison.noise_floor == pytest.approx(exact, rel=0.05)
    upper = stats.binom.ppf(0.995, n, 0.5) / n - 0.5  # either side has half of one in a hundred
    assert comparison.noise_upper == pytest.approx(upper, abs=0.01)


def test_how_often_a_condition_comes_up_proves_nothing():
    """Ninety runs under one condition and ten under the other, each true to its own law."""
    half, third = {0: 0.5, 1: 0.5}, {0: 1 / 3, 1: 2 / 3}
    comparison = compare_under_conditions([({0: 450, 1: 450}, half), ({0: 30, 1: 60}, third)])
    assert comparison.tv == pytest.approx(0) and comparison.p_value == pytest.approx(1)


def test_conditions_that_err_in_opposite_ways_do_not_make_up_for_each_other():
    half = {0: 0.5, 1: 0.5}
    comparison = compare_under_conditions([({0: 60, 1: 40}, half), ({0: 40, 1: 60}, half)])
    assert comparison.tv == pytest.approx(0.1)
    assert comparison.p_value == pytest.approx(stats.chi2.sf(2 * stats.chisquare([60, 40]).statistic, 2))


def test_p_values_of_true_samples_are_uniform():
    """400 experiments of 300 draws under three conditions, a Kolmogorov-Smirnov test: false alarm 1e-4, seed fixed."""
    rng = np.random.default_rng(3)
    distributions = [rng.dirichlet(np.ones(12)) for _ in range(3)]
    results = [
        chi_square_p_value([(rng.multinomial(300, distribution), distribution) for distribution in distributions])
        for _ in range(400)
    ]
    assert stats.kstest(results, "uniform").pvalue > 1e-4


def test_the_watched_p_value_is_the_inverse_of_a_mixture_of_predictions():
    """Token by token: each Dirichlet law predicts the next from those before, (A p + n) / (A + N), against p."""
    distribution, tokens = np.array([0.5, 0.3, 0.15, 0.05]), np.random.default_rng(0).integers(4, size=200)
    ratios = []
    for strength in CONCENTRATIONS:
        counts, ratio = np.zeros(4), 1.0
        for number, token in enumerate(tokens):
            ratio *= (strength * distribution[token] + counts[token]) / (strength + number) / distribution[token]
            counts[token] += 1
        ratios.append(ratio)
    result = anytime_p_value([(np.bincount(tokens, minlength=4), distribution)])
    assert result == pytest.approx(1 / np.mean(ratios), rel=1e-9) and result < 1e-3


def test_what_the_watched_p_value_weighs_is_a_fair_game():
    """The mean of 1 / p over all texts of eight tokens is 1: so 1 / p ever reaches x with probability 1 / x at most."""
    distribution, mean = np.array([0.6, 0.3, 0.1]), 0.0
    for text in itertools.product(range(3), repeat=8):
        counts = np.bincount(text, minlength=3)
        mean += distribution[list(text)].prod() * np.exp(-log_p(counts, distribution))
    assert mean == pytest.approx(1, abs=1e-9)


def log_p(counts, law):
    """The logarithm of the watched p-value, not cut off at 1: beside another condition that is as good as proof."""
    sure = (np.array([40, 0]), np.array([0.5, 0.5]))
    return np.log(anytime_p_value([(counts, law), sure])) - np.log(anytime_p_value([sure]))


def test_the_watched_p_value_knows_what_is_excluded_and_what_is_certain():
    assert anytime_p_value([(np.array([9, 1]), np.array([1.0, 0.0]))]) == 0.0
    assert anytime_p_value([(np.array([10**6]), np.array([1.0]))]) == 1.0
    assert anytime_p_value([(np.array([10**6, 0]), np.array([0.5, 0.5]))]) == 0.0
