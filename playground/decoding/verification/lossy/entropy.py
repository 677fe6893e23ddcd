"""Entropy verification: speculative sampling that accepts more where the target is unsure. Lossy.

A draft is accepted with probability min(1, p / (t q)), where t = min(exp(-alpha H), most) falls with the entropy H of
p, in nats; else a token is drawn from the residual max(0, p - q). With t = 1 that is speculative sampling. Below 1 a
token that the draft model overrates comes with min(q, p / t), which is more than p: the text leans towards the draft
model's where the target is unsure. Not lossless.

Source: vLLM Ascend, Speculative Decoding Guide, "Block Verify and Entropy Verify"
(docs.vllm.ai/projects/ascend/en/latest/user_guide/feature_guide/speculative_decoding).
"""

import math
from collections.abc import Sequence

import numpy as np

from playground.decoding.verification import speculative
from playground.decoding.verification.lossy.typical import entropy
from playground.decoding.verification.ruling import Ruling
from playground.decoding.workings import reasons
from playground.models.reading import Array


def leniency(target_probs: Array, *, alpha: float, most: float) -> float:
    """Return t, which p/q is divided by: `most`, or exp(-alpha H(p)) where that is less. In (0, 1]."""
    return min(math.exp(-alpha * entropy(target_probs)), most)


def judge(
    target_probs: Array,
    draft_probs: Array,
    tokens: Sequence[int],
    rng: np.random.Generator,
    *,
    alpha: float,
    most: float,
) -> Ruling:
    """Test drafted tokens in order until one is rejected; see `speculative.judge`.

    Args:
        target_probs, draft_probs: (N, V) p and q.
        tokens: (N,) the drafted tokens.
        rng: uniform numbers: one for each token.
        alpha, most: see `leniency`.
    """
    factors = [leniency(p, alpha=alpha, most=most) for p in target_probs]
    ruling = speculative.judge(target_probs / np.array(factors)[:, None], draft_probs, tokens, rng)
    tests = [
        test._replace(reason=reasons.lenient(test.outcome == "accepted", test.accept_prob or 0.0, factors[test.draw]))
        if test.uniform is not None
        else test
        for test in ruling.tests
    ]
    rejected = len(ruling.accepted)
    extra_probs = [speculative.residual(target_probs[rejected], draft_probs[rejected])] if ruling.extra_probs else []
    return Ruling(tests, extra_probs)
