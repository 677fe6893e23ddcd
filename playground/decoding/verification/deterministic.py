"""Draws that no chance was in: an n-gram copied from the text, the draft model's best tokens. Their q is 1.

Such a draw is accepted with what the target still gives it, r(x); a rejection takes x out of r and renormalises. That
is recursive rejection with a point mass for q, so the output has law p whatever proposed the tokens, and one of
several distinct draws is accepted with probability p(x_1) + ... + p(x_K). The draft model's own probability of a token
it was always going to propose plays no part: testing against it (p/q) would be biased.

The draft states this as a row of `Draft.probs` that is 1 at each drawn token: the chance that it would be drawn.

Sources: the rule as in Li et al. 2024, EAGLE-2, arXiv 2406.16858; for one draw it is Leviathan et al. 2023, arXiv
2211.17192, section 2.3, with a point mass for q.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from playground.decoding.verification.recursive import without
from playground.decoding.verification.walk import NodeResult


def certain_draws(tokens: Sequence[int], like: torch.Tensor) -> torch.Tensor:
    """1 at each of these tokens, 0 elsewhere: the chance each token had of being drawn. (V,)"""
    row = torch.zeros_like(like)
    row[list(tokens)] = 1
    return row


def judge(
    target_probs: torch.Tensor, draft_probs: torch.Tensor, tokens: list[int], coins: np.random.Generator
) -> NodeResult:
    """Judge distinct deterministic draws.

    Args:
        target_probs: (V,) p.
        draft_probs: (V,) 1 at every draw; not looked at.
        tokens: the draws, all different, in the order to test them.
        coins: where fresh coins come from.
    """
    rest = target_probs
    accept_probs: list[float] = []
    flips: list[float] = []
    for place, token in enumerate(tokens):
        coin, r_x = coins.random(), float(rest[token])
        flips.append(coin)
        accept_probs.append(min(1.0, r_x))
        if coin < r_x:
            return NodeResult(place, accept_probs, flips, rest, _tests(len(flips)))
        left = without(rest, token)  # a new row: the target's own must not change
        rest = left if float(left.sum()) > 0 else rest  # only rounding rejects a token that holds all the mass
    return NodeResult(None, accept_probs, flips, rest, _tests(len(flips)))


def _tests(num_tests: int) -> list[str]:
    """What each coin was held against, for a reader; the number is the acceptance probability beside it."""
    return ["p: the draw was certain", *["its share of what the rejections left of p"] * (num_tests - 1)]


def acceptance(target_probs: torch.Tensor, tokens: Sequence[int]) -> float:
    """Exact probability that one of these draws is accepted: the target's mass on them."""
    return min(1.0, float(target_probs[list(tokens)].sum()))
