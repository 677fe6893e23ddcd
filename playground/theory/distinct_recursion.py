"""Acceptance of one of K drafts without replacement by recursive rejection, as RSD tests them.

What rejections leave of p is always max(0, p - tau q), normalised by its mass M(tau), whatever was rejected: tau starts
at 0, and a rejection adds M(tau) / (1 - s), where s is the draft mass of the tokens rejected before. A token x is
rejected next with q_x max(0, tau' - max(tau, p_x / q_x)) / M(tau), tau' being the tau after it. Two drafts thus cost
a sort, and a sum over the first of them.

Three drafts are a sum over pairs (x, y) of rejected tokens, in which x matters only by q_x, and y by q_y and p_y / q_y.
Tokens of nearly the same q are therefore put into a cell and share what follows from their q, taken at its mean. The
error is of second order in the width of the cells: with N cells as drawn here it falls about as N^-4, and N cells cost
N^2 look-ups, whatever V. So N is doubled until nothing changes. This is exact to 1e-9, not to the last bit, and
O(V log V). We know no exact sum in less than O(V^2): whether a third token z is covered, p_z / q_z < tau(x, y), depends
on all three.

For four drafts and more every sequence of the first K - 1 is enumerated, V^(K-2) look-ups of V: for small V.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from playground.theory.coverage import Row, missing, others, ratio, rows

Cells = NDArray[np.intp]  # (n,) cell of each token

_NOTHING = 1e-15
_TINY = 1e-305  # instead of dividing by 0; nothing that is drawn from may hold less
_AGREE = 1e-11  # two results are the same; the finer one's error is a fraction of that
_FEWEST, _MOST = 64, 1024  # cells of several tokens; as many likely tokens have a cell each


def distinct_recursion(target: ArrayLike, draft: ArrayLike, num_drafts: int) -> float:
    """Exact probability that one of K drafts without replacement is accepted, for K up to 3 at any V."""
    p, q = rows(target, draft)
    uncovered = missing(p, q)
    if num_drafts == 3:
        return 1 - _three_rejected(p, q, uncovered)
    return 1 - _rejected(p, q, uncovered, num_drafts, 0.0, [])


# Three drafts


def _three_rejected(p: Row, q: Row, uncovered: Callable[[ArrayLike], Row]) -> float:
    first = float(uncovered(1.0))  # M after one rejection, and the chance of it
    order = np.argsort(-q, kind="stable")[: np.count_nonzero(q)]  # the likeliest first
    if first <= _NOTHING or len(order) == 1:
        return first
    likely, ratios = q[order], ratio(p[order], q[order])
    num_cells, before = _FEWEST, np.inf
    while True:
        cell = _cells(likely, num_cells)
        total = _over_pairs(likely, ratios, cell, first, uncovered)
        if abs(total - before) < _AGREE or num_cells == _MOST or cell[-1] + 1 == len(cell):
            return total
        num_cells, before = 2 * num_cells, total


def _cells(probs: Row, num_cells: int) -> Cells:
    """Return the likeliest tokens one by one, the others by the square root of q: narrow cells where tokens are many.

    The first of the others has at most 1 / num_cells of what the likeliest token leaves, so cells are narrow beside
    the mass that is left to draw from, however large that token is.
    """
    cell = np.arange(len(probs))
    tail = probs[num_cells:]
    if len(tail):
        steps = np.floor(num_cells * np.sqrt(tail / tail[0]))
        cell[num_cells:] = num_cells + np.append(0, (np.diff(steps) != 0).cumsum())
    return cell


def _over_pairs(
    q: Row, ratios: Row, cell: Cells, first: float, uncovered: Callable[[ArrayLike], Row]
) -> float:  # fmt: skip
    """Return the sum over pairs of rejected tokens, cell by cell.

    Args:
        q: (n,) positive and falling, two tokens at least.
        ratios: (n,) p / q.
        cell: (n,) rising.
        first: M(1).
        uncovered: M.
    """
    num_cells = cell[-1] + 1
    # x, rejected first: a row of cells A, with q_x at its mean, weighed by the chance of that rejection
    refused = q * np.maximum(1 - ratios, 0)
    chance, sum_q, sum_q2 = (np.bincount(cell, refused * q**power, num_cells) for power in range(3))
    used = np.flatnonzero(chance)
    chance, sum_q, sum_q2 = chance[used], sum_q[used], sum_q2[used]
    q_x = sum_q / chance  # (A,)
    unlikely = q[:0:-1].sum()  # all but the likeliest, from the smallest: 1 - q is mere rounding where q is nearly 1
    left = np.where(used == 0, unlikely, 1 - q_x)
    tau = 1 + first / np.maximum(left, _TINY)  # (A,) after the second rejection
    second = uncovered(tau)  # M then
    # y, rejected second: the chance of it in each cell, and its mean q; y is not x
    largest = q[np.searchsorted(cell, np.arange(num_cells))]  # (cells,)
    mass, moment = _second_refusals(q, q / largest[cell], ratios, cell, tau)  # (A, cells)
    own, several = np.arange(len(used)), np.bincount(cell)[used] > 1
    mass[own, used] = np.where(several, mass[own, used] - (tau - 1) * q_x, 0.0)
    moment[own, used] = np.where(several, moment[own, used] - (tau - 1) * sum_q2 / chance / largest[used], 0.0)
    mass = np.maximum(mass, 0.0)
    q_y = np.divide(moment, mass, out=np.zeros_like(mass), where=mass > _TINY) * largest
    mass_left = left[:, None] - q_y
    mass_left[:, 0] = unlikely - q_x
    mass_left[used < 2, :2] = q[:1:-1].sum()
    third = (mass * uncovered(tau[:, None] + second[:, None] / np.maximum(mass_left, _TINY))).sum(1)
    reachable = second > _NOTHING
    return float((chance[reachable] / second[reachable]) @ third[reachable]) / first


def _second_refusals(q: Row, share: Row, ratios: Row, cell: Cells, tau: Row) -> tuple[Row, Row]:
    """Return sums over each cell of y's refusals, q_y max(0, tau - max(1, p_y / q_y)), and the same times y's share.

    Args:
        q, ratios, cell: (n,) of all tokens.
        share: (n,) q over the largest q of the cell: q^2 would vanish below 1e-154.
        tau: (A,) falling.

    Returns:
        (A, cells) twice.
    """
    rising = tau[::-1]
    index = np.searchsorted(rising, ratios, side="right")  # y can be refused from this tau on
    reached = index < len(rising)
    where = (cell * len(rising) + index)[reached]
    size = (cell[-1] + 1) * len(rising)
    q, share, base = q[reached], share[reached], np.maximum(ratios[reached], 1.0)

    def upto(weight: Row) -> Row:
        """For each tau, the sum over what it reaches of each cell. (A, cells)"""
        return np.bincount(where, weight, size).reshape(-1, len(rising)).cumsum(1)[:, ::-1].T

    tau = tau[:, None]
    return tau * upto(q) - upto(q * base), tau * upto(q * share) - upto(q * share * base)


# Any number


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
