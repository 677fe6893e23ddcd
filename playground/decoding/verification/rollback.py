"""The rollback rule of BiLD: go back to the first small-model token that surprises the large model too much.

A token is kept while its surprise -log p(x), in nats and under the unwarped target, is at most the rollback threshold.
No coin, no residual: not lossless, and at temperature 0 not even greedy decoding of the target.

Source: Kim et al. 2023, Speculative Decoding with Big Little Decoder, arXiv 2302.07863.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from playground.decoding.verification.prefix import Ruling


def judge(log_probs: Sequence[float], *, threshold: float) -> list[Ruling]:
    """Rule on a chain, token by token, until one surprises too much.

    Args:
        log_probs: (N,) natural log of each drafted token's probability under the unwarped target.
        threshold: the largest surprise that is let pass, in nats.
    """
    rulings: list[Ruling] = []
    for log_prob in log_probs:
        if rulings and rulings[-1].outcome != "accepted":
            rulings.append(Ruling("unjudged", "A token before it was rolled back."))
        elif -log_prob > threshold:
            rulings.append(Ruling("rejected", f"Its surprise of {-log_prob:.2f} nats is above {threshold:g}."))
        else:
            rulings.append(Ruling("accepted", f"Its surprise of {-log_prob:.2f} nats is within {threshold:g}."))
    return rulings


def workings(
    confidences: Sequence[float], log_probs: Sequence[float], hesitant: int | None, *, fallback: float, threshold: float
) -> dict[str, Any]:
    """Both thresholds, and what was held against them.

    Args:
        confidences: of the small model in each drafted token, then in the one it was too unsure of to draft, if any.
        log_probs: (N,) of each drafted token under the unwarped target.
        hesitant: that last token.
        fallback: the least confidence with which the small model writes on.
        threshold: the largest surprise that is let pass.

    Returns:
        "confidences" and "surprises" (None: impossible under the target), "fallback" and "rollback", and "tokens", the
            one that was not drafted.
    """
    return {
        "kind": "rollback",
        "confidences": list(confidences),
        "surprises": [-each if math.isfinite(each) else None for each in log_probs],
        "fallback": fallback,
        "rollback": threshold,
        "tokens": [] if hesitant is None else [hesitant],
    }
