"""Confidence interval of a counted proportion."""

from __future__ import annotations

from math import sqrt


def wilson_interval(successes: int, trials: int, *, z: float = 1.959964) -> tuple[float, float] | None:
    """Bounds of an unknown probability after `successes` of `trials`; 95 % at the default z, None without a trial.

    Wilson 1927, the score interval. Assumes independent trials with one probability, which tokens of one text are only
    roughly. It stays inside 0 .. 1 and is honest for few trials, where the usual plus-minus is not.
    """
    if trials == 0:
        return None
    share, spread = successes / trials, z * z / trials
    middle = (share + spread / 2) / (1 + spread)
    half = z * sqrt(share * (1 - share) / trials + spread / (4 * trials)) / (1 + spread)
    return min(share, max(0.0, middle - half)), max(share, min(1.0, middle + half))  # rounding, at 0 and at 1
