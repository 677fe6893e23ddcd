"""Several outputs from the drafts of one depth: exactly independent draws from p, and the golden acceptance values."""

import itertools
from collections import defaultdict

import numpy as np
import pytest

from playground.decoding.verification import depth
from tests.decoding.verification.coins import outcomes
from tests.golden import ACCEPTANCE

GOLDEN = ACCEPTANCE["dsbd"]
P, Q = (np.array(GOLDEN[name]) for name in ("p_beam", "q_beam"))


def outcomes_of(p, q, draws, num_outputs):
    """Every result of judging these draws, with its probability."""
    return outcomes(lambda coins: depth.judge(p, q, draws, num_outputs, coins), len(draws))


@pytest.mark.parametrize(("num_drafts", "num_outputs"), [(3, 2), (4, 2), (4, 3)])
def test_the_depth_is_accepted_as_often_as_the_golden_values_say(num_drafts, num_outputs):
    chance = sum(
        float(Q[list(draws)].prod()) * probability
        for draws in itertools.product(range(5), repeat=num_drafts)
        for result, probability in outcomes_of(P, Q, list(draws), num_outputs)
        if len(result.accepted) == num_outputs
    )
    golden = GOLDEN[f"layer WS={num_drafts} WL={num_outputs}"]["iid_drafts"]["P_layer_accepted"]
    assert chance == pytest.approx(golden, abs=1e-9)


@pytest.mark.parametrize(
    ("p", "q"),
    [
        (P[:3] / P[:3].sum(), Q[:3] / Q[:3].sum()),
        (np.array([0.5, 0.5, 0.0]), np.array([0.0, 0.3, 0.7])),
        (np.array([0.2, 0.3, 0.5]), np.array([0.2, 0.3, 0.5])),
    ],
    ids=["golden", "zeros", "equal"],
)
@pytest.mark.parametrize(("num_drafts", "num_outputs"), [(0, 2), (1, 2), (3, 2), (3, 3)])
def test_the_outputs_are_independent_draws_from_p(p, q, num_drafts, num_outputs):
    distribution = defaultdict(float)
    for draws in itertools.product([x for x in range(3) if q[x] > 0], repeat=num_drafts):
        for result, probability in outcomes_of(p, q, list(draws), num_outputs):
            chance = float(q[list(draws)].prod()) * probability
            selected = [draws[index] for index in result.accepted]
            missing = num_outputs - len(selected)
            for others in itertools.product(range(3), repeat=missing):
                drawn = np.prod([float(row[x] / row.sum()) for row, x in zip(result.extra_probs, others, strict=True)])
                distribution[(*selected, *others)] += chance * drawn
    for outputs in itertools.product(range(3), repeat=num_outputs):
        assert distribution[outputs] == pytest.approx(float(p[list(outputs)].prod()), abs=1e-12)


def test_a_draw_after_a_rejection_says_what_its_coin_was_held_against():
    """What a rejection left of p may be nothing where p/q is .9: then the reason must not be p/q."""
    p, q = np.array([0.45, 0.55]), np.array([0.5, 0.5])
    first, second = depth.judge(p, q, [0, 0], 1, np.random.default_rng(seed_above(0.9))).tests
    assert first.accept_prob == pytest.approx(0.9) and first.reason.code in ("below", "not_below")
    assert second.accept_prob == 0 and second.reason.code == "no_mass_left"


def seed_above(chance):
    """A seed whose first coin is above this."""
    return next(seed for seed in itertools.count() if np.random.default_rng(seed).random() > chance)
