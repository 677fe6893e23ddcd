"""Entropy verification by hand: how much more is accepted, and what it does to the distribution."""

import numpy as np
import pytest

from playground.decoding.method import make_method
from playground.decoding.verification import speculative
from playground.decoding.verification.lossy import entropy
from playground.exactness.enumeration import runs_distribution
from playground.models.table_model import TableModel
from tests.decoding.verification.coins import Coins, accept_probs, as_told, residual

UNSURE, SURE = np.array([0.25, 0.25, 0.25, 0.25]), np.array([1.0, 0.0, 0.0, 0.0])
DRAFT = np.array([0.1, 0.7, 0.1, 0.1])


def test_the_factor_falls_with_the_entropy_and_has_a_limit():
    assert entropy.leniency(UNSURE, alpha=0.5, most=0.95) == pytest.approx(0.5), "exp(-0.5 log 4)"
    assert entropy.leniency(SURE, alpha=0.5, most=0.95) == 0.95
    assert entropy.leniency(UNSURE, alpha=0, most=1) == 1


def test_a_draft_is_tested_with_p_over_the_factor_and_corrected_from_the_residual():
    """p/q is .25/.7; over .5 it is .714, so that .7 passes; without the factor it would fail."""
    rows = np.stack([UNSURE, UNSURE]), np.stack([DRAFT, DRAFT])
    ruling = entropy.judge(*rows, [1, 1], Coins([0.7, 0.72]), alpha=0.5, most=1)
    assert as_told(ruling) == ["accepted", "rejected"]
    assert accept_probs(ruling) == pytest.approx([0.5 / 0.7] * 2)
    assert [test.reason.code for test in ruling.tests] == ["below_lenient", "not_below_lenient"]
    assert ruling.tests[0].reason.values == {"factor": pytest.approx(0.5)}
    assert residual(ruling) == pytest.approx(speculative.residual(UNSURE, DRAFT))
    first = entropy.judge(*rows, [1, 1], Coins([0.9, 0.1]), alpha=0.5, most=1)
    assert as_told(first) == ["rejected", "not_tested"]


def test_without_a_factor_the_text_is_the_targets_and_with_one_it_is_not():
    target, draft = TableModel.random(3, seed=3), TableModel.random(3, seed=4)
    for alpha, is_exact in ((0, True), (0.5, False)):
        method = make_method("entropy_verification", {"draft_length": 2, "alpha": alpha, "most": 1})
        texts, _ = runs_distribution(method, target, draft, (0,), 2)
        true = target.distribution([0], 2)
        assert (max(abs(chance - true[text]) for text, chance in texts.items()) < 1e-12) == is_exact
