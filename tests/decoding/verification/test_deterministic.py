"""Certain draws: golden acceptance, the exact law, and that the target's row is left alone."""

import numpy as np
import pytest

from playground.decoding.distribution import BestGuess, Deterministic
from playground.decoding.verification import recursive
from tests.decoding.verification.coins import Coins, accept_probs, residual


@pytest.mark.parametrize("num_drafts", [1, 2, 3, 4])
@pytest.mark.parametrize("law_of", [lambda p: Deterministic(), Deterministic, BestGuess, lambda p: BestGuess(p[::-1])])
def test_what_comes_out_has_exactly_the_targets_law(num_drafts, law_of):
    """Both sides of every coin on 50 random rows, to 1e-12; the draft's own confidence is nowhere in it."""
    rng = np.random.default_rng(num_drafts)
    for _ in range(50):
        p, draws = np.array(rng.dirichlet(np.ones(4))), rng.permutation(4)[:num_drafts].tolist()
        result = recursive.judge(p, law_of(p), draws, Coins([1.0] * 4))
        distribution, left = np.zeros(4, dtype=np.float64), 1.0
        for token, accept in zip(draws, accept_probs(result), strict=True):
            distribution[token] += left * accept
            left *= 1 - accept
        distribution += left * residual(result) / residual(result).sum()
        assert float(np.abs(distribution - p).max()) < 1e-12


def test_the_targets_row_is_not_changed():
    p = np.array([0.5, 0.3, 0.2])
    recursive.judge(p, Deterministic(), [0, 1], Coins([0.999] * 2))
    assert p.tolist() == [0.5, 0.3, 0.2]
