"""Rules that servers ship, and the mixture that relaxes one: their laws by arithmetic, and the rules beside them."""

import numpy as np
import pytest

from playground.decoding.distribution import Independent
from playground.decoding.verification import matching, speculative
from playground.decoding.verification.lossy import ensemble
from tests.decoding.verification.coins import Coins, residual


def rows(seed, size=5):
    rng = np.random.default_rng(seed)
    return tuple(np.array(rng.dirichlet(np.full(size, 0.5))) for _ in range(2))


@pytest.mark.parametrize("seed", range(20))
def test_what_is_sampled_and_matched_has_exactly_the_targets_law(seed):
    """Every drafted token and both sides of its coin, enumerated; the acceptance is sum p q, below that of the rule."""
    p, q = rows(seed)
    distribution, accepted = np.zeros_like(p), 0.0
    for token, drawn in enumerate(q):
        matched = matching.judge(p, Independent(q), [token], Coins([float(p[token]) * (1 - 1e-12)]))
        missed = matching.judge(p, Independent(q), [token], Coins([float(p[token])]))
        assert [matched.accepted, missed.accepted] == [[0], []]
        rest = residual(missed)
        distribution[token] += drawn * p[token]
        distribution += drawn * (1 - p[token]) * rest / rest.sum()
        accepted += float(drawn * p[token])
    assert float(np.abs(distribution - p).max()) < 1e-12
    assert abs(float(matching.acceptance_probability(p, q)) - accepted) < 1e-12
    assert accepted <= float(speculative.acceptance_probability(p, q))


def test_a_certain_target_is_matched_or_not_and_nothing_is_left_over():
    p, q = np.array([0.0, 1.0]), np.array([0.5, 0.5])
    assert matching.judge(p, Independent(q), [1], Coins([1 - 1e-16])).accepted == [0]
    refused = matching.judge(p, Independent(q), [0], Coins([0.0]))
    assert refused.accepted == [] and residual(refused).tolist() == [0.0, 1.0]


@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("seed", range(10))
def test_the_ensembles_law_is_the_mixture_and_distance_pays_for_acceptance(seed, weight):
    """Every drafted token with both outcomes of its test, enumerated."""
    p, q = rows(seed)
    mixed, apart = weight * p + (1 - weight) * q, float(np.abs(p - q).sum() / 2)
    distribution, accepted = np.zeros_like(p), 0.0
    for token, drawn in enumerate(q):
        passed = ensemble.judge(p[None], q[None], [token], Coins([0.0]), weight=weight)
        failed = ensemble.judge(p[None], q[None], [token], Coins([1 - 1e-16]), weight=weight)
        chance = passed.tests[0].accept_prob
        distribution[token] += drawn * chance
        accepted += drawn * chance
        if not failed.accepted:
            distribution += drawn * (1 - chance) * residual(failed) / residual(failed).sum()
    assert float(np.abs(distribution - mixed).max()) < 1e-9
    assert abs((1 - accepted) + float(np.abs(distribution - p).sum() / 2) - apart) < 1e-9


@pytest.mark.parametrize("seed", range(10))
def test_the_ensemble_judges_as_speculative_sampling_judges_for_the_mixture(seed):
    p, q = rows(seed)
    token, uniform = int(q.argmax()), 0.9
    result = ensemble.judge(p[None], q[None], [token], Coins([uniform]), weight=0.4)
    wanted = speculative.judge((0.4 * p + 0.6 * q)[None], q[None], [token], Coins([uniform]))
    assert result.accepted == wanted.accepted
    assert result.tests[0].accept_prob == wanted.tests[0].accept_prob
    assert all(np.array_equal(one, other) for one, other in zip(result.extra_probs, wanted.extra_probs, strict=True))
