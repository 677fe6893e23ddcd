"""Block verification by arithmetic: golden values, the exact joint law, and what it must share with token tests."""

import itertools

import numpy as np
import pytest

from playground.decoding.method import make_method
from playground.decoding.verification import block, speculative
from playground.models.table_model import TableModel
from playground.trace.events import Verified
from tests.decoding.runs import request, tokens, trace_of
from tests.decoding.verification.coins import Coins
from tests.golden import ACCEPTANCE

GOLDEN = ACCEPTANCE["block_verification"]


def rows(model, prompt, chain):
    """The model's distributions before each token of a chain. (N, V)"""
    text = [*prompt, *chain]
    return np.array(np.stack([model.table[model._window(text[: len(prompt) + i])] for i in range(len(chain))]))


def outcomes(target, draft, prompt, length):
    """Every chain and every number of kept tokens: probability, kept tokens, law of the token after them."""
    for chain in itertools.product(range(target.vocab_size), repeat=length):
        p, q = rows(target, prompt, chain), rows(draft, prompt, chain)
        left = float(np.prod([row[token] for row, token in zip(q.tolist(), chain, strict=True)]))
        for kept in range(length, -1, -1):
            result = block.judge(p, q, chain, Coins([1 - 1e-16] * (length - kept) + [0.0] * kept))
            if len(result.accepted) != kept:
                continue  # its chance is 0 or, where longer ones are certain, never comes up
            chance = left * result.tested[-1 - (kept - 1)].accept_prob if kept else left
            after = rows(target, prompt, [*chain, 0])[-1] if not result.extra_probs else result.extra_probs[0]
            yield chance, chain[:kept], (after / after.sum())
            left -= chance


@pytest.mark.parametrize("length", [1, 2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_the_joint_law_of_the_text_is_the_targets(seed, length):
    """All chains, all coins, on tables that remember: the law of the next N + 1 tokens, to 1e-10."""
    target, draft = TableModel.random(3, order=2, seed=seed), TableModel.random(3, order=1, seed=seed + 50)
    distribution = np.zeros((3,) * (length + 1))
    for chance, kept, after in outcomes(target, draft, [0, 1], length):
        for token in range(3):
            text = (*kept, token)
            rest = target.distribution([0, 1, *text], length - len(kept))
            distribution[text] += chance * after[token] * rest
    assert np.abs(distribution - target.distribution([0, 1], length + 1)).max() < 1e-10


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_tokens_per_round_equal_the_golden_values(length):
    target, draft = TableModel([1 / 3, 2 / 3]), TableModel([2 / 3, 1 / 3])
    mean = sum(chance * (len(kept) + 1) for chance, kept, _ in outcomes(target, draft, [0], length))
    assert abs(mean - GOLDEN["tokens_per_iteration"][f"gamma={length}"]["block"]) < 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_never_fewer_tokens_than_token_by_token(seed):
    target, draft = TableModel.random(3, order=1, seed=seed), TableModel.random(3, order=1, seed=seed + 50)
    mean = sum(chance * len(kept) for chance, kept, _ in outcomes(target, draft, [0], 3))
    token_by_token = 0.0
    for chain in itertools.product(range(3), repeat=3):
        p, q = rows(target, [0], chain), rows(draft, [0], chain)
        drawn = [row[token] for row, token in zip(q.tolist(), chain, strict=True)]
        accept = [test.accept_prob for test in speculative.judge(p, q, chain, Coins([0.0] * 3)).tests]
        token_by_token += np.prod(drawn) * sum(np.prod(accept[:kept]) for kept in (1, 2, 3))
    assert mean > token_by_token - 1e-12


def test_a_draft_of_one_token_is_speculative_sampling():
    """The same seed gives the same text, coins and acceptance probabilities."""
    texts = [
        [tokens(request(make_method(name, {"draft_length": 1}), seed=seed, length=40)) for seed in range(20)]
        for name in ("block_verification", "speculative_sampling")
    ]
    assert texts[0] == texts[1]


def test_a_weak_token_is_kept_with_the_strong_one_behind_it():
    p = np.array([[0.1, 0.9], [0.9, 0.1]], dtype=np.float64)
    q = np.array([[0.5, 0.5], [0.1, 0.9]], dtype=np.float64)
    result = block.judge(p, q, [0, 0], Coins([0.99]))
    assert result.accepted == [0, 1] and result.extra_probs == []
    second, first = result.tests  # in the order of the tests
    assert first[:4] == (0, "accepted", 1.0, None) and second[:3] == (1, "accepted", 1.0)


def test_verdicts_come_in_the_order_of_the_tests():
    """From the end of the chain; the tests stop at the first block that passes, and that block's coin is the last."""
    for event in trace_of(request(make_method("block_verification"), length=60)).events:
        if isinstance(event, Verified) and event.nodes:
            assert event.nodes == sorted(event.nodes, reverse=True)
            uniforms = [uniform is not None for uniform in event.uniforms]
            assert uniforms == sorted(uniforms, reverse=True)


def hierarchical(p, q, chain):
    """Acceptance h_1 .. h_N and the last residual of HSD, from its paper's definitions 4 to 6 and equation 19."""
    at = range(len(chain))
    ratios = np.cumprod(p[at, chain] / q[at, chain])  # r(X_1:t)
    largest = np.maximum.accumulate(np.maximum(ratios, 1))  # r at the maximum prefix ratio index; 1 where that is 0
    chances, residuals = [], []
    for t in range(1, len(chain)):
        branch = ratios[t - 1] / largest[t - 1] * p[t] - q[t]  # (r* - 1) q of each child, over q of the prefix
        excess, deficit = np.maximum(branch, 0).sum(), np.maximum(-branch, 0).sum()
        chances.append(excess / deficit)
        residuals.append(np.maximum(branch, 0))
    capped = ratios[-1] / (largest[-2] if len(chain) > 1 else 1)
    return [*chances, min(1, capped)], residuals


@pytest.mark.parametrize("seed", range(20))
def test_hierarchical_speculative_decoding_is_this_very_rule(seed):
    """Zhou et al. 2026, arXiv 2601.05724, report more tokens than by blocks; by their definitions they are the same.

    P_i = min(1, P_(i-1) p/q) is r_i over the largest ratio so far, or over 1: a product that is cut at 1 at every step.
    """
    rng = np.random.default_rng(seed)
    p, q = rng.dirichlet(np.ones(4), size=(2, 5))
    chain = rng.integers(4, size=5).tolist()
    chances, residuals = hierarchical(p, q, chain)
    at = range(len(chain))
    reach = block.reaches(p[at, chain].tolist(), q[at, chain].tolist())
    assert block.acceptance(p, q, reach) == pytest.approx(chances, abs=1e-12)
    for t, of_paper in enumerate(residuals, 1):
        assert not of_paper.any() or block.residual(p[t], q[t], reach[t]) == pytest.approx(of_paper, abs=1e-12)
