"""From probabilities to a token, by inverse transform."""

from collections.abc import Sequence

import numpy as np

from playground.models.reading import Array

BLOCK = 256  # tokens
BY_BLOCK_FROM = 8192  # tokens; of a smaller vocabulary the sums of all tokens are made as fast


def categorical(probs: Array, uniform: float) -> int:
    """Draw one token by inverse transform: the first at which the cumulative distribution exceeds `uniform`.

    Args:
        probs: (V,), non-negative, with a positive sum.
        uniform: random number in [0, 1).
    """
    return categoricals(probs, (uniform,))[0]


def categoricals(probs: Array, uniforms: Sequence[float]) -> list[int]:
    """Draw one token per uniform number, independently; the distribution is summed up once.

    Args:
        probs: (V,), non-negative, with a positive sum.
        uniforms: (n,) random numbers in [0, 1).
    """
    if len(probs) >= BY_BLOCK_FROM:
        return _draw_by_block(probs, uniforms)
    cumulative = _cumulative(probs)
    # One after the other, since exactness/enumeration.py gives intervals in place of numbers.
    return [int(np.searchsorted(cumulative, uniform, side="right")) for uniform in uniforms]


def _draw_by_block(probs: Array, uniforms: Sequence[float]) -> list[int]:
    """Draw by blocks of tokens first, then within one: a sum of each block is made sooner than one of each token."""
    whole = len(probs) - len(probs) % BLOCK
    sums = probs[:whole].reshape(-1, BLOCK).sum(-1, dtype=np.float64)
    if whole < len(probs):
        sums = np.append(sums, probs[whole:].sum(dtype=np.float64))
    total, ends = float(sums.sum()), _cumulative(sums)
    drawn = []
    for uniform in uniforms:
        block = int(np.searchsorted(ends, uniform, side="right"))
        inside = probs[block * BLOCK : (block + 1) * BLOCK]
        before = float(ends[block - 1]) if block else 0.0
        token = int(np.searchsorted(before + inside.cumsum(dtype=np.float64) / total, uniform, side="right"))
        if token == len(inside):  # the number is within a rounding of the block's end
            token = int(inside.nonzero()[0][-1])
        drawn.append(block * BLOCK + token)
    return drawn


def _cumulative(masses: Array) -> Array:
    """Cumulative distribution, rising to 1. (n,), float64"""
    cumulative = masses.cumsum(dtype=np.float64)
    # divided by its own end, the last entry is exactly 1, above every uniform: a token without mass is never drawn
    return cumulative / cumulative[-1]
