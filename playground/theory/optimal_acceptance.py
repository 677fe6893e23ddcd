"""Acceptance of one of K drafts at one position: the optimum, and that of known schemes.

Every function takes p, the target's row (V,), and q, the draft's row (V,), both summing to 1, and gives an exact
probability. "Accepted" means that the emitted token is one of the drafts; the extra token never counts. All cost a sort
and look-ups, O(V log V); drafts without replacement also an integral for every token.

Sources: Sun et al. 2023, SpecTr, arXiv 2310.15141 (the problem); Khisti et al. 2025, arXiv 2410.18234, Theorem 3 (two
independent drafts); Hu et al. 2025, arXiv 2502.18779 (K drafts, by duality). That the best set is always a beginning of
the tokens by rising p / q was checked here against all subsets and against linear programs for small V.
"""

import numpy as np
from numpy.typing import NDArray

from playground.theory.coverage import Row, by_ratio, missing
from playground.theory.prefix_probability import draws_inside

# What no scheme can beat


def optimal_independent(p: Row, q: Row, num_drafts: int) -> float:
    """Return the most that K i.i.d. drafts allow: min over sets S of p(S) + 1 - q(S)^K.

    All K drafts fall into S with q(S)^K; then the output is in S too if it is a draft, and p allows only p(S) of that.
    """
    order = by_ratio(p, q)
    inside = np.minimum(q[order].cumsum(), 1.0)
    return _least(p[order].cumsum() + 1 - inside**num_drafts)


def optimal_distinct(p: Row, q: Row, num_drafts: int) -> float:
    """Return the most that K drafts without replacement allow: min over S of p(S) + 1 - P(all K drafts in S)."""
    order = by_ratio(p, q)
    if np.count_nonzero(q) <= num_drafts:  # every token that q knows is drafted
        return float(p[q > 0].sum())
    return _least(p[order].cumsum() + 1 - draws_inside(q[order], num_drafts))


# What schemes reach


def greedy_draft(p: Row, q: Row, num_drafts: int) -> float:
    """K - 1 most likely tokens of q as they are, and one drawn from the rest of q, verified optimally.

    p(top) + sum over the rest of min(p, q / q(rest)). Hu et al. 2025. With two drafts this is SpecHub (Sun et al. 2024,
    arXiv 2411.05289), one of whose drafts is always the hub, the most likely token of q: its pairs (i, hub) with q_i
    and (hub, i) with q_hub q_i / (1 - q_hub) come to {hub, i} with q_i / (1 - q_hub).
    """
    top = _most_likely(q, num_drafts - 1)
    others = q.copy()
    others[top] = 0
    mass = others.sum()
    return float(p[top].sum() + (np.minimum(p, others / mass).sum() if mass > 0 else 0.0))


def most_likely_drafts(p: Row, q: Row, num_drafts: int) -> float:
    """Return the K most likely tokens of q as deterministic drafts: the target's mass on them."""
    return float(p[_most_likely(q, num_drafts)].sum())


def naive_check(p: Row, q: Row, num_drafts: int) -> float:
    """Draw from p and see whether it is among K i.i.d. drafts: 1 - sum_x p (1 - q)^K. Lossless, and wasteful."""
    return float(1 - (p * (1 - q) ** num_drafts).sum())


def independent_recursion(p: Row, q: Row, num_drafts: int) -> float:
    """SpecInfer's recursive rejection of K i.i.d. drafts.

    What rejections leave of p is always max(0, p - tau q), normalised, so one number tau is the whole state: it starts
    at 0 and each rejection adds the mass M(tau) that tau q leaves uncovered. All are rejected with M at the last tau.
    """
    uncovered, tau = missing(p, q), 0.0
    for _ in range(num_drafts):
        tau += float(uncovered(tau))
    return 1 - float(uncovered(tau))


# Helpers


def _least(bounds: Row) -> float:
    """Return the smallest bound over all sets, the empty one included: it says 1."""
    return float(min(1.0, bounds.min()))


def _most_likely(q: Row, count: int) -> NDArray[np.intp]:
    """Return the `count` most likely tokens, or all that q has; the smaller id on a tie."""
    return np.argsort(-q, kind="stable")[: min(count, np.count_nonzero(q))]
