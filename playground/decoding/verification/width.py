"""Judge one layer for as many outputs as will probably be accepted: the rule of layer.py, at a width chosen first.

The width is max(W_min, W~(t)): W~(t) is the most draws that are accepted with probability t. It looks at p, q and the
number of draws, never at the draws themselves, so given the width the outputs are independent draws from p.

Source: Qin et al. 2024, arXiv 2409.16560, equations (2) to (7); corrections in playground/theory/beam_width.py.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from playground.decoding.verification import layer
from playground.decoding.verification.ruling import Ruling
from playground.decoding.workings import records
from playground.theory.beam_width import acceptance_rates, accepted_probabilities, reached_width
from playground.trace.events import Tests

TESTS: Tests = "layers"


def judge(
    target_probs: torch.Tensor,
    draft_probs: torch.Tensor,
    draws: list[int],
    least: int,
    coins: np.random.Generator,
    *,
    threshold: float,
) -> Ruling:
    """Choose the width, then judge.

    Args:
        target_probs: (n,) p.
        draft_probs: (n,) q, which every draw came from.
        draws: places in these rows, in draw order.
        least: W_min.
        coins: where fresh coins come from.
        threshold: t; 0 keeps the width at the least.
    """
    chances = Chances(target_probs, draft_probs, len(draws))
    wanted = max(least, chances.reached(threshold) if threshold else 0)
    ruling = layer.judge(target_probs, draft_probs, draws, wanted, coins)

    def workings() -> records.BeamWidth:
        rates, probabilities = chances.known()
        return records.BeamWidth(
            num_draws=chances.num_draws,
            rates=rates,
            probabilities=probabilities.tolist(),
            threshold=threshold or None,
            min_width=least,
            reached=chances.reached(threshold) if threshold else None,
            width=wanted,
            accepted=len(ruling.accepted),
        )

    return replace(ruling, workings=workings)


class Chances:
    """How likely each number of accepted draws is in one layer; worked out when it is first asked for."""

    def __init__(self, target_probs: torch.Tensor, draft_probs: torch.Tensor, num_draws: int) -> None:
        self._laws = target_probs, draft_probs
        self.num_draws = num_draws
        self._known: tuple[list[float], np.ndarray] | None = None

    def known(self) -> tuple[list[float], np.ndarray]:
        """The rates alpha_1 ... alpha_m, and P(m, 0) ... P(m, m)."""
        if self._known is None:
            p, q = (law.double().cpu().numpy() for law in self._laws)
            rates = acceptance_rates(p, q, self.num_draws)
            self._known = rates, accepted_probabilities(rates)
        return self._known

    def reached(self, threshold: float) -> int:
        """The width that is reached with this probability."""
        return reached_width(self.known()[1], threshold)
