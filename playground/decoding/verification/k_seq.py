"""K-SEQ: test K i.i.d. draws in turn, each accepted with min(1, p / (rho q)), with one division factor rho for all.

rho must be at least the root of 1 - (1 - beta)^K = rho beta, where beta = sum_x min(q, p / rho) is the probability of
one acceptance: then accepted tokens never take more mass than p has, and the residual is non-negative. The larger rho,
the rarer an acceptance; rho = K is always valid and can be worse than a single draft, so the root is solved at every
node, for the number of drafts that are there.

Source: Sun et al. 2023, SpecTr, arXiv 2310.15141, Algorithm 2.
"""

import numpy as np

from playground.decoding.distribution import DraftDistribution
from playground.decoding.verification.ruling import Ruling, Test, untested
from playground.decoding.workings import reasons, records
from playground.models.reading import Array


def judge(target_probs: Array, distribution: DraftDistribution, tokens: list[int], rng: np.random.Generator) -> Ruling:
    """Judge i.i.d. draws with the solved division factor.

    Args:
        target_probs: (V,) p.
        distribution: distribution of the draws: one row for all.
        tokens: (K,) the draws, in draw order.
        rng: uniform numbers: one for each test.
    """
    q, num_draws = distribution.shared(), len(tokens)  # (V,)
    rho = division_factor(target_probs, q, num_draws)
    against = reasons.k_seq(rho, num_draws)
    tests: list[Test] = []
    passed = False
    for index, token in enumerate(tokens):
        uniform, p_x, q_x = rng.random(), float(target_probs[token]), float(q[token])
        chance, passed = min(1.0, p_x / (rho * q_x)), uniform * (rho * q_x) < p_x
        outcome = "accepted" if passed else "rejected"
        tests.append(Test(index, outcome, chance, uniform, reasons.uniform_test(passed, chance, against)))
        if passed:
            break

    def workings() -> records.KSeq:
        one = float(np.minimum(q.astype(np.float64), target_probs.astype(np.float64) / rho).sum())
        return records.KSeq(num_draws=num_draws, factor=rho, one=one, all=1 - (1 - one) ** num_draws)

    tests += untested(range(len(tests), num_draws), reasons.SIBLING_ACCEPTED)
    return Ruling(tests, [] if passed else [residual(target_probs, q, num_draws, rho)], workings)


def division_factor(target_probs: Array, draft_probs: Array, num_drafts: int) -> float:
    """Find the smallest valid rho in [1, K] by bisection; the upper end is returned, so it is valid to the last bit."""
    p, q = target_probs.astype(np.float64), draft_probs.astype(np.float64)

    def excess(rho: float) -> float:
        beta = float(np.minimum(q, p / rho).sum())
        return 1 - (1 - beta) ** num_drafts - rho * beta

    if excess(1.0) <= 0:
        return 1.0
    low, high = 1.0, float(num_drafts)
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return high


def residual(target_probs: Array, draft_probs: Array, num_drafts: int, rho: float) -> Array:
    """Residual max(0, p - min(q, p / rho) P_acc / beta), unnormalised; p where rounding left nothing. (V,)"""
    p, q = target_probs.astype(np.float64), draft_probs.astype(np.float64)
    accepted_mass = np.minimum(q, p / rho)  # One draw is accepted with this mass.
    beta = accepted_mass.sum()
    p_acc = 1 - (1 - beta) ** num_drafts
    residual_probs = np.maximum(p - accepted_mass * (p_acc / beta if beta > 0 else 0.0), 0)
    return residual_probs if float(residual_probs.sum()) > 0 else p


def acceptance(target_probs: Array, draft_probs: Array, num_drafts: int) -> float:
    """Exact probability that one of K draws is accepted: 1 - (1 - beta(rho))^K at the solved rho."""
    return acceptance_at(target_probs, draft_probs, num_drafts, division_factor(target_probs, draft_probs, num_drafts))


def acceptance_at(target_probs: Array, draft_probs: Array, num_drafts: int, rho: float) -> float:
    """Exact probability that one of K draws is accepted, at a given valid factor.

    At rho = K, which always is valid, it can be lower than that of a single draft.
    """
    beta = float(np.minimum(draft_probs.astype(np.float64), target_probs.astype(np.float64) / rho).sum())
    return 1 - (1 - beta) ** num_drafts
