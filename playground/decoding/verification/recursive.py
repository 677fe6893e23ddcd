"""Recursive rejection: offer one draw after the other, each against what the rejected ones left of the target.

With replacement (SpecInfer's multi-step speculative sampling) draws are independent, all from one q or each from a q of
its own. Without replacement (RSD) the k-th draw comes from q without the tokens before it, renormalised, and is tested
against that. Either way a draw from a known distribution d is accepted with min(1, r/d), a rejection leaves
r := norm(max(0, r - d)), and the last r is what a correction is drawn from; so the output has law p, by the argument of
speculative sampling over and over. It holds for any order of the draws that does not depend on their tokens; with
different q's the order has a say in how much is accepted.

Sources: Miao et al. 2024, SpecInfer, arXiv 2305.09781, Algorithm 2; Jeon et al. 2024, Recursive Speculative Decoding,
arXiv 2402.14160, recursive rejection sampling.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import torch

from playground.decoding.verification.excerpt import at_tokens, telling_tokens
from playground.decoding.verification.walk import NodeResult


def judge_with_replacement(
    target_probs: torch.Tensor, draft_probs: torch.Tensor, tokens: list[int], coins: np.random.Generator
) -> NodeResult:
    """Judge independent draws. A token drawn twice is tested twice: skipping the second test would be biased.

    Args:
        target_probs: (V,) p.
        draft_probs: (V,) q, the distribution every draw came from, or (K, V), that of each draw.
        tokens: the K draws, in draw order.
        coins: where fresh coins come from.
    """
    return _judge(target_probs, draft_probs, tokens, coins, replacement=True)


def judge_without_replacement(
    target_probs: torch.Tensor, draft_probs: torch.Tensor, tokens: list[int], coins: np.random.Generator
) -> NodeResult:
    """Judge draws without replacement from q. The draw order matters: re-sorting siblings breaks losslessness.

    Args:
        target_probs: (V,) p.
        draft_probs: (V,) q, the distribution of the first draw.
        tokens: the draws, all different, in draw order.
        coins: where fresh coins come from.
    """
    return _judge(target_probs, draft_probs, tokens, coins, replacement=False)


def _judge(
    target_probs: torch.Tensor,
    draft_probs: torch.Tensor,
    tokens: list[int],
    coins: np.random.Generator,
    replacement: bool,
) -> NodeResult:
    rest, offered = target_probs, draft_probs
    laws = draft_probs.expand(len(tokens), -1)  # (K, V)
    rests = [rest]  # a row before each test, and one after the last rejection
    offers = [draft_probs] if draft_probs.dim() == 1 else list(laws)
    shown = partial(workings, rests, offers, tokens)
    accept_probs: list[float] = []
    flips: list[float] = []
    tests: list[str] = []
    for place, token in enumerate(tokens):
        if replacement:
            offered = laws[place]
        coin, r_x, d_x = coins.random(), float(rest[token]), float(offered[token])
        flips.append(coin)
        accept_probs.append(min(1.0, r_x / d_x))
        tests.append(_test(place, r_x, d_x, replacement))
        if coin * d_x < r_x:
            # where nothing was rejected nothing was left over: p and q are in the trace already
            return NodeResult(place, accept_probs, flips, rest, tests, workings=shown if place else None)
        rest = reject(rest, offered)
        rests.append(rest)
        if not replacement:
            offered = without(offered, token)
            offers.append(offered)
    return NodeResult(None, accept_probs, flips, rest, tests, workings=shown)


def _test(place: int, left: float, offered: float, replacement: bool) -> str:
    """What the coin is held against, for a reader."""
    if place == 0:
        return "p/q"
    after = "the rejection" if place == 1 else f"{place} rejections"
    against = "q" if replacement else f"{offered:.2g}, q without the rejected tokens"
    return f"r/{against}: r = {left:.2g} is its share of what {after} left of p"


def workings(rests: list[torch.Tensor], offers: list[torch.Tensor], draws: Sequence[int]) -> dict[str, Any]:
    """How the rest of p shrank, at a few tokens.

    Args:
        rests: (R + 1) rows (V,): p, then what each of the R rejections left.
        offers: rows (V,) that the draws came from; one row when it was the same for all.
        draws: tokens in the order of the tests, the untested ones last.

    Returns:
        "tokens": the tested draws, and the likeliest in p, q and the last rest; "rests" and "offers" at these tokens,
            each row ending with the mass of all other tokens; "draws": the tested ones, the accepted one last.
    """
    num_rejected = len(rests) - 1
    tested = list(draws[: num_rejected + 1])
    tokens = telling_tokens([rests[0], offers[0], rests[-1]], tested)
    return {
        "kind": "recursive",
        "tokens": tokens,
        "draws": tested,
        "rests": [at_tokens(row, tokens) for row in rests],
        "offers": [at_tokens(row, tokens) for row in offers[: len(tested)]],
    }


def reject(rest: torch.Tensor, offered: torch.Tensor) -> torch.Tensor:
    """What a rejected draw from `offered` leaves: norm(max(0, r - d)); r itself where rounding left nothing. (V,)"""
    left = (rest - offered).clamp_(min=0)
    mass = left.sum()
    return left / mass if float(mass) > 0 else rest


def without(offered: torch.Tensor, token: int) -> torch.Tensor:
    """The distribution of the next draw without replacement. (V,) Zeros when nothing is left to draw."""
    left = offered.clone()
    left[token] = 0
    mass = left.sum()
    return left / mass if float(mass) > 0 else left


def acceptance_with_replacement(target_probs: torch.Tensor, draft_probs: torch.Tensor, num_drafts: int) -> float:
    """Exact probability that one of K independent draws is accepted: 1 - prod_j (1 - sum_x min(r_j(x), q_j(x))).

    Args:
        target_probs: (V,) p.
        draft_probs: (V,) q of every draw, or (K, V), that of each draw in the order of the tests.
        num_drafts: K.
    """
    rest, missed = target_probs, 1.0
    for offered in draft_probs.expand(num_drafts, -1):
        stage = float(torch.minimum(rest, offered).sum())
        missed *= max(0.0, 1 - stage)
        if missed <= 1e-15:  # the stage took everything: there is no residual to go on with
            return 1.0
        rest = reject(rest, offered)
    return 1 - missed


def acceptance_without_replacement(target_probs: torch.Tensor, draft_probs: torch.Tensor, num_drafts: int) -> float:
    """Exact probability that one of K draws without replacement is accepted, by enumerating the rejected draws.

    Costs V^(K-1) stages: for small vocabularies.
    """

    def missed(rest: torch.Tensor, offered: torch.Tensor, left: int) -> float:
        """Probability that all remaining draws are rejected."""
        if left == 0 or float(offered.sum()) == 0:
            return 1.0
        total = 0.0
        next_rest = None
        for token in torch.nonzero(offered).flatten().tolist():
            refused = max(0.0, float(offered[token] - rest[token]))  # P(drawn) (1 - min(1, r/d))
            if refused > 0:
                next_rest = reject(rest, offered) if next_rest is None else next_rest
                total += refused * missed(next_rest, without(offered, token), left - 1)
        return total

    return 1 - missed(target_probs, draft_probs, num_drafts)
