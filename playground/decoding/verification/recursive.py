"""Recursive rejection: offer one draw after the other, each against what the rejected ones left of the target.

A draw from a known distribution d is accepted with min(1, r/d), where r begins as p; a rejection leaves
r := norm(max(0, r - d)), and the last r is what a correction is drawn from. So the output has law p, by the argument of
speculative sampling over and over. What d is, the law of the draws says:

* independent draws (SpecInfer's multi-step speculative sampling): q for each, or a q of its own;
* distinct ones (RSD): q without the tokens before, renormalised;
* certain ones (EAGLE-2): a point mass, so x is accepted with r(x), and a rejection takes x out of r. One of several is
  accepted with probability p(x_1) + ... + p(x_K).

It holds for any order of the draws that does not depend on their tokens; with different q's the order has a say in how
much is accepted.

Sources: Miao et al. 2024, SpecInfer, arXiv 2305.09781, Algorithm 2; Jeon et al. 2024, Recursive Speculative Decoding,
arXiv 2402.14160, recursive rejection sampling; Li et al. 2024, EAGLE-2, arXiv 2406.16858, for certain draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import torch

from playground.decoding.law import Certain, Distinct, Independent, Law, without
from playground.decoding.verification.ruling import Coins, Ruling, Test, untested
from playground.decoding.workings import reasons, records
from playground.decoding.workings.excerpt import at_tokens, telling_tokens
from playground.trace.reasons import Reason


def judge(target_probs: torch.Tensor, law: Law, tokens: list[int], coins: Coins) -> Ruling:
    """Offer the draws below a node in draw order, until one is accepted.

    A token drawn twice is tested twice: skipping the second test would be biased.

    Args:
        target_probs: (V,) p.
        law: of the draws, whichever it is.
        tokens: the draws, in draw order.
        coins: where fresh coins come from: one for each test.
    """
    rests, offers, tests = [target_probs], [], []
    for place, (token, offered) in enumerate(zip(tokens, law.offers(tokens, target_probs), strict=True)):
        coin, r_x, d_x = coins.random(), float(rests[-1][token]), float(offered[token])
        chance, passed = min(1.0, r_x / d_x), coin * d_x < r_x
        why = reasons.uniform_test(passed, chance, _against(law, place, r_x, d_x))
        tests.append(Test(place, "accepted" if passed else "rejected", chance, coin, why))
        offers.append(offered)
        if passed:
            break
        rests.append(reject(rests[-1], offered))
    missing = rests[-1:] if len(rests) > len(tests) else []
    # where nothing was rejected nothing was left over: p and q are in the trace already, as is a q of 1
    shown = partial(_workings, law, rests, offers, tokens) if len(rests) > 1 and not isinstance(law, Certain) else None
    return Ruling([*tests, *untested(range(len(tests), len(tokens)), reasons.SIBLING_ACCEPTED)], missing, shown)


def _against(law: Law, place: int, left: float, offered: float) -> Reason:
    """What the coin is held against, for a reader."""
    if isinstance(law, Certain):
        return reasons.certain(place)
    return reasons.residual(place, left, offered if isinstance(law, Distinct) else None)


def _workings(law: Law, rests: list[torch.Tensor], offers: list[torch.Tensor], tokens: list[int]) -> records.Recursive:
    tested = tokens[: len(offers)]
    if isinstance(law, Independent) and law.rows.ndim == 1:
        offers = offers[:1]
    shown = telling_tokens([rests[0], offers[0], rests[-1]], tested)
    return records.Recursive(
        tokens=shown,
        draws=tested,
        rests=[at_tokens(row, shown) for row in rests],
        offers=[at_tokens(row, shown) for row in offers],
    )


def reject(rest: torch.Tensor, offered: torch.Tensor) -> torch.Tensor:
    """What a rejected draw from `offered` leaves: norm(max(0, r - d)); r itself where rounding left nothing. (V,)"""
    left = (rest - offered).clamp_(min=0)
    mass = left.sum()
    return left / mass if float(mass) > 0 else rest


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


def acceptance_of_certain(target_probs: torch.Tensor, tokens: Sequence[int]) -> float:
    """Exact probability that one of several different certain draws is accepted: the target's mass on them."""
    return min(1.0, float(target_probs[list(tokens)].sum()))
