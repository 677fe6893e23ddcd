"""Deferred rejection by hand: what is held, what stays, and what it does to the distribution."""

import numpy as np
import pytest

from playground.decoding.method import make_method
from playground.decoding.verification import speculative
from playground.decoding.verification.lossy import deferred
from playground.exactness.enumeration import runs_distribution
from playground.models.table_model import TableModel
from tests.decoding.verification.coins import Coins

UNSURE, SURE = np.array([0.4, 0.3, 0.3, 0.0]), np.array([0.97, 0.01, 0.01, 0.01])
DRAFT = np.array([0.1, 0.7, 0.1, 0.1])


def ruled(*rows, coins, tokens=None, window=6):
    tokens = tokens or [1] * len(rows)
    p, q = np.stack(rows), np.stack([DRAFT] * len(rows))
    return deferred.judge(p, q, tokens, Coins(coins), threshold=0.3, window=window)


def outcomes(ruling):
    return [test.outcome for test in ruling.tests]


def test_a_failed_draft_stays_if_the_target_was_unsure_and_the_next_ones_pass():
    """p/q is 0.3 / 0.7: 0.9 fails and 0.1 passes."""
    kept = ruled(UNSURE, UNSURE, UNSURE, coins=[0.9, 0.1, 0.1])
    assert outcomes(kept) == ["accepted"] * 3 and not kept.extra_probs
    assert [test.reason.code for test in kept.tests] == ["held_kept", "below", "below"]
    assert (kept.tests[0].accept_prob, kept.tests[0].uniform) == (1.0, None)


@pytest.mark.parametrize(
    ("rows", "coins", "code", "index"),
    [
        ((UNSURE, UNSURE, UNSURE), [0.9, 0.1, 0.9], "held_in_vain", 0),  # the window is not passed
        ((UNSURE, UNSURE), [0.1, 0.9], "held_in_vain", 1),  # nothing comes after it
        ((SURE, UNSURE), [0.9, 0.1], "not_held", 0),
    ],
)
def test_else_it_is_rejected_and_corrected_from_the_residual(rows, coins, code, index):
    ruling = ruled(*rows, coins=coins)
    assert outcomes(ruling) == ["accepted"] * index + ["rejected"] + ["not_tested"] * (len(rows) - 1 - index)
    assert ruling.tests[index].reason.code == code
    assert ruling.extra_probs[0] == pytest.approx(speculative.residual(rows[index], DRAFT))


def test_a_window_of_one_looks_at_the_next_draft_alone():
    ruling = ruled(UNSURE, UNSURE, UNSURE, coins=[0.9, 0.1, 0.9], window=1)
    assert outcomes(ruling) == ["accepted", "accepted", "rejected"]


def test_unsureness_is_of_the_three_likeliest_tokens():
    assert deferred.unsureness(np.array([0.25] * 4)) == pytest.approx(np.log(3))
    assert deferred.unsureness(np.array([1.0, 0, 0, 0])) == 0


def test_where_no_draft_is_held_the_text_is_the_targets_and_else_it_is_not():
    target, draft = TableModel.random(3, seed=3), TableModel.random(3, seed=4)
    for threshold, is_exact in ((1.1, True), (0.0, False)):  # the largest entropy of three tokens is 1.0986
        method = make_method("fly", {"draft_length": 2, "threshold": threshold})
        texts, _ = runs_distribution(method, target, draft, (0,), 2)
        true = target.distribution((0,), 2)
        assert (max(abs(chance - true[text]) for text, chance in texts.items()) < 1e-12) == is_exact
