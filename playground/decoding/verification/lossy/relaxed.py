"""Relaxed depth rule: each i.i.d. draft is tested by itself against p, and K of N draws become outputs.

A draw is accepted with min(1, p/q), whatever the outcome of the others. The first K accepted are the outputs; if there
are fewer, the others are drawn from the residual norm(max(0, p - q)), or from p where there were not enough draws.

With N = K every output is a draw of its own, accepted or replaced by the residual: speculative sampling K times over,
so the outputs are independent draws from p, once their order is forgotten. With more draws than outputs, accepted draws
crowd out residual ones, and accepted draws follow min(p, q) / alpha, not p: that is the price of more depths accepted
whole. The paper also removes the accepted draws from the residual. Then outputs coincide less often than independent
draws do, and the distribution is another one even with N = K.

Source: Lin et al. 2024, arXiv 2410.05165, Algorithm 2. Line 14 there prints > K, which K draws can never reach; at
least K is meant.
"""

from math import comb

import numpy as np

from playground.decoding.distribution import zeroed
from playground.decoding.verification.recursive import reject
from playground.decoding.verification.ruling import Ruling, Test, untested
from playground.decoding.workings import reasons, records
from playground.models.reading import Array
from playground.trace.events import Tests

TESTS: Tests = "layers"


def judge(
    target_probs: Array,
    draft_probs: Array,
    draws: list[int],
    num_outputs: int,
    rng: np.random.Generator,
    *,
    spare: int,
    strike: bool = False,
    independent: bool = True,
) -> Ruling:
    """Test draws until `num_outputs` are accepted or that many and `spare` more have been tested.

    Args:
        target_probs: (n,) p.
        draft_probs: (n,) q, which every draw came from.
        draws: indices of these rows, in draw order.
        num_outputs: K.
        rng: uniform numbers: one for each test.
        spare: N - K.
        strike: True to remove accepted draws from the residual.
        independent: True where the draws are i.i.d.; the workings' expectations hold for these only.
    """
    offered = draws[: num_outputs + spare]
    num_accepted, tests = 0, []
    p, q = target_probs[offered].tolist(), draft_probs[offered].tolist()
    for index, (p_x, q_x) in enumerate(zip(p, q, strict=True)):
        if num_accepted == num_outputs:
            break
        uniform, chance = rng.random(), min(1.0, p_x / q_x)
        passed = bool(uniform * q_x < p_x)
        why = reasons.uniform_test(passed, chance)
        tests.append(Test(index, "accepted" if passed else "rejected", chance, uniform, why))
        num_accepted += passed
    extra_probs: list[Array] = []
    if num_accepted < num_outputs:
        residual_probs = reject(target_probs, draft_probs)
        if strike:
            accepted = [x for x, test in zip(offered, tests, strict=False) if test.outcome == "accepted"]
            residual_probs = struck_out(residual_probs, accepted)
        num_rejected = len(tests) - num_accepted
        extra_probs = [*[residual_probs] * num_rejected, *[target_probs] * num_outputs][: num_outputs - num_accepted]

    def workings() -> records.Relaxed:
        rate, num_draws = single_rate(target_probs, draft_probs), len(offered)
        return records.Relaxed(
            num_draws=num_draws,
            width=num_outputs,
            accepted=num_accepted,
            rate=rate,
            whole=sum(_binomial(rate, num_draws, k) for k in range(num_outputs, num_draws + 1)),
            share=expected_share(rate, num_draws, num_outputs),
            distance=None if strike else output_distance(target_probs, draft_probs, num_draws, num_outputs),
        )

    tests += untested(range(len(tests), len(draws)), reasons.ENOUGH_DRAWS)
    return Ruling(tests, extra_probs, workings if independent else None)


def struck_out(residual_probs: Array, indices: list[int]) -> Array:
    """Residual without these entries, renormalised; the residual itself where it has no others. (n,)"""
    remaining = zeroed(residual_probs, indices)
    mass = remaining.sum()
    return remaining / mass if float(mass) > 0 else residual_probs


def single_rate(target_probs: Array, draft_probs: Array) -> float:
    """Probability alpha that one draw is accepted."""
    return min(1.0, float(np.minimum(target_probs.astype(np.float64), draft_probs.astype(np.float64)).sum()))


def expected_share(rate: float, num_draws: int, num_outputs: int) -> float:
    """Return the mean of min(A, K) / K: the share of drafts among the outputs, where A of N draws are accepted."""
    return sum(_binomial(rate, num_draws, k) * min(1.0, k / num_outputs) for k in range(num_draws + 1))


def output_distance(target_probs: Array, draft_probs: Array, num_draws: int, num_outputs: int) -> float:
    """Total variation distance between p and the distribution of one output, chosen uniformly.

    p is alpha min(p, q) / alpha + (1 - alpha) residual; with N >= K the share of drafts replaces alpha.
    """
    p, q = target_probs.astype(np.float64), draft_probs.astype(np.float64)
    accepted_mass = np.minimum(p, q)
    rate = float(accepted_mass.sum())
    if rate == 0 or num_draws <= num_outputs:
        return 0.0
    share = expected_share(min(1.0, rate), num_draws, num_outputs)
    distribution = share * accepted_mass / rate + (1 - share) * reject(p, q)
    return float(np.abs(distribution - p).sum()) / 2


def _binomial(rate: float, num_draws: int, successes: int) -> float:
    return comb(num_draws, successes) * rate**successes * (1 - rate) ** (num_draws - successes)
