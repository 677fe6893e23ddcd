"""Intervals of numbers that were taken from a few runs, prompts or windows."""

from collections.abc import Callable, Iterator, Sequence
from math import ceil, log2, sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

NUM_RESAMPLES = 4000
LEAST_PROMPTS = 5  # for an interval: the lowest and highest of 4 hold the true median 7 times in 8


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


def bootstrap(statistic: Callable[[np.ndarray], np.ndarray], count: int) -> tuple[float, float]:
    """95 % bootstrap interval with expanded percentiles: the things measured are resampled, with replacement.

    The things must be independent. Repeats on one prompt are not, at temperature 0 they are the same text each time:
    then a thing is a prompt with all its runs. Of n things, resamples vary by sqrt((n - 1) / n) too little, and the
    normal quantile takes no account of n; the percentiles are those at which t with n - 1 degrees makes up for both.

    Args:
        statistic: of (R, count) indices into the things, a resample a row; gives (R,) values.
        count: how many things there are, at least LEAST_PROMPTS.

    Source: Hesterberg 2015, What Teachers Should Know About the Bootstrap, arXiv 1411.5279, section 3.3 (expanded).
    """
    return next(_joint_percentiles(statistic(_resamples(count))[None], count))


def median_interval(groups: Sequence[Sequence[float]]) -> tuple[float, float] | None:
    """95 % bootstrap interval of the median of all numbers, prompts resampled; None where there are too few prompts.

    Args:
        groups: the numbers of each prompt; a race or a sweep that was stopped has more of some than of others.
    """
    return joint_median_intervals([groups])[0]


def joint_median_intervals(
    sides: Sequence[Sequence[Sequence[float]]], seed: int = 0
) -> list[tuple[float, float] | None]:
    """95 % bootstrap intervals of several medians that hold all at once, prompts resampled for all sides together.

    Of eleven methods that equal plain decoding, intervals that hold one by one call some method faster in one race of
    five; the methods share their prompts and their baseline, so the resamples are shared, too.

    Args:
        sides: for each side the numbers of each prompt; all sides have the same prompts, some of them without numbers.

    Returns:
        An interval for each side; None for all where there are too few prompts for so many sides.

    Source: Beran 1988, Balanced Simultaneous Confidence Sets, JASA 83(403): each side has the same share of misses.
    """
    count = min(sum(map(bool, groups)) for groups in sides)
    if count < least_prompts(len(sides)):
        return [None] * len(sides)
    picks = _resamples(len(sides[0]), seed)
    return [*_joint_percentiles(np.stack([_medians(groups, picks) for groups in sides]), count)]


def least_prompts(num_sides: int) -> int:
    """Return how many prompts intervals of so many sides need: one more whenever the sides double.

    By chance alone n prompts are all above 1, or all below, once in 2^(n - 1) per side.
    """
    return LEAST_PROMPTS + ceil(log2(num_sides))


def _resamples(count: int, seed: int = 0) -> np.ndarray:
    """Draw (NUM_RESAMPLES, count) indices into so many things."""
    return np.random.default_rng(seed).integers(0, count, size=(NUM_RESAMPLES, count))


def _medians(groups: Sequence[Sequence[float]], picks: np.ndarray) -> np.ndarray:
    """Return the median of all numbers of each resample of prompts, (R,); NaN where none of its prompts has any."""
    table = np.full((len(groups), max(map(len, groups))), np.nan)
    for row, group in zip(table, groups, strict=True):
        row[: len(group)] = group
    return np.nanmedian(table[picks].reshape(len(picks), -1), axis=1)


def _joint_percentiles(values: np.ndarray, count: int) -> Iterator[tuple[float, float]]:
    """Yield the interval of each side, (S, R) values of resamples of `count` things, that 95 % leave on no side."""
    tail = 0.025
    if len(values) > 1:
        ordered = np.sort(values, axis=1)
        below = [np.searchsorted(row, each, "right") for row, each in zip(ordered, values, strict=True)]
        above = [len(row) - np.searchsorted(row, each, "left") for row, each in zip(ordered, values, strict=True)]
        tail = min(tail, float(np.quantile(np.minimum(below, above).min(axis=0), 0.05)) / values.shape[1])
    expanded = NormalDist().cdf(-((count / (count - 1)) ** 0.5) * _student_quantile(tail, count - 1))
    for row in values:
        low, high = np.nanquantile(row, [expanded, 1 - expanded]).tolist()
        yield low, high


def _student_quantile(tail: float, degrees: int) -> float:
    """Return t above which a tail is, to a thousandth for 2.5 % from four degrees of freedom on.

    Source: Abramowitz and Stegun 1964, 26.7.5.
    """
    z = -NormalDist().inv_cdf(tail)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92_160,
    )
    return z + sum(term / degrees**power for power, term in enumerate(terms, 1))


def wilson_interval(successes: int, trials: int) -> tuple[float, float] | None:
    """95 % bounds of an unknown probability after `successes` of `trials`; None without a trial.

    Wilson 1927, the score interval. Assumes independent trials with one probability, which tokens of one text are only
    roughly. It stays inside 0 .. 1 and is honest for few trials, where the usual plus-minus is not.
    """
    if trials == 0:
        return None
    z = 1.959964
    share, spread = successes / trials, z * z / trials
    middle = (share + spread / 2) / (1 + spread)
    half = z * sqrt(share * (1 - share) / trials + spread / (4 * trials)) / (1 + spread)
    return min(share, max(0.0, middle - half)), max(share, min(1.0, middle + half))  # rounding, at 0 and at 1
