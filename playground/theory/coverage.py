"""Two rows over the same tokens, p of the target and q of the draft, and how much of p a multiple of q covers."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

Row = NDArray[np.float64]  # (V,)


def ratio(p: Row, q: Row) -> Row:
    """p / q; infinite where q never drafts. (V,)"""
    with np.errstate(over="ignore"):  # A token that q drafts once in 1e309 draws counts as never drafted.
        return np.divide(p, q, out=np.full_like(p, np.inf), where=q > 0)


def by_ratio(p: Row, q: Row) -> NDArray[np.intp]:
    """Return the tokens by rising p / q; those that q never drafts come last. (V,)"""
    return np.argsort(ratio(p, q), kind="stable")


def others(row: Row) -> Row:
    """For each entry the sum of all others, by adding alone: 1 - x is mere rounding where x is nearly 1. (V,)"""
    before, after = (np.append(0.0, each[:-1].cumsum()) for each in (row, row[::-1]))
    return before + after[::-1]


def missing(p: Row, q: Row) -> Callable[[ArrayLike], Row]:
    """Return the function tau -> sum_x max(0, p - tau q), what tau q does not cover; falling and convex.

    Made by a sort. Asked for many tau at once, it looks each up.
    """
    ratios = ratio(p, q)
    order = np.argsort(ratios)
    ratios = ratios[order]
    # Tokens with p > tau q have these masses.
    p_above, q_above = (np.append(row[order][::-1].cumsum()[::-1], 0.0) for row in (p, q))

    def uncovered(tau: ArrayLike) -> Row:
        index = np.searchsorted(ratios, tau, side="right")
        return np.maximum(p_above[index] - tau * q_above[index], 0.0)

    return uncovered
