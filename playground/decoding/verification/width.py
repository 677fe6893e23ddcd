"""Dynamic width: the rule of depth.py, for as many outputs as will probably be accepted.

The width is max(W_min, W~(t)): W~(t) is the most draws that are accepted with probability t. It depends on p, q and the
number of draws, never on the draws themselves, so given the width the outputs are independent draws from p.

Source: Qin et al. 2024, arXiv 2409.16560, equations (2) to (7); corrections in playground/theory/beam_width.py.
"""

from dataclasses import replace

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
    counts = AcceptedCounts(target_probs, draft_probs, len(draws))
    wanted = max(least, counts.reached(threshold) if threshold else 0)
    ruling = depth.judge(target_probs, draft_probs, draws, wanted, rng)

    def workings() -> records.BeamWidth:
        rates, probabilities = counts.probabilities()
        return records.BeamWidth(
            num_draws=counts.num_draws,
            rates=rates,
            probabilities=probabilities.tolist(),
            threshold=threshold or None,
            min_width=least,
            reached=counts.reached(threshold) if threshold else None,
            width=wanted,
            accepted=len(ruling.accepted),
        )

    return replace(ruling, workings=workings)


class AcceptedCounts:
    """Distribution of the number of accepted draws at one depth; computed when first read."""

    def __init__(self, target_probs: Array, draft_probs: Array, num_draws: int) -> None:
        self.num_draws = num_draws
        self._rows = target_probs, draft_probs
        self._cache: tuple[list[float], np.ndarray] | None = None

    def probabilities(self) -> tuple[list[float], np.ndarray]:
        """Rates alpha_1 ... alpha_m, and probabilities P(m, 0) ... P(m, m)."""
        if self._cache is None:
            p, q = (row.astype(np.float64) for row in self._rows)
            rates = acceptance_rates(p, q, self.num_draws)
            self._cache = rates, accepted_probabilities(rates)
        return self._cache

    def reached(self, threshold: float) -> int:
        """Width that is reached with this probability."""
        return reached_width(self.probabilities()[1], threshold)
