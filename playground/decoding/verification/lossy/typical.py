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

import torch

from playground.decoding.verification.ruling import Ruling, Test, ruled, untested
from playground.decoding.workings import reasons, records


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


def judge(target_probs: torch.Tensor, tokens: Sequence[int], *, epsilon: float, delta: float) -> Ruling:
    """Rule on a chain, token by token, until one fails.

    Args:
        target_probs: (N + 1, V); row i is p before drafted token i, the last row p after all of them.
        tokens: (N,) the drafted tokens.
        epsilon: the bar where the target is sure.
        delta: lowers the bar where it is not.
    """
    tests: list[Test] = []
    passed = True
    for place, (p, token) in enumerate(zip(target_probs, tokens, strict=False)):
        if not passed:
            break
        bar = threshold(p, epsilon=epsilon, delta=delta)
        passed = float(p[token]) > bar
        tests.append(ruled(place, passed, reasons.typical(passed, bar)))
    looked_at = target_probs[: len(tests)]

    def workings() -> records.Typical:
        bars = [threshold(p, epsilon=epsilon, delta=delta) for p in looked_at]
        return records.Typical(epsilon=epsilon, delta=delta, bars=bars, entropies=[entropy(p) for p in looked_at])

    rest = [] if passed else [target_probs[len(tests) - 1]]
    return Ruling([*tests, *untested(range(len(tests), len(tokens)), reasons.EARLIER_REJECTED)], rest, workings)


def output_law(target_probs: torch.Tensor, token: int, *, epsilon: float, delta: float) -> torch.Tensor:
    """Exact law of what follows when this token was drafted: the token itself if it passes, else p. (V,)"""
    if float(target_probs[token]) > threshold(target_probs, epsilon=epsilon, delta=delta):
        law = torch.zeros_like(target_probs)
        law[token] = 1
        return law
    return target_probs
