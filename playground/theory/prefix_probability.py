"""The probability that K draws without replacement all fall among the first n tokens, for every n.

Drawing without replacement is a race: token i arrives after an exponential time of rate q_i, and the first K to arrive
are the draws. They are all in S if K tokens of S arrive before any other token does. At the time t a token of S has
arrived with probability 1 - exp(-q_i t), each by itself, so the number of arrivals is Poisson-binomial, and

    P(fewer than K of S before the others) = q(not S) * integral of P(fewer than K of S by t) exp(-q(not S) t) over t.

Gauss-Legendre on panels that double in length takes the integral to about 1e-11.
"""

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_TAIL = 28.0  # the integral is cut where exp(-_TAIL) is left
_NUM_NODES = 12  # Each panel has so many.
_TINY = 1e-305  # No mass that is divided by is smaller.


def draws_inside(probs: Array, num_draws: int) -> Array:
    """Return P(all K draws are among the first n tokens) for n = 1 .. V. (V,)

    Args:
        probs: (V,) q in the order that defines the sets; more than K of them positive.
        num_draws: K.
    """
    outside = np.append(probs[:0:-1].cumsum()[::-1], 0.0)  # q(not S), added up, for 1 - q may be mere rounding
    times, weights = _quadrature(probs, num_draws)
    counts = np.zeros((num_draws, len(times)))  # chance of j arrivals by then
    counts[0] = 1.0
    inside = np.empty(len(probs))
    for index, prob in enumerate(probs.tolist()):
        away, here = np.exp(-prob * times), -np.expm1(-prob * times)
        counts[1:] = counts[1:] * away + counts[:-1] * here
        counts[0] *= away
        inside[index] = 1 - outside[index] * (counts.sum(0) * np.exp(-outside[index] * times)) @ weights
    return np.clip(inside, 0.0, 1.0)


def _quadrature(probs: Array, num_draws: int) -> tuple[Array, Array]:
    """Return times and weights. The slowest decay is that of the mass beyond the K - 1 likeliest tokens."""
    slowest = max(np.partition(probs, len(probs) - num_draws)[: len(probs) - num_draws + 1].sum(), _TINY)
    panels = math.ceil(math.log2(_TAIL / slowest)) + 1
    edges = np.concatenate([[0.0], 2.0 ** np.arange(panels)])
    points, weights = np.polynomial.legendre.leggauss(_NUM_NODES)
    half = np.diff(edges)[:, None] / 2
    return (edges[:-1, None] + half * (points + 1)).ravel(), (half * weights).ravel()
