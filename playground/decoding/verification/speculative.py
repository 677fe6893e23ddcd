"""Speculative sampling: accept a drafted token with probability min(1, p/q), else draw from the residual max(0, p - q).

The output has distribution p: token x comes out as an accepted draft with probability q(x) min(1, p(x)/q(x)) =
min(p, q)(x), and as a correction with what remains, p(x) - min(p, q)(x) = max(0, p - q)(x). The two sum to p(x).

Source: Leviathan et al. 2023, arXiv 2211.17192, section 2.3 and appendix A.1.
"""

from collections.abc import Sequence

import numpy as np

from playground.decoding.verification.ruling import Ruling, Test
from playground.decoding.workings import reasons, records
from playground.models.reading import Array


def judge(target_probs: Array, draft_probs: Array, tokens: Sequence[int], rng: np.random.Generator) -> Ruling:
    """Test drafted tokens in order until one is rejected.

    Args:
        target_probs: (N, V); row i is p before drafted token i. Rows sum to 1.
        draft_probs: (N, V); row i is the very q that token i was drawn from.
        tokens: (N,) the drafted tokens.
        rng: uniform numbers: one for each token, needed or not.
    """
    positions = range(len(tokens))
    p, q = target_probs[positions, tokens].tolist(), draft_probs[positions, tokens].tolist()
    uniforms, tests, accepted = rng.random(len(p)).tolist(), [], True
    for index, (p_x, q_x, uniform) in enumerate(zip(p, q, uniforms, strict=True)):
        accept_prob = min(1.0, p_x / q_x)
        if not accepted:
            tests.append(Test(index, "not_tested", accept_prob, None, reasons.EARLIER_REJECTED))
            continue
        # strict, and without a division: a token with p = 0 is rejected even where the number is 0
        accepted = uniform * q_x < p_x
        outcome = "accepted" if accepted else "rejected"
        tests.append(Test(index, outcome, accept_prob, uniform, reasons.chain(accepted, p_x, q_x)))
    num_accepted = sum(test.outcome == "accepted" for test in tests)
    extra_probs = [] if accepted else [residual(target_probs[num_accepted], draft_probs[num_accepted])]
    return Ruling(tests, extra_probs, lambda: records.Speculative(tested=num_accepted + (not accepted)))


def residual(target_probs: Array, draft_probs: Array) -> Array:
    """Residual max(0, p - q), unnormalised. (V,)

    Falls back to p when rounding left nothing: then p and q are equal and any rejection was rounding too.
    """
    residual_probs = np.maximum(target_probs - draft_probs, 0)
    return residual_probs if float(residual_probs.sum()) > 0 else target_probs


def acceptance_probability(target_probs: Array, draft_probs: Array) -> Array:
    """Probability that a token drawn from q is accepted: sum over x of min(p(x), q(x)) = 1 - TV(p, q). (...)"""
    return np.minimum(target_probs, draft_probs).sum(-1)
