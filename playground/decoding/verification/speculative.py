"""The rule of speculative sampling: keep a drafted token with probability min(1, p/q), else draw from what is missing.

Why the output has law p: token x comes out as an accepted draft with probability q(x) min(1, p(x)/q(x)) = min(p, q)(x),
and as a correction with what remains, p(x) - min(p, q)(x) = max(0, p - q)(x). The two sum to p(x).

Source: Leviathan et al. 2023, arXiv 2211.17192, section 2.3 and appendix A.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch


@dataclass(frozen=True, slots=True)
class ChainResult:
    """Outcome of testing a chain from its start.

    Attributes:
        num_accepted: tokens kept before the first rejection.
        target_probs, draft_probs: (N,) p and q of each drafted token.
        accept_probs: (N,) min(1, p/q).
        coins: (N,).
        residual: (V,) what a correction is drawn from, unnormalised; None when nothing was rejected.
    """

    num_accepted: int
    target_probs: list[float]
    draft_probs: list[float]
    accept_probs: list[float]
    coins: list[float]
    residual: torch.Tensor | None


def judge_chain(
    target_probs: torch.Tensor, draft_probs: torch.Tensor, tokens: Sequence[int], coins: np.ndarray
) -> ChainResult:
    """Test drafted tokens in order until one is rejected.

    Args:
        target_probs: (N, V); row i is p before drafted token i. Rows sum to 1.
        draft_probs: (N, V); row i is the very q that token i was drawn from.
        tokens: (N,) the drafted tokens.
        coins: (N,) uniform in [0, 1), fresh for every test.
    """
    index = torch.tensor(tokens, device=target_probs.device)[:, None]
    p, q = torch.cat([target_probs.gather(1, index), draft_probs.gather(1, index)], dim=1).T.tolist()
    flips = coins.tolist()
    num_accepted = 0
    for p_x, q_x, coin in zip(p, q, flips, strict=True):
        # strict, and without a division: a token with p = 0 is rejected even by the coin 0
        if not coin * q_x < p_x:
            break
        num_accepted += 1
    rejected = num_accepted < len(flips)
    return ChainResult(
        num_accepted=num_accepted,
        target_probs=p,
        draft_probs=q,
        accept_probs=[min(1.0, p_x / q_x) for p_x, q_x in zip(p, q, strict=True)],
        coins=flips,
        residual=residual(target_probs[num_accepted], draft_probs[num_accepted]) if rejected else None,
    )


def explain(result: ChainResult) -> list[tuple[str, float | None, float | None, float | None, float | None, str]]:
    """Outcome, p, q, acceptance probability, coin and the reason in words, for each token of the chain."""
    rows = []
    numbers = zip(result.target_probs, result.draft_probs, result.accept_probs, result.coins, strict=True)
    for place, (p, q, accept, coin) in enumerate(numbers):
        if place < result.num_accepted:
            why = "The target likes it at least as much as the draft did." if p >= q else "The coin fell below p/q."
            rows.append(("accepted", p, q, accept, coin, why))
        elif place == result.num_accepted:
            why = "The target gives it no mass." if p == 0 else "The coin did not fall below p/q."
            rows.append(("rejected", p, q, accept, coin, why))
        else:
            rows.append(("unjudged", p, q, accept, None, "A token before it was rejected."))
    return rows


def residual(target_probs: torch.Tensor, draft_probs: torch.Tensor) -> torch.Tensor:
    """max(0, p - q), unnormalised: what the accepted drafts leave uncovered. (V,)

    Falls back to p when rounding left nothing: then p and q are equal and any rejection was rounding too.
    """
    rest = (target_probs - draft_probs).clamp_(min=0)
    return rest if float(rest.sum()) > 0 else target_probs


def acceptance_probability(target_probs: torch.Tensor, draft_probs: torch.Tensor) -> torch.Tensor:
    """Probability that a token drawn from q is accepted: sum over x of min(p(x), q(x)) = 1 - TV(p, q). (...)"""
    return torch.minimum(target_probs, draft_probs).sum(-1)


def output_law(target_probs: torch.Tensor, draft_probs: torch.Tensor) -> torch.Tensor:
    """Exact law of the token that one draft and this rule produce: min(p, q) + (1 - alpha) residual. (V,)"""
    covered = torch.minimum(target_probs, draft_probs)
    rest = residual(target_probs, draft_probs)
    return covered + (1 - covered.sum()) * rest / rest.sum()
