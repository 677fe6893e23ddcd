"""Deferred rejection: a draft that fails its test where the target is unsure is held, and stays if the next ones pass.

Drafts are tested as by speculative sampling. One that fails is held where the entropy of the target's three likeliest
tokens, renormalised and in nats, is above a threshold. It is accepted if there are drafts after it and the next ones, a
window of them or as many as there are, pass their own tests; else it is rejected, and a token is drawn from the
residual. What is kept so was to be rejected: the text's distribution leans towards the draft model's. Not lossless.

Source: FLy, the loose verification of vLLM (docs.vllm.ai/en/latest/features/speculative_decoding/fly).
"""

from collections.abc import Sequence

import numpy as np

from playground.decoding.verification import speculative
from playground.decoding.verification.lossy.typical import entropy
from playground.decoding.verification.ruling import Ruling, Test, untested
from playground.decoding.workings import reasons
from playground.models.reading import Array

LIKELIEST = 3  # tokens whose entropy says how unsure the target is


def judge(
    target_probs: Array,
    draft_probs: Array,
    tokens: Sequence[int],
    rng: np.random.Generator,
    *,
    threshold: float,
    window: int,
) -> Ruling:
    """Test drafted tokens in order until one is rejected for good; see `speculative.judge`.

    Args:
        target_probs, draft_probs: (N, V) p and q.
        tokens: (N,) the drafted tokens.
        rng: uniform numbers: one for each token.
        threshold: entropy, in nats, above which a draft is held.
        window: drafts after a held one that have to pass.
    """
    singles = [
        speculative.judge(p[None], q[None], [token], rng).tests[0]
        for p, q, token in zip(target_probs, draft_probs, tokens, strict=True)
    ]
    passed = [each.outcome == "accepted" for each in singles]
    tests: list[Test] = []
    for index, test in enumerate(singles):
        after = passed[index + 1 : index + 1 + window]
        if not passed[index]:
            unsure = unsureness(target_probs[index])
            if not (unsure > threshold and after and all(after)):
                tests.append(test._replace(draw=index, reason=reasons.rejected_for_good(unsure, threshold)))
                later = untested(range(index + 1, len(tokens)), reasons.EARLIER_REJECTED)
                return Ruling([*tests, *later], [speculative.residual(target_probs[index], draft_probs[index])])
            test = test._replace(
                outcome="accepted", accept_prob=1.0, uniform=None, reason=reasons.held_and_passed(unsure)
            )
        tests.append(test._replace(draw=index))
    return Ruling(tests)


def unsureness(target_probs: Array) -> float:
    """Entropy of the likeliest tokens alone, renormalised; in nats, from 0 to the logarithm of their number."""
    likeliest = np.sort(target_probs)[-LIKELIEST:]
    return entropy(likeliest / likeliest.sum())
