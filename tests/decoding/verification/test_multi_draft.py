"""Rules for several drafts: golden acceptance values, and the exact law of what each rule lets out."""

import itertools

import numpy as np
import pytest

from playground.decoding.distribution import Distinct, Independent
from playground.decoding.verification import k_seq, recursive
from tests.decoding.verification.coins import Coins, accept_probs, residual
from tests.golden import ACCEPTANCE as GOLDEN

RULES = {
    "with replacement": (recursive.judge, Independent, True),
    "without replacement": (recursive.judge, Distinct, False),
    "k_seq": (k_seq.judge, Independent, True),
}
GOLDEN_NAMES = {"mss_iid": "with replacement", "rrs_wo": "without replacement", "kseq": "k_seq"}


def draws(q, num_drafts, replacement):
    """Every sequence of draws with its probability; q is one row, or one for each draw."""
    if replacement:
        rows = np.broadcast_to(q, (num_drafts, np.shape(q)[-1]))
        for tokens in itertools.product(*(np.flatnonzero(row).tolist() for row in rows)):
            yield tokens, float(np.prod([row[token] for row, token in zip(rows, tokens, strict=True)]))
        return
    support = np.flatnonzero(q).tolist()
    for tokens in itertools.permutations(support, min(num_drafts, len(support))):
        chance, left = 1.0, 1.0
        for token in tokens:
            chance *= q[token] / left
            left -= q[token]
        yield tokens, chance


def enumerated(rule, law_of, p, q, num_drafts, replacement):
    """Exact law of the emitted token, and P(a draw is accepted): every draw sequence, and both sides of every coin."""
    distribution, refused = np.zeros(len(p)), 0.0
    for tokens, chance in draws(q, num_drafts, replacement):
        reject_all = rule(np.array(p), law_of(np.array(q)), list(tokens), Coins([1 - 1e-16] * len(tokens)))
        for token, accept in zip(tokens, accept_probs(reject_all), strict=False):
            distribution[token] += chance * accept
            chance *= 1 - accept
        if chance > 1e-15:
            rest = residual(reject_all)
            distribution += chance * rest / rest.sum()
            refused += chance
    return distribution, 1 - refused


def acceptance(name, p, q, num_drafts):
    rule, law_of, replacement = RULES[name]
    return enumerated(rule, law_of, np.array(p), np.array(q), num_drafts, replacement)[1]


@pytest.mark.parametrize("scheme", GOLDEN_NAMES)
@pytest.mark.parametrize("num_drafts", [2, 3])
@pytest.mark.parametrize("name", GOLDEN["vectors"])
def test_acceptance_equals_the_golden_values(name, num_drafts, scheme):
    vector = GOLDEN["vectors"][name]
    value = acceptance(GOLDEN_NAMES[scheme], vector["target"], vector["draft"], num_drafts)
    assert abs(value - vector[f"K{num_drafts}"][scheme]) < 1e-9
    if scheme == "kseq":
        assert abs(k_seq.acceptance(np.array(vector["target"]), np.array(vector["draft"]), num_drafts) - value) < 1e-9


@pytest.mark.parametrize("row", GOLDEN["bernoulli_grid_K2"], ids=lambda row: f"{row['target']}-{row['draft']}")
def test_acceptance_equals_the_golden_grid(row):
    p, q = ([1 - row[model], row[model]] for model in ("target", "draft"))
    for scheme, name in GOLDEN_NAMES.items():
        assert abs(acceptance(name, p, q, 2) - row[scheme]) < 1e-9, scheme


@pytest.mark.parametrize("name", GOLDEN["vectors"])
@pytest.mark.parametrize("num_drafts", [2, 3])
def test_parts_of_the_acceptance_equal_the_golden_values(name, num_drafts):
    """K-SEQ's factor, one draw's chance at it, the acceptance there and at K, and the stages of recursive rejection."""
    vector, golden = GOLDEN["vectors"][name], GOLDEN["vectors"][name][f"K{num_drafts}"]
    p, q = np.array(vector["target"]), np.array(vector["draft"])
    shown = k_seq.judge(p, Independent(q), [0] * num_drafts, Coins([0.5] * num_drafts)).workings()
    assert shown.factor == pytest.approx(golden["kseq_rho"], abs=1e-9) and shown.num_draws == num_drafts
    assert shown.one == pytest.approx(golden["kseq_beta"], abs=1e-9)
    assert shown.all == pytest.approx(golden["kseq"], abs=1e-9)
    assert k_seq.acceptance_at(p, q, num_drafts, num_drafts) == pytest.approx(golden["kseq_rhoK"], abs=1e-9)
    missed = [1 - acceptance("with replacement", p, q, k) for k in range(num_drafts + 1)]
    for before, after, stage in zip(missed, missed[1:], golden["mss_stage_alphas"], strict=False):
        assert before * (1 - stage) == pytest.approx(after, abs=1e-9)


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("num_drafts", [1, 2, 3])
def test_what_comes_out_has_exactly_the_targets_law(name, num_drafts):
    """40 random pairs per rule, enumerated: no samples, no noise, 1e-9 (K-SEQ's factor is solved to 1e-12)."""
    rule, law_of, replacement = RULES[name]
    rng = np.random.default_rng(num_drafts)
    for _ in range(40):
        p, q = rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(4))
        assert np.abs(enumerated(rule, law_of, p, q, num_drafts, replacement)[0] - p).max() < 1e-9


@pytest.mark.parametrize("num_drafts", [2, 3])
def test_draws_with_laws_of_their_own_have_exactly_the_targets_law(num_drafts):
    """40 random cases, enumerated, some with tokens that only one of the laws can draw."""
    rng = np.random.default_rng(num_drafts)
    for number in range(40):
        p, *distributions = rng.dirichlet(np.ones(4), size=num_drafts + 1)
        if number % 2:
            distributions[0][number % 4] = 0
            distributions[0] /= distributions[0].sum()
        distribution, _ = enumerated(recursive.judge, Independent, p, np.array(distributions), num_drafts, True)
        assert np.abs(distribution - p).max() < 1e-12


def test_acceptance_of_two_different_drafts_equals_the_golden_values():
    """Their order counts; drawing the order at random comes to the mean."""
    golden = GOLDEN["two_different_drafts"]
    p, first, second = (np.array(golden[name]) for name in ("target", "draft1", "draft2"))
    orders = [acceptance("with replacement", p, np.stack(q), 2) for q in [(first, second), (second, first)]]
    assert np.abs(np.subtract(orders, [golden["mss_order_12"], golden["mss_order_21"]])).max() < 1e-12
    assert abs(np.mean(orders) - golden["mss_random_order"]) < 1e-12
