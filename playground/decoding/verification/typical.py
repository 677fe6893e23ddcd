"""Typical acceptance: keep a token that the target finds plausible enough. Fast, and not lossless.

A token passes when p(x) > min(epsilon, delta exp(-H(p))), H being the entropy of p in nats: where the target is sure,
the token must be likely; where it is not, almost anything will do. As long as delta < 1 the target's most likely token
always passes, since max p >= exp(-H). No coin is flipped and q plays no part: the text follows the draft wherever the
target does not object. That is not p's law.

Source: Cai et al. 2024, Medusa, arXiv 2401.10774.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from playground.decoding.verification.prefix import Ruling


def threshold(target_probs: torch.Tensor, *, epsilon: float, delta: float) -> float:
    """min(epsilon, delta exp(-H(p))): what p(x) must exceed.

    Args:
        target_probs: (V,) p.
        epsilon: the bar where the target is sure.
        delta: lowers the bar where it is not.
    """
    return min(epsilon, delta * math.exp(-entropy(target_probs)))


def entropy(target_probs: torch.Tensor) -> float:
    """How unsure the target is, in nats."""
    return float(torch.special.entr(target_probs.double()).sum())


def judge(target_probs: torch.Tensor, tokens: Sequence[int], *, epsilon: float, delta: float) -> list[Ruling]:
    """Rule on a chain, token by token, until one fails.

    Args:
        target_probs: (N, V); row i is p before drafted token i.
        tokens: (N,) the drafted tokens.
        epsilon: the bar where the target is sure.
        delta: lowers the bar where it is not.
    """
    rulings: list[Ruling] = []
    for p, token in zip(target_probs, tokens, strict=True):
        if rulings and rulings[-1].outcome != "accepted":
            rulings.append(Ruling("unjudged", "A token before it was rejected."))
            continue
        bar = threshold(p, epsilon=epsilon, delta=delta)
        if float(p[token]) > bar:
            rulings.append(Ruling("accepted", f"The target's probability is above the bar of {bar:.3f}."))
        else:
            rulings.append(Ruling("rejected", f"The target's probability is not above the bar of {bar:.3f}."))
    return rulings


def workings(target_probs: torch.Tensor, rulings: Sequence[Ruling], *, epsilon: float, delta: float) -> dict[str, Any]:
    """The bar before each token that was ruled on, and the entropy it came from: "bars", "entropies".

    Args:
        target_probs: (N, V); row i is p before drafted token i.
        rulings: (N,)
        epsilon: the bar where the target is sure.
        delta: lowers the bar where it is not.
    """
    rows = [p for p, ruling in zip(target_probs, rulings, strict=True) if ruling.outcome != "unjudged"]
    return {
        "kind": "typical",
        "epsilon": epsilon,
        "delta": delta,
        "bars": [threshold(p, epsilon=epsilon, delta=delta) for p in rows],
        "entropies": [entropy(p) for p in rows],
    }


def output_law(target_probs: torch.Tensor, token: int, *, epsilon: float, delta: float) -> torch.Tensor:
    """Exact law of what follows when this token was drafted: the token itself if it passes, else p. (V,)"""
    if float(target_probs[token]) > threshold(target_probs, epsilon=epsilon, delta=delta):
        law = torch.zeros_like(target_probs)
        law[token] = 1
        return law
    return target_probs
