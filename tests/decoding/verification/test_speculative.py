"""The rule of speculative sampling, by arithmetic: golden values, the one-round identity, every edge."""

import numpy as np
import pytest

from playground.decoding.verification.speculative import acceptance_probability, judge, residual
from tests.decoding.verification.coins import Coins, as_told
from tests.decoding.verification.coins import residual as rest_of
from tests.golden import ACCEPTANCE as GOLDEN


@pytest.mark.parametrize("name", GOLDEN["vectors"])
def test_acceptance_and_residual_equal_the_golden_values(name):
    vector = GOLDEN["vectors"][name]
    p, q = np.array(vector["target"]), np.array(vector["draft"])
    assert abs(float(acceptance_probability(p, q)) - vector["sd"]) < 1e-9
    rest = residual(p, q)
    assert np.allclose(rest / rest.sum(), vector["sd_residual"], atol=1e-9)


def test_the_judgement_itself_gives_exactly_the_target():
    """Every drafted token and both sides of its coin, enumerated: the law of what comes out is p to 1e-12."""
    rng = np.random.default_rng(1)
    for _ in range(100):
        p, q = np.array(rng.dirichlet(np.ones(5))), np.array(rng.dirichlet(np.ones(5)))
        distribution = np.zeros(5, dtype=np.float64)
        for token in range(5):
            accept = min(1.0, float(p[token] / q[token]))
            kept = judge(p[None], q[None], [token], Coins([accept * (1 - 1e-12)]))
            assert kept.accepted == [0] and not kept.extra_probs
            distribution[token] += q[token] * accept
            if accept < 1:
                lost = judge(p[None], q[None], [token], Coins([accept * (1 + 1e-12)]))
                assert lost.accepted == []
                distribution += q[token] * (1 - accept) * rest_of(lost) / rest_of(lost).sum()
        assert float(np.abs(distribution - p).max()) < 1e-12


def test_a_residual_without_mass_falls_back_to_the_target():
    assert residual(np.array([0.5, 0.5]), np.array([0.5, 0.5])).tolist() == [0.5, 0.5]


def test_tests_stop_at_the_first_rejection():
    p, q = np.array([[1.0, 0.0]] * 3), np.array([[0.5, 0.5]] * 3)
    result = judge(p, q, [0, 1, 0], Coins([0.5] * 3))
    assert as_told(result) == ["accepted", "rejected", "not_tested"]
    assert result.tests[2].uniform is None, "an untested token has no coin"
