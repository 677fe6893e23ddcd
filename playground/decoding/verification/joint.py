"""The threshold of multi-token assisted decoding: a prefix passes where the target's joint probability is high enough.

The prefix x_1 .. x_j passes when min(1, P_j / Q_j) > tau, P_j and Q_j being its joint probabilities under the target
and the draft model. The longest passing prefix is kept, also over shorter ones that fail. The test is strict: tau = 1
rejects everything, and tau = 0 accepts everything the target can write. Not lossless: no coin makes up for what the
threshold lets through.

Source: Qin et al. 2024, Optimized Multi-Token Joint Decoding with Auxiliary Model for LLM Inference, arXiv 2407.09722,
Algorithm 1.
"""

from __future__ import annotations

from collections.abc import Sequence

from playground.decoding.verification.prefix import Ruling


def num_kept(ratios: Sequence[float], tau: float) -> int:
    """Length of the longest prefix with min(1, P_j / Q_j) > tau; 0 if none passes."""
    return max((length for length, ratio in enumerate(ratios, 1) if min(1.0, ratio) > tau), default=0)


def joint_ratios(target_probs: Sequence[float], draft_probs: Sequence[float]) -> list[float]:
    """P_j / Q_j of every prefix, from the probabilities of its tokens. (N,)"""
    ratios: list[float] = []
    for p, q in zip(target_probs, draft_probs, strict=True):
        ratios.append((ratios[-1] if ratios else 1.0) * p / q)
    return ratios


def judge(target_probs: Sequence[float], draft_probs: Sequence[float], *, tau: float) -> list[Ruling]:
    """Rule on all prefixes of a chain.

    Args:
        target_probs: (N,) p of each drafted token.
        draft_probs: (N,) q of each drafted token.
        tau: what the joint ratio must exceed.
    """
    ratios = joint_ratios(target_probs, draft_probs)
    kept = num_kept(ratios, tau)
    rulings = []
    for length, ratio in enumerate(ratios, 1):
        passes = min(1.0, ratio) > tau
        compared = f"The joint ratio p/q up to here is {ratio:.3g}, {'above' if passes else 'not above'} {tau:g}"
        rest = ", but a longer prefix passes." if length < kept and not passes else "."
        rulings.append(Ruling("accepted" if length <= kept else "rejected", compared + rest))
    return rulings
