import numpy as np
import pytest

from playground.theory.block import expected_accepted


def test_two_drafts_of_a_fair_coin_by_a_bent_one():
    """Token: .75 + .75 .75. Block: .75 + (.25 + .1875 + .125 + .0625), the pairs aa, ab, ba and bb."""
    p, q = np.array([0.5, 0.5]), np.array([0.75, 0.25])
    assert expected_accepted(lambda prefix: (p, q), 2) == pytest.approx((1.3125, 1.375))
    assert expected_accepted(lambda prefix: (p, q), 1) == pytest.approx((0.75, 0.75))
    assert expected_accepted(lambda prefix: (p, p), 3) == pytest.approx((3, 3))
