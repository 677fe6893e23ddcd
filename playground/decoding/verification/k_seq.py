"""K-SEQ: offer K i.i.d. draws in turn, each accepted with min(1, p / (rho q)), with one division factor rho for all.

rho must be at least the root of 1 - (1 - beta)^K = rho beta, where beta = sum_x min(q, p / rho) is the chance of one
acceptance: then accepted tokens never take more than p gives, and what remains is a proper residual. The larger rho,
the rarer an acceptance; rho = K is always valid and can be worse than a single draft, so the root is solved at every
node, for the number of drafts that are really there.

Source: Sun et al. 2023, SpecTr, arXiv 2310.15141, Algorithm 2.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import torch

from playground.decoding.verification.walk import NodeResult


def judge(
    target_probs: torch.Tensor, draft_probs: torch.Tensor, tokens: list[int], coins: np.random.Generator
) -> NodeResult:
    """Judge i.i.d. draws from q with the solved division factor.

    Args:
        target_probs: (V,) p.
        draft_probs: (V,) q.
        tokens: the K draws, in draw order.
        coins: where fresh coins come from.
    """
    rho = division_factor(target_probs, draft_probs, len(tokens))
    test = f"p/({rho:.3f} q): with {len(tokens)} draws, K-SEQ divides by {rho:.3f}" if rho > 1 else "p/q"
    shown = partial(workings, target_probs, draft_probs, len(tokens), rho)
    accept_probs: list[float] = []
    flips: list[float] = []
    for place, token in enumerate(tokens):
        coin, p_x, q_x = coins.random(), float(target_probs[token]), float(draft_probs[token])
        flips.append(coin)
        accept_probs.append(min(1.0, p_x / (rho * q_x)))
        if coin * rho * q_x < p_x:
            return NodeResult(place, accept_probs, flips, target_probs, [test] * len(flips), workings=shown)
    rest = residual(target_probs, draft_probs, len(tokens), rho)
    return NodeResult(None, accept_probs, flips, rest, [test] * len(flips), workings=shown)


def workings(
    target_probs: torch.Tensor, draft_probs: torch.Tensor, num_drafts: int, rho: float
) -> dict[str, str | int | float]:
    """The factor, and what it makes of the acceptance: beta of one draw, P_acc of all K (see the top)."""
    one = float(torch.minimum(draft_probs.double(), target_probs.double() / rho).sum())
    return {"kind": "k_seq", "num_draws": num_drafts, "factor": rho, "one": one, "all": 1 - (1 - one) ** num_drafts}


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
