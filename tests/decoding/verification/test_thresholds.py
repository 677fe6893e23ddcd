"""The lossy rules: their thresholds by literals, and how far from the target's law they go."""

import math

import numpy as np
import pytest

from playground.decoding.verification.lossy import joint, rollback, typical
from tests.decoding.verification.coins import as_told
from tests.golden import ACCEPTANCE as GOLDEN

FIVE = GOLDEN["vectors"]["five"]
PAPER = {"epsilon": 0.09, "delta": 0.3}


def test_the_typical_threshold_equals_the_golden_values():
    golden = GOLDEN["typical_acceptance"]
    p = np.array(golden["target"])
    assert abs(typical.threshold(p, **PAPER) - golden["threshold"]) < 1e-9
    swapped = typical.threshold(p, epsilon=0.3, delta=0.09)
    assert abs(swapped - golden["swapped_defaults_threshold"]) < 1e-9


def test_a_sure_target_is_held_to_epsilon_and_its_best_token_always_passes():
    assert typical.threshold(np.array([1.0, 0.0]), **PAPER) == 0.09
    for p in (np.array([0.25] * 4), np.array([0.97, 0.03]), np.array([1.0, 0.0])):
        assert as_told(typical.judge(p[None], [int(p.argmax())], epsilon=1, delta=1 - 1e-9)) == ["accepted"]


def test_typical_tokens_are_kept_up_to_the_first_that_is_not():
    p = np.array([[0.5, 0.45, 0.05]] * 4)
    assert as_told(typical.judge(p, [0, 1, 2, 0], **PAPER)) == ["accepted", "accepted", "rejected", "not_tested"]


def test_typical_acceptance_is_far_from_the_target():
    """On the vector `five` every token is above the bar of 0.066: whatever the draft prefers comes out, always."""
    p, best = np.array(FIVE["target"]), int(np.array(FIVE["draft"]).argmax())
    assert float(p.min()) > typical.threshold(p, **PAPER)
    assert as_told(typical.judge(np.stack([p, p]), [best], **PAPER)) == ["accepted"]
    assert float(np.abs(np.eye(len(p))[best] - p).sum() / 2) == pytest.approx(0.85)


def test_the_longest_passing_prefix_is_kept_over_a_shorter_one_that_fails():
    p = np.array([[0.5, 0.5]] * 4)
    rulings = joint.judge([0.05, 0.9, 0.1], [0.6, 0.1, 0.9], p, tau=0.1)  # ratios 1/12, 3/4, 1/12
    assert as_told(rulings) == ["accepted", "accepted", "rejected"]
    assert rulings.tests[0].reason.code == "joint_carried"


def test_the_joint_threshold_is_strict_at_both_ends():
    assert joint.num_accepted([1.0, 2.0], tau=1.0) == 0
    assert joint.num_accepted([1e-300, 1e-301, 0.0], tau=0.0) == 2


def test_a_token_is_kept_against_the_targets_greedy_choice():
    """The example of section 9.1: at -log 0.4 = 0.92 nats token 0 stays, though the target would have written 1."""
    p = np.array([[0.5, 0.5]] * 4)
    assert as_told(rollback.judge([math.log(0.4)], p, threshold=2.0)) == ["accepted"]
    assert as_told(rollback.judge([-0.1, -7.0, -0.1], p, threshold=5.0)) == ["accepted", "rejected", "not_tested"]
    assert as_told(rollback.judge([-np.inf], p, threshold=20.0)) == ["rejected"]
