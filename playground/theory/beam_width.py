"""Accepted drafts of m i.i.d. ones when several outputs are wanted, and the beam width that follows.

One draft after the other is offered to the output at hand (the rule is in decoding/verification/depth.py): the j-th one
after an acceptance is accepted with rate alpha_j, whatever the drafts before that acceptance did, because the rule
starts afresh there. So the numbers of accepted drafts form a Markov chain, and P(m, k), that k of m are accepted, needs
only the rates. The width of Qin et al. is the largest that is reached with probability t.

Source: Qin et al. 2024, Dynamic-Width Speculative Beam Decoding, arXiv 2409.16560, equations (2) to (7), with three
corrections: the recursion also needs P(m, 0) = prod_j (1 - alpha_j) for m > 0, which is not printed; the sum in (5)
begins at k = 0, as it does in (7); M_S there is the number of drafts. Its Theorem 3.2 takes a depth to be accepted with
min(t, beta); that is a lower bound, since a width reached with probability t is often reached more often.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from playground.theory.speculation import expected_emitted

_ROUNDING = 1e-12  # a width that is reached for certain must count at t = 1 too


def acceptance_rates(target: ArrayLike, draft: ArrayLike, num_drafts: int) -> list[float]:
    """alpha_1 ... alpha_m of (4): the chance of the j-th draft after an acceptance, those between all rejected.

    Args:
        target: (n,) p.
        draft: (n,) q, which every draft is drawn from.
        num_drafts: m.
    """
    q = np.asarray(draft, dtype=float)
    return [min(1.0, float(np.minimum(left, q).sum())) for left in residuals(target, q, num_drafts)]


def residuals(target: ArrayLike, draft: ArrayLike, num_drafts: int) -> Iterator[NDArray[np.float64]]:
    """Yield what is left of p before the test of each draft after an acceptance, those between all rejected. (n,) each

    Args:
        target, draft, num_drafts: see `acceptance_rates`.
    """
    left, q = np.array(target, dtype=float), np.asarray(draft, dtype=float)
    for _ in range(num_drafts):
        yield left
        after = np.maximum(left - q, 0.0)
        mass = after.sum()
        if mass > 0:  # else nothing is left to go on with: this draft was accepted for certain
            left = after / mass


def accepted_probabilities(rates: Sequence[float]) -> NDArray[np.float64]:
    """P(m, 0) ... P(m, m) of (2): how likely each number of accepted drafts is. (m + 1,), summing to 1

    The first acceptance falls on draft i with P~(i), equation (3), and leaves m - i drafts for the other k - 1:
    P(m, k) = sum_i P~(i) P(m - i, k - 1), a convolution over m.
    """
    none = np.cumprod([1.0, *(1 - rate for rate in rates)])  # (m + 1,) P(0, 0), P(1, 0), ... P(m, 0)
    first = np.array([0.0, *rates]) * np.append(1.0, none[:-1])  # (m + 1,) P~(0) = 0, P~(1), ... P~(m)
    by_count = [none]  # per k: P(0, k), P(1, k), ... P(m, k)
    for _ in rates:
        by_count.append(np.convolve(first, by_count[-1])[: len(none)])
    return np.array([column[-1] for column in by_count])


def at_least(probabilities: ArrayLike) -> NDArray[np.float64]:
    """Probability that K drafts or more are accepted, that is, that a depth of width K is; K = 0 ... m. (m + 1,)"""
    return np.cumsum(np.asarray(probabilities)[::-1])[::-1]


def reached_width(probabilities: ArrayLike, threshold: float) -> int:
    """W~(t) of (7): the largest number of drafts accepted with probability t or more; 0 where not even one is."""
    return int(np.flatnonzero(at_least(probabilities) >= min(threshold, 1.0) - _ROUNDING)[-1])


def depth_acceptance(probabilities: ArrayLike, threshold: float, min_width: int) -> float:
    """min(t, beta) of Theorem 3.2, what it takes a depth to be accepted with.

    beta is the chance that `min_width` drafts or more are accepted. At t = 0 the width is always `min_width`, and so
    beta itself is the chance; the theorem's minimum would say 0, which is true as a bound and says nothing.
    """
    reaches = at_least(probabilities)
    beta = float(reaches[min_width]) if min_width < len(reaches) else 0.0
    return min(threshold, beta) if threshold > 0 else beta


def expected_depths(depth_acceptance: float, num_depths: int) -> float:
    """Depths of beam sampling per target call, (1 - a^(gamma+1)) / (1 - a), the last one drawn from the target.

    Qin et al. 2024, Theorem 3.2: Leviathan's formula with depths for tokens. Assumes that every depth is accepted with
    the same chance a, whatever the others did. Real depths below the first have fewer drafts to offer, only those below
    accepted beams, so real rounds come less far.
    """
    return float(expected_emitted(depth_acceptance, num_depths))
