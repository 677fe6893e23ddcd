"""Dynamic width: the rule of depth.py, for the number of outputs that will probably be accepted.

The width is max(W_min, W~(t)): W~(t) is the most draws that are accepted with probability t. It depends on p, q and the
number of draws, never on the draws themselves, so given the width the outputs are independent draws from p.

Source: Qin et al. 2024, arXiv 2409.16560, equations (2) to (7); corrections in playground/theory/beam_width.py.
"""

from dataclasses import replace
from functools import cache

import numpy as np

from playground.decoding.verification import depth
from playground.decoding.verification.ruling import Ruling
from playground.decoding.workings import records
from playground.models.reading import Array
from playground.theory.beam_width import acceptance_rates, accepted_probabilities, reached_width
from playground.trace.events import Tests

TESTS: Tests = "layers"


def judge(
    target_probs: Array,
    draft_probs: Array,
    draws: list[int],
    least: int,
    rng: np.random.Generator,
    *,
    threshold: float,
) -> Ruling:
    """Choose the width, then test the draws.

    Args:
        target_probs: (n,) p.
        draft_probs: (n,) q, which every draw came from.
        draws: indices of these rows, in draw order.
        least: W_min.
        rng: uniform numbers: one for each test.
        threshold: t; 0 keeps the width at the least.
    """

    @cache
    def counts() -> tuple[list[float], np.ndarray]:
        """Rates alpha_1 ... alpha_m, and probabilities P(m, 0) ... P(m, m) of the number of accepted draws."""
        rates = acceptance_rates(target_probs.astype(np.float64), draft_probs.astype(np.float64), len(draws))
        return rates, accepted_probabilities(rates)

    reached = reached_width(counts()[1], threshold) if threshold else None
    wanted = max(least, reached or 0)
    ruling = depth.judge(target_probs, draft_probs, draws, wanted, rng)

    def workings() -> records.BeamWidth:
        rates, probabilities = counts()
        return records.BeamWidth(
            num_draws=len(draws),
            rates=rates,
            probabilities=probabilities.tolist(),
            threshold=threshold or None,
            min_width=least,
            reached=reached,
            width=wanted,
            accepted=len(ruling.accepted),
        )

    return replace(ruling, workings=workings)
