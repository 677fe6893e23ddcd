"""Do counts come from a distribution? Their distance from it, the distance that chance alone makes, and two tests.

Pearson's chi-square test is for counts that are looked at once. The other may be asked after every sample. A test that
finds nothing has shown little by itself: how far away a distribution would have been found out is its power,
`visible_distance`.

A distribution may be one of several, each under its own condition: then how often a condition came up proves nothing,
and only what came out under it is compared.
"""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

NOISE_DRAWS = 2_000  # simulated experiments behind the noise floor
NOISE_SEED = 0
CONCENTRATIONS = 16 * 4.0 ** np.arange(9)  # from distributions far from the true one to distributions very near it
TAIL = 200  # terms of a tail of which a few are expected: what follows is nothing
FALSE_ALARM = 1e-4  # A lossless method is called different so often.
POWER = 0.9  # A distribution at the visible distance is called different so often.


@dataclass(frozen=True, slots=True)
class Comparison:
    """Counts against a distribution."""

    # total variation distance between the frequencies and the distribution, 0 to 1; with several conditions its mean
    tv: float
    noise_floor: float  # `tv` is this on average when the counts do come from the distribution.
    noise_upper: float  # `tv` then exceeds it in 1 of 100 experiments.
    # The chosen test gives it; it is 0 when something came out that the distribution excludes.
    p_value: float
    noise_lower: float  # `tv` then falls below it in 1 of 100.


# observed (n,) and expected frequencies (n,) of each condition -> p-value
Columns = Sequence[tuple[NDArray[np.int64], NDArray[np.float64]]]
Test = Callable[[Columns], float]


def compare_under_conditions(
    pairs: Sequence[tuple[Mapping[Hashable, int], Mapping[Hashable, float]]],
    noise_draws: int = NOISE_DRAWS,
    test: Test | None = None,
) -> Comparison:
    """For each condition, the counted outcomes and their distribution. Conditions count by how often they came up.

    Args:
        pairs: counts and distribution, by condition.
        noise_draws: simulated experiments behind the noise floor.
        test: where the p-value comes from; `chi_square_p_value` if None.
    """
    columns = [_columns(counts, distribution) for counts, distribution in pairs]
    samples = sum(int(observed.sum()) for observed, _ in columns)
    rng = np.random.default_rng(NOISE_SEED)
    tv, noise = 0.0, np.zeros(noise_draws)
    for observed, distribution in columns:
        num = observed.sum()
        tv += num / samples * float(distance(observed / num, distribution))
        noise += num / samples * distance(rng.multinomial(num, distribution, noise_draws) / num, distribution)
    low, high = np.quantile(noise, [0.01, 0.99]).tolist()
    return Comparison(float(tv), float(noise.mean()), high, (test or chi_square_p_value)(columns), low)


def visible_distance(pairs: Sequence[tuple[Mapping[Any, int], Mapping[Any, float]]]) -> float:
    """Return the least total variation distance that Pearson's test shows in 9 of 10 counts of this size.

    A distribution v that is d away from p gives the statistic the noncentrality sum n (v - p)^2 / p, which is at least
    4 n d^2 (Cauchy and Schwarz: the sum of |v - p| is 2 d). So d = sqrt(lambda / 4 n), with the lambda at which the
    noncentral chi-square distribution exceeds the limit with probability POWER: whichever way a distribution deviates,
    it is seen from there on; one that deviates in rare outcomes is seen nearer. With several conditions d is the mean
    over their counts, as `tv` is. Outcomes that are thrown together are one outcome here. Where the distribution has a
    single outcome, any other shows.

    Source: Cohen 1988, Statistical Power Analysis, chapter 7, whose effect size w has n w^2 = lambda.

    Args:
        pairs: counts and distribution, by condition.
    """
    columns = [_columns(counts, distribution) for counts, distribution in pairs]
    samples = sum(int(observed.sum()) for observed, _ in columns)
    freedom = sum(len(expected) - 1 for _, expected in map(_thrown_together, columns))
    if not freedom:
        return 1 - (1 - POWER) ** (1 / samples)
    limit = _where(lambda statistic: above(statistic, freedom) <= FALSE_ALARM)
    return math.sqrt(_where(lambda shift: _above_shifted(limit, freedom, shift) >= POWER) / (4 * samples))


def _where(holds: Callable[[float], bool]) -> float:
    """Return the number from which on a condition holds, to twelve digits, by bisection."""
    high = 1.0
    while not holds(high):
        high *= 2
    low = 0.0
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def above(statistic: float, freedom: float) -> float:
    """P(chi-square > statistic)."""
    halves = torch.tensor([freedom / 2, statistic / 2], dtype=torch.float64)
    return float(torch.special.gammaincc(halves[0], halves[1]))


def _above_shifted(statistic: float, freedom: int, shift: float) -> float:
    """Tail of the noncentral chi-square distribution: central ones, weighed by Poisson's of half the shift."""
    half = shift / 2
    terms = torch.arange(int(half + 12 * math.sqrt(half) + 40), dtype=torch.float64)
    weights = (terms * math.log(half) - half - (terms + 1).lgamma()).exp() if half else (terms == 0).double()
    return float((weights * torch.special.gammaincc(freedom / 2 + terms, torch.full_like(terms, statistic / 2))).sum())


def _columns(
    counts: Mapping[Hashable, int], distribution: Mapping[Hashable, float]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    outcomes = [*distribution, *(outcome for outcome in counts if outcome not in distribution)]
    expected = np.array([distribution.get(outcome, 0.0) for outcome in outcomes])
    return np.array([counts.get(outcome, 0) for outcome in outcomes], dtype=np.int64), expected / expected.sum()


def distance(frequencies: NDArray[np.float64], distribution: NDArray[np.float64]) -> NDArray[np.float64]:
    """Total variation distance along the last axis: half the sum of the absolute differences."""
    return np.abs(frequencies - distribution).sum(-1) / 2


def anytime_p_value(columns: Columns) -> float:
    """Return a p-value for counts watched as they grow: below alpha at any time with probability alpha at most.

    Its inverse is a likelihood ratio, of other distributions over this one, each drawn from a Dirichlet distribution
    around it and all of them mixed. Under the distribution itself such a ratio is a fair game: every sample multiplies
    it by a factor of mean 1, so that the chance ever to reach 1 / alpha is at most alpha. No cell is too small for
    that, no number of samples too low, and nothing is shared out over looks.

    Sources: Ville 1939, Etude critique de la notion de collectif; Ramdas et al. 2023, Game-theoretic statistics and
    safe anytime-valid inference, arXiv 2210.01948.
    """
    ratios = np.zeros(len(CONCENTRATIONS))  # logarithms
    for counts, distribution in columns:
        if counts[distribution == 0].any():
            return 0.0
        seen, share = counts[counts > 0], distribution[counts > 0]
        prior = CONCENTRATIONS[:, None] * share
        ratios += (_log_gamma(prior + seen) - _log_gamma(prior)).sum(1) - (seen * np.log(share)).sum()
        ratios -= _log_gamma(CONCENTRATIONS + seen.sum()) - _log_gamma(CONCENTRATIONS)
    largest = float(ratios.max())
    return min(1.0, math.exp(min(0.0, -largest)) / float(np.exp(ratios - largest).mean()))


def _log_gamma(values: NDArray[np.floating]) -> NDArray[np.floating]:
    return torch.from_numpy(values).lgamma().numpy()


def chi_square_p_value(columns: Columns) -> float:
    """Pearson's test of counts (n,) against their distributions (n,), a pair for every condition.

    Cells with less than 5 expected are thrown together, condition by condition, and if that is still less, with the
    next larger one. A condition that has no two cells then says nothing; where it is the only one, the rare outcomes
    together are tested exactly.
    """
    statistic, freedom = 0.0, 0
    for counts, distribution in columns:
        if counts[distribution == 0].any():
            return 0.0
        observed, expected = _thrown_together((counts, distribution))
        statistic += float(((observed - expected) ** 2 / expected).sum()) if len(expected) > 1 else 0.0
        freedom += len(expected) - 1
    if not freedom:
        return _rare_p_value(*columns[0]) if len(columns) == 1 else 1.0
    return above(statistic, freedom)


def _thrown_together(
    column: tuple[NDArray[np.int64], NDArray[np.float64]],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Observed and expected counts (m,) of the cells that Pearson's test is made of."""
    counts, distribution = column
    order = np.argsort(distribution, kind="stable")
    observed, expected = counts[order], distribution[order] * counts.sum()
    num_rare = int((expected < 5).sum())
    if 0 < expected[:num_rare].sum() < 5:
        num_rare += 1
    observed, expected = (np.append(values[:num_rare].sum(), values[num_rare:]) for values in (observed, expected))
    return observed[expected > 0], expected[expected > 0]


def _rare_p_value(counts: NDArray[np.int64], distribution: NDArray[np.float64]) -> float:
    """Twice the smaller tail of the binomial distribution of how often anything but the likeliest outcome comes up."""
    samples, often = int(counts.sum()), int(distribution.argmax())
    rare, seen = float(np.delete(distribution, often).sum()), samples - int(counts[often])
    if not 0 < rare < 1:
        return 1.0

    def chance(k: int) -> float:
        ways = math.lgamma(samples + 1) - math.lgamma(k + 1) - math.lgamma(samples - k + 1)
        return math.exp(ways + k * math.log(rare) + (samples - k) * math.log1p(-rare))

    upper = math.fsum(map(chance, range(seen, min(samples, seen + TAIL) + 1)))
    lower = 1 - upper + chance(seen) if seen < samples * rare else 1.0
    return min(1.0, 2 * min(lower, upper))
