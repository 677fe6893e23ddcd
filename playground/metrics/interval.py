"""Intervals of numbers that were taken from a few runs, prompts or windows."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

NUM_RESAMPLES = 2000
LEAST_PROMPTS = 5  # for an interval: of 3 it would hold the true median 3 times in 4, of 5 or more about 9 in 10


class Difference(NamedTuple):
    """Difference of two sides with its 95 % interval; too few prompts have none."""

    value: float
    low: float | None
    high: float | None

    @property
    def is_within_chance(self) -> bool:
        """True if the interval holds 0, or there is none."""
        return self.low is None or self.high is None or self.low <= 0 <= self.high


def paired_difference(statistic: Callable[[np.ndarray], np.ndarray], one: np.ndarray, other: np.ndarray) -> Difference:
    """Return the difference of a statistic between two sides that ran on the same prompts, drawn together.

    Args:
        statistic: of the (..., n) or (..., n, m) numbers of n prompts; gives (...).
        one, other: (n,) or (n, m), a row for each prompt, with all its runs.
    """
    value = float(statistic(one) - statistic(other))
    if len(one) < LEAST_PROMPTS:
        return Difference(value, None, None)
    return Difference(value, *bootstrap(lambda picks: statistic(one[picks]) - statistic(other[picks]), len(one)))


def bootstrap(statistic: Callable[[np.ndarray], np.ndarray], count: int, seed: int = 0) -> tuple[float, float]:
    """95 % percentile bootstrap interval: the things measured are drawn anew, with replacement.

    The things must be independent. Repeats on one prompt are not, at temperature 0 they are the same text each time:
    then a thing is a prompt with all its runs.

    Args:
        statistic: of (R, count) indices into the things, a resample a row; gives (R,) values.
        count: how many things there are; few make an interval that claims too much.
        seed: of the resamples.

    Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 13.
    """
    picks = np.random.default_rng(seed).integers(0, count, size=(NUM_RESAMPLES, count))
    low, high = np.quantile(statistic(picks), [0.025, 0.975]).tolist()
    return low, high
