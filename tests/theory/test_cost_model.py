"""The cost model against the textbook, and against sums done by hand."""

import numpy as np
import pytest

from playground.theory.cost_model import Costs, best_draft_length, predicted_speed_up, round_s, verification_s
from playground.theory.speculation import speed_up

FLAT = Costs(1.0, (1, 64), (1.0, 1.0), (1, 64), (1.0, 1.0), 0.1)  # more nodes cost nothing
STEEP = Costs(1.0, (1, 2, 4), (1.0, 1.5, 3.0), (1, 4), (1.0, 2.0), 0.5)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("length", [1, 4, 8])
def test_free_verification_and_no_rest_give_the_textbook_formula(alpha, length):
    assert predicted_speed_up(alpha, length, FLAT, 0.0) == pytest.approx(float(speed_up(alpha, length, 0.1)), abs=1e-12)


def test_the_curve_is_straight_between_and_beyond_its_points():
    assert [verification_s(STEEP, n) for n in (1, 1.5, 2, 3, 4, 6)] == pytest.approx([1, 1.25, 1.5, 2.25, 3, 4.5])
    assert verification_s(STEEP, 2.5, tree=True) == pytest.approx(1.5)


def test_a_round_is_its_draft_calls_its_target_call_and_the_rest():
    assert round_s(STEEP, 3, 0.25) == pytest.approx(3 * 0.5 + 3.0 + 0.25)


def test_without_a_draft_model_drafting_takes_no_time():
    costs = Costs(1.0, (1, 4), (1.0, 1.0), (1, 4), (1.0, 1.0), None)
    assert costs.cost_ratio is None
    assert round_s(costs, 3, 0.0) == pytest.approx(1.0)


@pytest.mark.parametrize("alpha", np.linspace(0, 1, 6))
def test_the_best_draft_length_is_the_best_of_all(alpha):
    length, gain = best_draft_length(alpha, STEEP, 0.2, 3)
    gains = {n: predicted_speed_up(alpha, n, STEEP, 0.05 * (n + 1)) for n in range(1, 17)}
    assert gain == pytest.approx(max(gains.values()))
    assert gains[length] == pytest.approx(gain)
