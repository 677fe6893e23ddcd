"""The threshold of multi-token assisted decoding: a prefix passes where the target's joint probability is high enough.

The prefix x_1 .. x_j passes when min(1, P_j / Q_j) > tau, P_j and Q_j being its joint probabilities under the target
and the draft model. The longest passing prefix is accepted, also over shorter ones that fail. The test is strict:
tau = 1 rejects everything, and tau = 0 accepts everything the target can write. Not lossless: no residual makes up for
what the threshold accepts.

Source: Qin et al. 2024, Optimized Multi-Token Joint Decoding with Auxiliary Model for LLM Inference, arXiv 2407.09722,
Algorithm 1.
"""

from collections.abc import Sequence

from playground.decoding.verification.ruling import Ruling, threshold_test
from playground.decoding.workings import reasons, records
from playground.models.reading import Array
from playground.trace.events import Tests

TESTS: Tests = "prefixes"


def num_accepted(ratios: Sequence[float], tau: float) -> int:
    """Length of the longest prefix with min(1, P_j / Q_j) > tau; 0 if none passes."""
    return max((length for length, ratio in enumerate(ratios, 1) if min(1.0, ratio) > tau), default=0)


def joint_ratios(target_probs: Sequence[float], draft_probs: Sequence[float]) -> list[float]:
    """Joint ratio P_j / Q_j of every prefix, from the probabilities of its tokens. (N,)"""
    ratios: list[float] = []
    for p, q in zip(target_probs, draft_probs, strict=True):
        ratios.append((ratios[-1] if ratios else 1.0) * p / q)
    return ratios


def judge(p: Sequence[float], q: Sequence[float], target_probs: Array, *, tau: float) -> Ruling:
    """Test all prefixes of a chain.

    Args:
        p: (N,) target probability of each drafted token.
        q: (N,) draft probability of each drafted token.
        target_probs: (N + 1, V) p before each drafted token, and after all of them.
        tau: threshold that the joint ratio must exceed.
    """
    ratios = joint_ratios(p, q)
    longest = num_accepted(ratios, tau)
    tests = []
    for length, ratio in enumerate(ratios, 1):
        clipped = min(1.0, ratio)
        passes = clipped > tau
        # a passing prefix shows its own ratio; the clipped one matters where tau is 1, and nothing passes
        why = reasons.joint(passes, ratio if passes else clipped, tau, carried=length < longest and not passes)
        tests.append(threshold_test(length - 1, length <= longest, why))
    extra_probs = [target_probs[longest]] if longest < len(tests) else []
    return Ruling(tests, extra_probs, lambda: records.Joint(tau=tau, ratios=[min(1.0, ratio) for ratio in ratios]))
