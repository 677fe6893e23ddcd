"""Recursive rejection: test one draw after the other, each against the residual that the rejected ones left.

A draw from a known distribution d is accepted with min(1, r/d), where r begins as p; a rejection leaves the residual
r := norm(max(0, r - d)), and a correction is drawn from the last r. So the output has distribution p, by the argument
of speculative sampling over and over. d depends on the draft distribution:

* independent draws (SpecInfer's multi-step speculative sampling): q for each, or a q of its own;
* distinct draws (RSD): q without the tokens before, renormalised;
* deterministic draws (EAGLE-2): a point mass, so x is accepted with r(x), and a rejection takes x out of r. One of
  several is accepted with probability p(x_1) + ... + p(x_K).

It holds for any order of the draws that does not depend on their tokens; with different q's the acceptance depends on
the order.

Sources: Miao et al. 2024, SpecInfer, arXiv 2305.09781, Algorithm 2; Jeon et al. 2024, Recursive Speculative Decoding,
arXiv 2402.14160, recursive rejection sampling; Li et al. 2024, EAGLE-2, arXiv 2406.16858, for deterministic draws.
"""

from functools import partial

import numpy as np

from playground.decoding.distribution import Deterministic, Distinct, DraftDistribution, Independent
from playground.decoding.verification.ruling import Ruling, Test, UniformStream, untested
from playground.decoding.workings import reasons, records
from playground.decoding.workings.excerpt import at_tokens, telling_tokens
from playground.models.reading import Array
from playground.trace.reasons import Reason


def judge(target_probs: Array, distribution: DraftDistribution, tokens: list[int], rng: UniformStream) -> Ruling:
    """Test the draws below a node in draw order, until one is accepted.

    A token drawn twice is tested twice: skipping the second test would be biased.

    Args:
        target_probs: (V,) p.
        distribution: distribution of the draws.
        tokens: (K,) the draws, in draw order.
        rng: uniform numbers: one for each test.
    """
    residuals, draft_rows, tests = [target_probs], [], []  # r before each test, and d
    for index, (token, d) in enumerate(zip(tokens, distribution.conditionals(tokens, target_probs), strict=True)):
        uniform, r_x, d_x = rng.random(), float(residuals[-1][token]), float(d[token])
        chance, passed = min(1.0, r_x / d_x), uniform * d_x < r_x
        why = reasons.uniform_test(passed, chance, _against(distribution, index, r_x, d_x))
        tests.append(Test(index, "accepted" if passed else "rejected", chance, uniform, why))
        draft_rows.append(d)
        if passed:
            break
        residuals.append(reject(residuals[-1], d))
    extra_probs = residuals[-1:] if len(residuals) > len(tests) else []
    workings = None
    # without a rejection there is no residual, and of deterministic draws the trace holds q = 1 already
    if len(residuals) > 1 and not isinstance(distribution, Deterministic):
        workings = partial(_workings, distribution, residuals, draft_rows, tokens)
    return Ruling([*tests, *untested(range(len(tests), len(tokens)), reasons.SIBLING_ACCEPTED)], extra_probs, workings)


def _against(distribution: DraftDistribution, index: int, r_x: float, d_x: float) -> Reason:
    """Reason code of the threshold of a test."""
    if isinstance(distribution, Deterministic):
        return reasons.certain(index)
    return reasons.residual(index, r_x, d_x if isinstance(distribution, Distinct) else None)


def _workings(
    distribution: DraftDistribution, residuals: list[Array], draft_rows: list[Array], tokens: list[int]
) -> records.Recursive:
    tested = tokens[: len(draft_rows)]
    if isinstance(distribution, Independent) and distribution.rows.ndim == 1:
        draft_rows = draft_rows[:1]
    shown = telling_tokens([residuals[0], draft_rows[0], residuals[-1]], tested)
    return records.Recursive(
        tokens=shown,
        draws=tested,
        residuals=[at_tokens(row, shown) for row in residuals],
        offers=[at_tokens(row, shown) for row in draft_rows],
    )


def reject(residual_probs: Array, draft_probs: Array) -> Array:
    """Residual norm(max(0, r - d)) after a rejected draw from d; r itself where rounding left nothing. (V,)"""
    difference = np.maximum(residual_probs - draft_probs, 0)
    mass = difference.sum()
    return difference / mass if float(mass) > 0 else residual_probs
