"""Drafts without replacement: the recursion against the verification rule's own enumeration."""

import numpy as np
import pytest

from playground.lab.coupling import coupling
from playground.theory.distinct_recursion import distinct_recursion


@pytest.mark.parametrize("num_drafts", [1, 2, 3, 4, 5])
def test_small_rows_of_any_sharpness_equal_the_rule_itself(num_drafts):
    """Against the verification rule's own enumeration, down to rows with entries that rounding swallows."""
    rng = np.random.default_rng(num_drafts)
    for sharpness in (0.3, 1, 3):
        for size in (1, 2, 3, 4):
            for _ in range(10):
                p, q = rng.dirichlet(np.full(size, 1 / sharpness), size=2)
                slow = coupling("recursive", p, q, num_drafts).acceptance
                assert abs(distinct_recursion(p, q, num_drafts) - slow) < 1e-9


@pytest.mark.parametrize(
    ("p", "q"),
    [
        ([4.2e-06, 1 - 4.2e-06], [4.3e-17, 1.0]),
        ([1.1e-16, 1.5e-06, 1 - 1.5e-6], [1.6e-2, 5.5e-24, 1 - 1.6e-2]),
        ([2.3e-08, 1 - 2.3e-8, 2.2e-07, 5.2e-15], [6.5e-14, 0.188, 2.8e-16, 0.812]),
        ([0.298, 1e-03, 7e-18, 0.701], [8.9e-27, 5.3e-31, 1e-04, 1 - 1e-4]),
    ],
)
def test_what_is_left_of_q_is_not_lost_in_rounding(p, q):
    """Rows as peaked as a softmax makes them: the third draft comes from what 1 - q - q would round away."""
    rows = np.array(p), np.array(q)
    assert abs(distinct_recursion(*rows, 3) - coupling("recursive", *rows, 3).acceptance) < 1e-9
