"""Depth rule: the i.i.d. drafts at one depth become several outputs, which are i.i.d. draws from the target.

One draft after the other is tested for the current output: accepted with min(1, r/q), where r begins as p; a rejection
leaves r := norm(max(0, r - q)), an acceptance starts the next output with r := p. When the drafts run out, the current
output is drawn from r and the others from p. Each output has distribution p whatever came before, by the argument of
speculative sampling over and over, so together they are independent draws from p.

Source: Qin et al. 2024, arXiv 2409.16560, Algorithm 1 and Theorem 3.1. Line 17 there prints the ratio the other way
round; the proof and this have p over q.
"""

import numpy as np

from playground.decoding.verification.recursive import reject
from playground.decoding.verification.ruling import Ruling, Test, untested
from playground.decoding.workings import reasons
from playground.models.reading import Array
from playground.trace.events import Tests

TESTS: Tests = "layers"


def judge(
    target_probs: Array,
    draft_probs: Array,
    draws: list[int],
    num_outputs: int,
    rng: np.random.Generator,
) -> Ruling:
    """Test draws until `num_outputs` are accepted or none is left.

    Args:
        target_probs: (n,) p.
        draft_probs: (n,) q, which every draw came from.
        draws: indices of these rows, in draw order.
        num_outputs: number of outputs wanted.
        rng: uniform numbers: one for each test.
    """
    residual_probs, num_accepted, num_rejected = target_probs, 0, 0  # the last: since a draw was accepted
    tests: list[Test] = []
    for index, x in enumerate(draws):
        if num_accepted == num_outputs:
            break
        uniform, r_x, q_x = rng.random(), float(residual_probs[x]), float(draft_probs[x])
        chance, passed = min(1.0, r_x / q_x), uniform * q_x < r_x
        why = reasons.uniform_test(passed, chance, reasons.residual(num_rejected, r_x, None))
        tests.append(Test(index, "accepted" if passed else "rejected", chance, uniform, why))
        num_accepted, num_rejected = num_accepted + passed, 0 if passed else num_rejected + 1
        residual_probs = target_probs if passed else reject(residual_probs, draft_probs)
    tests += untested(range(len(tests), len(draws)), reasons.ENOUGH_BEAMS)
    return Ruling(tests, [residual_probs, *[target_probs] * num_outputs][: num_outputs - num_accepted])
