"""The static ensemble: speculative sampling for a mixture of both models, v = w p + (1 - w) q. Lossy.

A draft is accepted with probability min(1, v/q), else a token is drawn from max(0, v - q). So the text has distribution
v exactly, by the argument of speculative sampling. Let D be the total variation distance of p and q. A draft is
rejected with probability w D, where p itself would reject D of them, and v is (1 - w) D away from p. The two add up to
D, whatever w is: acceptance costs as much distance.

Source: Wang et al. 2026, DIVERSED, arXiv 2604.07622, where it is the baseline of learned weights.
"""

from collections.abc import Sequence

import numpy as np

from playground.decoding.verification import speculative
from playground.decoding.verification.ruling import Ruling
from playground.decoding.workings import reasons, records
from playground.models.reading import Array


def judge(
    target_probs: Array,
    draft_probs: Array,
    tokens: Sequence[int],
    rng: np.random.Generator,
    *,
    weight: float,
) -> Ruling:
    """Test drafted tokens in order until one is rejected; see `speculative.judge`.

    Args:
        target_probs, draft_probs: (N, V) p and q.
        tokens: (N,) the drafted tokens.
        rng: uniform numbers: one for each token.
        weight: w, of the target.
    """
    mixed = weight * target_probs + (1 - weight) * draft_probs  # (N, V)
    ruling = speculative.judge(mixed, draft_probs, tokens, rng)
    tests = [
        test if test.uniform is None else test._replace(reason=reasons.mixture(test.outcome == "accepted", weight))
        for test in ruling.tests
    ]
    mixed_probs = [float(mixed[test.draw, tokens[test.draw]]) for test in ruling.tested]
    return Ruling(tests, ruling.extra_probs, lambda: records.Ensemble(weight=weight, mixture=mixed_probs))
