"""Draws judged each for itself: exact with as many draws as outputs, and how far from it otherwise. All enumerated."""

import itertools
from collections import defaultdict
from math import comb

import numpy as np
import pytest

from playground.decoding.verification.lossy import relaxed
from playground.decoding.workings.records import Relaxed
from tests.decoding.verification.coins import Coins, outcomes
from tests.golden import ACCEPTANCE

GOLDEN = ACCEPTANCE["dsbd"]
P, Q = (np.array(GOLDEN[name]) for name in ("p_beam", "q_beam"))


def outcomes_of(p, q, draws, num_outputs, **how):
    """Every result of judging these draws, with its probability."""
    return outcomes(lambda coins: relaxed.judge(p, q, draws, num_outputs, coins, **how), len(draws))


def law_of_outputs(p, q, num_draws, num_outputs, **how):
    """P(outputs), in the order in which they come about."""
    distribution, size = defaultdict(float), len(p)
    for draws in itertools.product([x for x in range(size) if q[x] > 0], repeat=num_draws):
        for result, chance in outcomes_of(p, q, list(draws), num_outputs, **how):
            chance *= float(q[list(draws)].prod())
            selected = [draws[index] for index in result.accepted]
            assert len(selected) + len(result.extra_probs) == num_outputs
            for others in itertools.product(range(size), repeat=len(result.extra_probs)):
                drawn = np.prod([float(row[x]) for row, x in zip(result.extra_probs, others, strict=True)])
                distribution[(*selected, *others)] += chance * drawn
    return distribution


def unordered(law):
    """Beams are a multiset: which came about first is nobody's business."""
    sums = defaultdict(float)
    for outputs, chance in law.items():
        sums[tuple(sorted(outputs))] += chance
    return sums


def independent(p, num_outputs):
    """The law of i.i.d. beam sampling: draws from p, as a multiset."""
    return unordered({xs: float(p[list(xs)].prod()) for xs in itertools.product(range(len(p)), repeat=num_outputs)})


def distance(law, other):
    return sum(abs(law[key] - other[key]) for key in {*law, *other}) / 2


@pytest.mark.parametrize(
    ("p", "q"),
    [
        (P, Q),
        (np.array([0.5, 0.5, 0.0]), np.array([0.0, 0.3, 0.7])),
        (np.array([0.5, 0.5, 0.0, 0.0]), np.array([0.0, 0.0, 0.5, 0.5])),
        (np.array([0.2, 0.3, 0.5]), np.array([0.2, 0.3, 0.5])),
    ],
    ids=["golden", "zeros", "disjoint", "equal"],
)
@pytest.mark.parametrize(("num_draws", "num_outputs"), [(1, 1), (2, 2), (3, 3), (1, 2), (0, 2)])
def test_without_spare_draws_the_outputs_are_independent_draws_from_p(p, q, num_draws, num_outputs):
    """Also with fewer draws than outputs, which happens when kept beams have few draws below them."""
    distribution = unordered(law_of_outputs(p, q, num_draws, num_outputs, spare=0))
    assert distance(distribution, independent(p, num_outputs)) < 1e-12


def test_draws_beyond_the_spare_ones_are_not_looked_at():
    """Five draws, two outputs, no spare draw: the law is that of two draws, so it is exact."""
    distribution = unordered(law_of_outputs(P[:3] / P[:3].sum(), Q[:3] / Q[:3].sum(), 5, 2, spare=0))
    assert distance(distribution, independent(P[:3] / P[:3].sum(), 2)) < 1e-12


@pytest.mark.parametrize(("num_draws", "expected"), [(3, 0.121), (4, 0.1826), (5, 0.2109)])
def test_spare_draws_cost_exactness_the_more_the_more_there_are(num_draws, expected):
    """Two outputs of the golden vectors: the distance from two independent draws, enumerated."""
    distribution = unordered(law_of_outputs(P, Q, num_draws, 2, spare=num_draws - 2))
    assert distance(distribution, independent(P, 2)) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(("num_draws", "expected"), [(2, 0.09), (3, 0.1075), (4, 0.1703)])
def test_striking_accepted_draws_out_is_not_exact(num_draws, expected):
    """As printed in the paper, and also with as many draws as outputs: they coincide less often than they should."""
    struck, plain = (
        unordered(law_of_outputs(P, Q, num_draws, 2, spare=num_draws - 2, strike=strike)) for strike in (True, False)
    )
    assert distance(struck, independent(P, 2)) == pytest.approx(expected, abs=6e-5)
    coincide, more = (sum(distribution[x, x] for x in range(5)) for distribution in (struck, plain))
    assert coincide < more


def test_a_residual_that_is_all_struck_out_stays_as_it_was():
    """p - q is positive at one token only, and that one was accepted: something must be drawn all the same."""
    p, q = np.array([0.6, 0.4]), np.array([0.4, 0.6])
    result = relaxed.judge(p, q, [0, 1], 2, Coins([0.0, 0.9]), spare=0, strike=True)
    assert result.accepted == [0] and [row.tolist() for row in result.extra_probs] == [pytest.approx([1.0, 0.0])]


def test_equal_laws_leave_no_residual_and_p_takes_its_place():
    """A rejection at p = q is mere rounding; with a coin of 1 it can be had."""
    p = np.array([0.25, 0.75])
    result = relaxed.judge(p, p, [0, 1], 2, Coins([1.0, 1.0]), spare=0)
    assert result.accepted == [] and all(row.tolist() == p.tolist() for row in result.extra_probs)


@pytest.mark.parametrize(("num_draws", "num_outputs"), [(2, 2), (3, 2), (4, 2), (4, 3), (1, 2)])
def test_the_workings_say_what_enumeration_finds(num_draws, num_outputs):
    p, q = P[:4] / P[:4].sum(), Q[:4] / Q[:4].sum()
    how = {"spare": max(0, num_draws - num_outputs)}
    whole = share = 0.0
    output = np.zeros(4)  # the law of one output, picked blindly
    for draws in itertools.product(range(4), repeat=num_draws):
        for result, chance in outcomes_of(p, q, list(draws), num_outputs, **how):
            chance *= float(q[list(draws)].prod())
            whole += chance * (len(result.accepted) == num_outputs)
            share += chance * len(result.accepted) / num_outputs
    for outputs, chance in law_of_outputs(p, q, num_draws, num_outputs, **how).items():
        for x in outputs:
            output[x] += chance / num_outputs
    shown = relaxed.judge(p, q, [0] * num_draws, num_outputs, Coins([1.0] * 9), **how).workings()
    assert isinstance(shown, Relaxed) and (shown.num_draws, shown.width) == (num_draws, num_outputs)
    assert shown.rate == pytest.approx(float(np.minimum(p, q).sum()))
    assert shown.whole == pytest.approx(whole) and shown.share == pytest.approx(share)
    assert shown.distance == pytest.approx(np.abs(output - p).sum() / 2, abs=1e-12)
    assert (shown.distance > 0.01) == (num_draws > num_outputs)


def test_a_layer_is_accepted_whole_as_often_as_the_binomial_says():
    """Four draws at alpha = 0.65: two or more of them."""
    alpha = float(np.minimum(P, Q).sum())
    shown = relaxed.judge(P, Q, [0] * 4, 2, Coins([1.0] * 4), spare=2).workings()
    assert shown.whole == pytest.approx(sum(comb(4, k) * alpha**k * (1 - alpha) ** (4 - k) for k in (2, 3, 4)))
    assert relaxed.judge(P, Q, [0] * 4, 2, Coins([1.0] * 4), spare=2, strike=True).workings().distance is None


def test_the_rule_stops_testing_when_enough_are_accepted():
    result = relaxed.judge(P, Q, [1, 1, 1, 1], 2, Coins([0.0, 0.0]), spare=2)
    assert result.accepted == [0, 1] and len(result.tested) == 2 and result.extra_probs == []
