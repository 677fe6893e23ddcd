"""The rollback rule of BiLD: go back to the first small-model token that surprises the large model too much.

A token is accepted while its surprise -log p(x), in nats and under the unwarped target, is at most the rollback
threshold. No random number, no residual: not lossless, and at temperature 0 not even greedy decoding of the target.

Source: Kim et al. 2023, Speculative Decoding with Big Little Decoder, arXiv 2302.07863.
"""

from collections.abc import Sequence

from playground.decoding.verification.ruling import Ruling, Test, threshold_test, untested
from playground.decoding.workings import reasons
from playground.models.reading import Array


def judge(log_probs: Sequence[float], target_probs: Array, *, threshold: float) -> Ruling:
    """Test the tokens of a chain until one surprises too much.

    Args:
        log_probs: (N,) natural log of each drafted token's probability under the unwarped target.
        target_probs: (N + 1, V) p before each drafted token, and after all of them.
        threshold: the largest surprise that passes, in nats.
    """
    tests: list[Test] = []
    for index, log_prob in enumerate(log_probs):
        passed = -log_prob <= threshold
        tests.append(threshold_test(index, passed, reasons.rollback(passed, -log_prob, threshold)))
        if not passed:
            tests += untested(range(index + 1, len(log_probs)), reasons.EARLIER_ROLLED_BACK)
            return Ruling(tests, [target_probs[index]])
    return Ruling(tests)
