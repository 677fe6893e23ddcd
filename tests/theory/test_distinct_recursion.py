"""Three drafts without replacement: a sum over cells of tokens against the sum over all pairs, and slow enumeration."""

import numpy as np
import pytest

from playground.decoding.verification import recursive
from playground.theory import distinct_recursion as module
from playground.theory.coverage import missing
from playground.theory.distinct_recursion import distinct_recursion


def over_all_pairs(p, q):
    """The same by enumeration: O(V^2 log V)."""
    return 1 - module._rejected(p, q, missing(p, q), 3, 0.0, [])


def few_ratios(rng, p, q):
    """A third of the tokens have one p / q: M has large kinks."""
    return q * rng.choice([0.3, 1.2, 2.2], size=len(q)), q


ROWS = {  # made of two flat rows
    "flat": lambda rng, p, q: (p, q),
    "sparse": lambda rng, p, q: rng.dirichlet(np.full(len(p), 0.3), size=2),
    "falling": lambda rng, p, q: (1 / np.arange(1, len(p) + 1) ** 0.7, 1 / np.arange(1, len(p) + 1)),
    "few ratios": few_ratios,
    "one likely": lambda rng, p, q: (p, np.append(1e6, q[1:])),  # what is left of q to draw from is small
    "two likely": lambda rng, p, q: (p, np.concatenate([[1e4, 1e3], q[2:]])),
    "with zeros": lambda rng, p, q: (p * (rng.random(len(p)) < 0.7), q * (rng.random(len(p)) < 0.7)),
    "equal drafts": lambda rng, p, q: (p, np.ones(len(p))),
    "one target": lambda rng, p, q: (np.eye(len(p))[0], q),
}


def flat(size, seed):
    rng = np.random.default_rng(seed)
    return rng, *rng.dirichlet(np.ones(size), size=2)


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("size", [40, 300, 900])
def test_cells_give_what_all_pairs_give(monkeypatch, rows, size):
    """From 8 cells up, so that most tokens share one at these sizes; the default begins with 64."""
    p, q = ROWS[rows](*flat(size, seed=size))
    p, q = p / p.sum(), q / q.sum()
    expected = over_all_pairs(p, q)
    assert abs(distinct_recursion(p, q, 3) - expected) < 1e-9
    monkeypatch.setattr(module, "_FEWEST", 8)
    assert abs(distinct_recursion(p, q, 3) - expected) < 1e-9


def test_the_error_falls_with_the_cells_and_is_there():
    """Else the test above would say nothing about cells."""
    _, p, q = flat(900, seed=3)
    order = np.argsort(-q)
    likely, ratios, uncovered = q[order], (p / q)[order], missing(p, q)
    expected = 1 - over_all_pairs(p, q)
    errors = []
    for num_cells in (4, 16, 64):
        cell = module._cells(likely, num_cells)
        assert cell[-1] + 1 <= 2 * num_cells + 1
        errors.append(abs(module._over_pairs(likely, ratios, cell, float(uncovered(1.0)), uncovered) - expected))
    assert errors[0] > 1e-9 and errors[1] < errors[0] / 10 and errors[2] < 1e-10, errors


@pytest.mark.parametrize("num_drafts", [1, 2, 3, 4, 5])
def test_small_rows_of_any_sharpness_equal_the_rule_itself(num_drafts):
    """Against the verification rule's own enumeration, down to rows with entries that rounding swallows."""
    rng = np.random.default_rng(num_drafts)
    for sharpness in (0.3, 1, 3):
        for size in (1, 2, 3, 4):
            for _ in range(10):
                p, q = rng.dirichlet(np.full(size, 1 / sharpness), size=2)
                slow = recursive.acceptance_without_replacement(p, q, num_drafts)
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
    slow = recursive.acceptance_without_replacement(np.array(p), np.array(q), 3)
    assert abs(distinct_recursion(p, q, 3) - slow) < 1e-9
