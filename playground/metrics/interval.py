"""How far chance could have moved a number that was taken from a few runs, prompts or windows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

NUM_RESAMPLES = 2000


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
