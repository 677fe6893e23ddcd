"""The probability that K draws without replacement all fall among the first n tokens, for any n.

Drawing without replacement is a race: token i arrives after an exponential time of rate q_i, and the first K to arrive
are the draws. They are all in S if K tokens of S arrive before any other token does. At the time t a token of S has
arrived with probability 1 - exp(-q_i t), each by itself, so the number of arrivals is Poisson-binomial, and

    P(fewer than K of S before the others) = q(not S) * integral of exp(-t) e_0 + ... + e_(K-1) over t from 0,

where e_j is the j-th elementary symmetric polynomial of the odds exp(q_i t) - 1 over S. Gauss-Legendre on panels that
double in length takes the integral to about 1e-11.

To ask about many sets at once, tokens are told apart: the few that are likely on the integral's time scale (a hundred
at most) are multiplied in one by one; the odds of all others are power series in q_i t, so that sums of q_i, q_i^2, ...
over the set say all about them. All is prepared in O(V); then every set costs the same, whatever V.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from operator import add

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Sizes = NDArray[np.intp]

_TAIL = 28.0  # the integral is cut where exp(-_TAIL) is left
_NUM_NODES = 12  # of each panel
_SMALL = 0.5  # largest q t that is treated as a power series
_NUM_POWERS = 18
_TINY = 1e-305  # of a mass that is divided by
_CHUNK = 256  # sets at a time, so that the work stays in the processor's cache


def draws_inside(probs: Array, num_draws: int) -> Callable[[Sizes], Array]:
    """Return the function n -> P(all K draws are among the first n tokens), for many n (n,) at once.

    Args:
        probs: (V,) q in the order that defines the sets; more than K of them positive.
        num_draws: K.
    """
    outside = np.append(probs[:0:-1].cumsum()[::-1], 0.0)  # q(not S)
    if num_draws <= 2:
        every = 1 - outside if num_draws == 1 else _two_draws(probs)
        return lambda sizes: every[sizes - 1]
    times, weights = _quadrature(probs, num_draws)
    scale = _SMALL / times[-1]
    likely = probs > scale
    number = likely.cumsum()  # (V,) likely tokens in each set
    arrived = _likely_arrivals(probs[likely], float(probs[~likely].sum()), num_draws, times) * weights
    sums = _power_sums(np.divide(probs, scale, out=np.zeros_like(probs), where=~likely))  # (V, powers)
    grown = (times * scale) ** np.arange(1, _NUM_POWERS + 1)[:, None]  # (powers, times)
    terms = [row[:, None] * grown for row in _power_series(num_draws)]

    def inside(sizes: Sizes) -> Array:
        fewer = np.empty(len(sizes))
        for start in range(0, len(sizes), _CHUNK):
            indices = sizes[start : start + _CHUNK] - 1
            fewer[start : start + _CHUNK] = _integrals(sums[indices], terms, arrived[number[indices]])
        return np.clip(1 - outside[sizes - 1] * fewer, 0.0, 1.0)

    return inside


def _two_draws(probs: Array) -> Array:
    """K = 2 in closed form: the sum over S of q_i (q(S) - q_i) / (1 - q_i).

    The likeliest token has a sum of its own, which holds where its 1 - q is mere rounding.
    """
    first = np.arange(len(probs)) == probs.argmax()
    others = np.where(first, 0.0, probs)
    inside = others.cumsum()
    odds = others / (1 - others)
    after_others = probs.cumsum() * odds.cumsum() - (others * odds).cumsum()
    after_first = probs.max() * (inside / inside[-1] if inside[-1] > 0 else 0.0)
    return np.clip(after_others + np.where(first.cumsum() > 0, after_first, 0.0), 0.0, 1.0)


def _quadrature(probs: Array, num_draws: int) -> tuple[Array, Array]:
    """Return times and weights. The slowest decay is that of the mass beyond the K - 1 likeliest tokens."""
    slowest = max(np.partition(probs, len(probs) - num_draws)[: len(probs) - num_draws + 1].sum(), _TINY)
    panels = math.ceil(math.log2(_TAIL / slowest)) + 1
    edges = np.concatenate([[0.0], 2.0 ** np.arange(panels)])
    points, weights = np.polynomial.legendre.leggauss(_NUM_NODES)
    half = np.diff(edges)[:, None] / 2
    return (edges[:-1, None] + half * (points + 1)).ravel(), (half * weights).ravel()


def _likely_arrivals(probs: Array, unlikely: float, num_draws: int, times: Array) -> Array:
    """Chance that at most 0 .. K - 1 of the first n likely tokens have arrived, times exp(-t) of all that is not they.

    Args:
        probs: (likely,) theirs, in order.
        unlikely: mass of all other tokens.
        num_draws: K.
        times: (times,).

    Returns:
        (likely + 1, K, times), for n = 0 .. likely.
    """
    probabilities = np.empty((len(probs) + 1, num_draws, len(times)))
    remaining = np.append(unlikely, probs[::-1]).cumsum()[::-1]  # added up, for 1 - q may be mere rounding
    counts = np.zeros((num_draws, len(times)))
    counts[0] = 1.0
    for index, prob in enumerate([0.0, *probs.tolist()]):
        away, here = np.exp(-prob * times), -np.expm1(-prob * times)
        counts[1:] = counts[1:] * away + counts[:-1] * here
        counts[0] *= away
        probabilities[index] = counts.cumsum(0) * np.exp(-remaining[index] * times)
    return probabilities


def _power_sums(values: Array) -> Array:
    """Return sums of x, x^2, ... over the first n values, for every n. (V, powers)"""
    sums = np.empty((_NUM_POWERS, len(values)))
    power = np.ones_like(values)
    for row in sums:
        power = power * values
        power.cumsum(out=row)
    return sums.T


def _power_series(num_draws: int) -> Array:
    """Row k - 1: coefficients of x, x^2, ... in (exp(x) - 1)^k, for k = 1 .. K - 1."""
    odds = np.array([0.0, *(1 / math.factorial(n) for n in range(1, _NUM_POWERS + 1))])
    rows = [odds]
    for _ in range(num_draws - 2):
        rows.append(np.convolve(rows[-1], odds)[: _NUM_POWERS + 1])
    return np.array(rows)[:, 1:]


def _integrals(sums: Array, terms: list[Array], arrived: Array) -> Array:
    """Return the integral for each set of a chunk.

    Args:
        sums: (n, powers) of the unlikely tokens.
        terms: K - 1 times (powers, times), what turns these sums into those of odds, odds^2, ...
        arrived: (n, K, times) weight times the chance that at most j likely tokens have arrived.
    """
    power_sums = [sums @ term for term in terms]  # (n, times) each
    symmetric = [np.ones_like(power_sums[0])]  # (n, times) each
    for k in range(1, arrived.shape[1]):  # Newton's identities
        signed = [(-1) ** (i - 1) * symmetric[k - i] * power_sums[i - 1] for i in range(1, k + 1)]
        symmetric.append(reduce(add, signed) / k)
    # j unlikely arrivals leave room for at most K - 1 - j likely ones
    return reduce(add, (np.einsum("nt,nt->n", each, arrived[:, -1 - j]) for j, each in enumerate(symmetric)))
