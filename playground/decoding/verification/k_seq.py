"""K-SEQ: offer K i.i.d. draws in turn, each accepted with min(1, p / (rho q)), with one division factor rho for all.

rho must be at least the root of 1 - (1 - beta)^K = rho beta, where beta = sum_x min(q, p / rho) is the chance of one
acceptance: then accepted tokens never take more than p gives, and what remains is a proper residual. The larger rho,
the rarer an acceptance; rho = K is always valid and can be worse than a single draft, so the root is solved at every
node, for the number of drafts that are really there.

Source: Sun et al. 2023, SpecTr, arXiv 2310.15141, Algorithm 2.
"""

from __future__ import annotations

import numpy as np
import torch

from playground.decoding.law import Law
from playground.decoding.verification.ruling import Ruling, Test, untested
from playground.decoding.workings import reasons, records


def judge(target_probs: torch.Tensor, law: Law, tokens: list[int], coins: np.random.Generator) -> Ruling:
    """Judge i.i.d. draws with the solved division factor.

    Args:
        target_probs: (V,) p.
        law: one row for all draws.
        tokens: the K draws, in draw order.
        coins: where fresh coins come from: one for each test.
    """
    q, num_draws = law.shared(), len(tokens)  # (V,)
    rho = division_factor(target_probs, q, num_draws)
    against = reasons.k_seq(rho, num_draws)
    tests: list[Test] = []
    passed = False
    for place, token in enumerate(tokens):
        coin, p_x, q_x = coins.random(), float(target_probs[token]), float(q[token])
        chance, passed = min(1.0, p_x / (rho * q_x)), coin * rho * q_x < p_x
        outcome = "accepted" if passed else "rejected"
        tests.append(Test(place, outcome, chance, coin, reasons.uniform_test(passed, chance, against)))
        if passed:
            break

    def workings() -> records.KSeq:
        one = float(torch.minimum(q.double(), target_probs.double() / rho).sum())
        return records.KSeq(num_draws=num_draws, factor=rho, one=one, all=1 - (1 - one) ** num_draws)

    tests += untested(range(len(tests), num_draws), reasons.SIBLING_ACCEPTED)
    return Ruling(tests, [] if passed else [residual(target_probs, q, num_draws, rho)], workings)


def division_factor(target_probs: torch.Tensor, draft_probs: torch.Tensor, num_drafts: int) -> float:
    """The smallest valid rho, in [1, K], by bisection; the upper end is returned, so it is valid to the last bit."""
    p, q = (probs.double().cpu().numpy() for probs in (target_probs, draft_probs))  # on a GPU each step would wait

    def excess(rho: float) -> float:
        beta = float(np.minimum(q, p / rho).sum())
        return 1 - (1 - beta) ** num_drafts - rho * beta

    if excess(1.0) <= 0:
        return 1.0
    low, high = 1.0, float(num_drafts)
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return high


def residual(target_probs: torch.Tensor, draft_probs: torch.Tensor, num_drafts: int, rho: float) -> torch.Tensor:
    """p minus what acceptances already cover: max(0, p - min(q, p / rho) P_acc / beta). (V,), unnormalised"""
    p, q = target_probs.double(), draft_probs.double()
    covered = torch.minimum(q, p / rho)
    beta = covered.sum()
    accepted = 1 - (1 - beta) ** num_drafts
    rest = (p - covered * (accepted / beta if float(beta) > 0 else 0.0)).clamp_(min=0)
    return rest if float(rest.sum()) > 0 else p


def acceptance(target_probs: torch.Tensor, draft_probs: torch.Tensor, num_drafts: int) -> float:
    """Exact probability that one of K draws is accepted: 1 - (1 - beta(rho))^K at the solved rho."""
    return acceptance_at(target_probs, draft_probs, num_drafts, division_factor(target_probs, draft_probs, num_drafts))


def acceptance_at(target_probs: torch.Tensor, draft_probs: torch.Tensor, num_drafts: int, rho: float) -> float:
    """The same at any valid factor. At rho = K, which always is, it can be less than a single draft is accepted."""
    beta = float(torch.minimum(draft_probs.double(), target_probs.double() / rho).sum())
    return 1 - (1 - beta) ** num_drafts
