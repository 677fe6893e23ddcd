"""The rule of speculative sampling: keep a drafted token with probability min(1, p/q), else draw from what is missing.

Why the output has law p: token x comes out as an accepted draft with probability q(x) min(1, p(x)/q(x)) = min(p, q)(x),
and as a correction with what remains, p(x) - min(p, q)(x) = max(0, p - q)(x). The two sum to p(x).

Source: Leviathan et al. 2023, arXiv 2211.17192, section 2.3 and appendix A.1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from playground.decoding.verification.ruling import Ruling, Test
from playground.decoding.workings import reasons, records


def judge(
    target_probs: torch.Tensor, draft_probs: torch.Tensor, tokens: Sequence[int], coins: np.random.Generator
) -> Ruling:
    """Test drafted tokens in order until one is rejected.

    Args:
        target_probs: (N, V); row i is p before drafted token i. Rows sum to 1.
        draft_probs: (N, V); row i is the very q that token i was drawn from.
        tokens: (N,) the drafted tokens.
        coins: where fresh coins come from: one for each token, needed or not.
    """
    index = torch.tensor(tokens, device=target_probs.device)[:, None]
    p, q = torch.cat([target_probs.gather(1, index), draft_probs.gather(1, index)], dim=1).T.tolist()
    flips, tests, kept = coins.random(len(p)).tolist(), [], True
    for place, (p_x, q_x, coin) in enumerate(zip(p, q, flips, strict=True)):
        accept_prob = min(1.0, p_x / q_x)
        if not kept:
            tests.append(Test(place, "unjudged", accept_prob, None, reasons.EARLIER_REJECTED))
            continue
        # strict, and without a division: a token with p = 0 is rejected even by the coin 0
        kept = coin * q_x < p_x
        outcome = "accepted" if kept else "rejected"
        tests.append(Test(place, outcome, accept_prob, coin, reasons.chain(kept, p_x, q_x)))
    num_kept = sum(test.outcome == "accepted" for test in tests)
    missing = [] if kept else [residual(target_probs[num_kept], draft_probs[num_kept])]
    return Ruling(tests, missing, lambda: records.Speculative(tested=num_kept + (not kept)))


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
