"""Typical acceptance: accept a token whose target probability is high enough, given the entropy. Not lossless.

A token passes when p(x) > min(epsilon, delta exp(-H(p))), H being the entropy of p in nats: where H is low the token
must be likely; where it is high almost any token passes. As long as delta < 1 the target's most likely token always
passes, since max p >= exp(-H). No random number, and q is not read: the text follows the draft wherever the threshold
is met, so its distribution is not p.

Source: Cai et al. 2024, Medusa, arXiv 2401.10774.
"""

import math
from collections.abc import Sequence

import numpy as np

from playground.decoding.verification.ruling import Ruling, Test, threshold_test, untested
from playground.decoding.workings import reasons, records
from playground.models.reading import Array


def threshold(target_probs: Array, *, epsilon: float, delta: float) -> float:
    """Threshold min(epsilon, delta exp(-H(p))), which p(x) must exceed.

    Args:
        target_probs: (V,) p.
        epsilon: threshold where the entropy is low.
        delta: factor of the threshold where the entropy is high.
    """
    return min(epsilon, delta * math.exp(-entropy(target_probs)))


def entropy(target_probs: Array) -> float:
    """Entropy H(p), in nats."""
    p = target_probs[target_probs > 0].astype(np.float64)
    return -float((p * np.log(p)).sum())


def judge(target_probs: Array, tokens: Sequence[int], *, epsilon: float, delta: float) -> Ruling:
    """Test the tokens of a chain until one fails.

    Args:
        target_probs: (N + 1, V); row i is p before drafted token i, the last row p after all of them.
        tokens: (N,) the drafted tokens.
        epsilon, delta: see `threshold`.
    """
    tests: list[Test] = []
    passed = True
    for index, (p, token) in enumerate(zip(target_probs, tokens, strict=False)):
        if not passed:
            break
        bar = threshold(p, epsilon=epsilon, delta=delta)
        passed = float(p[token]) > bar
        tests.append(threshold_test(index, passed, reasons.typical(passed, bar)))
    tested = target_probs[: len(tests)]

    def workings() -> records.Typical:
        bars = [threshold(p, epsilon=epsilon, delta=delta) for p in tested]
        return records.Typical(epsilon=epsilon, delta=delta, thresholds=bars, entropies=[entropy(p) for p in tested])

    extra_probs = [] if passed else [target_probs[len(tests) - 1]]
    return Ruling([*tests, *untested(range(len(tests), len(tokens)), reasons.EARLIER_REJECTED)], extra_probs, workings)
