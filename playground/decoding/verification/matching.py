"""Sample and match: the target draws a token of its own, and the draft is kept if it is that token.

The target's own token has law p, whatever was drafted, so nothing need be corrected: where it is another one, it takes
the draft's place. A drafted x is matched with probability p(x), and what it was drawn from does not matter: q is never
asked for. That is the price. Speculative sampling keeps a draw from q with probability sum_x min(p, q), this with
sum_x p q, less wherever neither is certain; the most likely token of q would be matched with p of it.

One coin is a token of p by inverse transform, in any order of the tokens that the coin has no part in. Here the drafted
token lies first: the coin matches it where it falls below p(x), and names the target's own token elsewhere.

Sources: vLLM's strict rejection sampling, github.com/vllm-project/vllm/pull/35461; TensorRT-LLM's exact-match
acceptance, github.com/NVIDIA/TensorRT-LLM/pull/15775; llama.cpp, github.com/ggml-org/llama.cpp/pull/5625, whose
discussion compares it with the rules of the papers.
"""

from __future__ import annotations

import torch

from playground.decoding.law import Law
from playground.decoding.verification.ruling import Coins, Ruling, Test, untested
from playground.decoding.workings import reasons, records
from playground.decoding.workings.excerpt import at_tokens, telling_tokens


def judge(target_probs: torch.Tensor, law: Law, tokens: list[int], coins: Coins) -> Ruling:
    """Let the target draw, and keep the draft if it drew that.

    Args:
        target_probs: (V,) p.
        law: of the draw; the rule does not ask for it, a lens does.
        tokens: (1,) the drafted token. Further ones are not looked at.
        coins: where the fresh coin comes from.
    """
    token = tokens[0]
    coin, p_x = coins.random(), float(target_probs[token])
    matched = coin < p_x
    test = Test(0, "accepted" if matched else "rejected", p_x, coin, reasons.matching(matched))
    tests = [test, *untested(range(1, len(tokens)), reasons.SIBLING_ACCEPTED)]
    return Ruling(tests, [] if matched else [others(target_probs, token)], lambda: _workings(target_probs, law, token))


def _workings(target_probs: torch.Tensor, law: Law, token: int) -> records.Matching:
    draft_probs = law.first([token], target_probs)
    shown = telling_tokens([target_probs, draft_probs], [token])
    return records.Matching(
        tokens=shown,
        target=at_tokens(target_probs, shown),
        draft=at_tokens(draft_probs, shown),
        chance=float(acceptance_probability(target_probs, draft_probs)),
    )


def others(target_probs: torch.Tensor, token: int) -> torch.Tensor:
    """p without a token, unnormalised: what the target drew from, once it is known that it was not this one. (V,)"""
    rest = target_probs.clone()
    rest[token] = 0
    return rest if float(rest.sum()) > 0 else target_probs


def acceptance_probability(target_probs: torch.Tensor, draft_probs: torch.Tensor) -> torch.Tensor:
    """Probability that a token drawn from q is matched: sum over x of p(x) q(x). (...)"""
    return (target_probs * draft_probs).sum(-1)


def output_law(target_probs: torch.Tensor, draft_probs: torch.Tensor) -> torch.Tensor:
    """Exact law of the token that one draft and this rule produce. (V,)"""
    law = torch.zeros_like(target_probs)
    for token in torch.nonzero(draft_probs).flatten().tolist():
        rest, matched = others(target_probs, token), target_probs[token]
        law += draft_probs[token] * (1 - matched) * rest / rest.sum()
        law[token] += draft_probs[token] * matched
    return law
