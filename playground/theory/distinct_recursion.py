"""Acceptance of one of K drafts without replacement by recursive rejection, as RSD tests them.

What rejections leave of p is always max(0, p - tau q), normalised by its mass M(tau), whatever was rejected: tau starts
at 0, and a rejection adds M(tau) / (1 - s), where s is the draft mass of the tokens rejected before. A token x is
rejected next with q_x max(0, tau' - max(tau, p_x / q_x)) / M(tau), tau' being the tau after it. Two drafts thus cost
a sort, and a sum over the first of them; more are enumerated, in V^(K-2) look-ups of V.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from playground.theory.coverage import Row, missing, others

_NOTHING = 1e-15
_TINY = 1e-305  # instead of dividing by 0; nothing that is drawn from may hold less


def distinct_recursion(p: Row, q: Row, num_drafts: int) -> float:
    """Exact probability that one of K drafts without replacement is accepted."""
    return 1 - _rejected(p, q, missing(p, q), num_drafts, 0.0, [])


def _rejected(
    p: Row, q: Row, uncovered: Callable[[ArrayLike], Row], left: int, tau: float, seen: list[int]
) -> float:  # fmt: skip
    """Probability that the next `left` drafts are all rejected, given the rejected ones before them."""
    now = float(uncovered(tau))
    if now <= _NOTHING:  # this state is never reached
        return 0.0
    unseen = np.ones(len(q), dtype=bool)
    unseen[seen] = False
    offered = q[unseen].sum()
    if left == 0 or offered <= 0:
        return 1.0
    after = tau + now / max(offered, _TINY)
    still = float(uncovered(after))
    if left == 1:
        return still / now
    if still <= _NOTHING:
        return 0.0
    refused = np.where(unseen, np.maximum(q / offered - np.maximum(p - tau * q, 0) / now, 0), 0)
    tokens = np.flatnonzero(refused)
    if left > 2:
        return float(sum(refused[x] * _rejected(p, q, uncovered, left - 1, after, [*seen, x]) for x in tokens.tolist()))
    remaining = others(np.where(unseen, q, 0.0))[tokens]  # the last draft: a vector over the one before it
    last = np.ones(len(tokens))
    more = remaining > 0
    last[more] = uncovered(after + still / np.maximum(remaining[more], _TINY)) / still
    return float((refused[tokens] * last).sum())
