"""Value of a chain of drafts, if every draft were accepted independently with the same probability.

The symbols are those of Leviathan et al. 2023 (arXiv 2211.17192): alpha is the acceptance rate of a single draft,
tested by itself, gamma our draft length, c our cost ratio (time of one draft call / time of one target call). Real
acceptances are not independent; the measured points next to these lines show by how much.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = np.floating | NDArray[np.floating]  # a number for a number, an array for an array


def expected_emitted(acceptance_rate: ArrayLike, draft_length: int, falling: float = 1.0) -> Numbers:
    """Return expected emitted tokens per round, (1 - alpha^(gamma+1)) / (1 - alpha).

    Leviathan et al. 2023, Eq. 1. Assumes i.i.d. acceptance. Counts the correction or bonus token. Summed as
    1 + alpha + ... + alpha^gamma, which is the same number and has its limit gamma + 1 at alpha = 1.

    Args:
        acceptance_rate: alpha, of the first draft.
        draft_length: gamma.
        falling: f; where it is not 1, the i-th draft is accepted with alpha f^(i-1), given that those before it are.
    """
    alpha = _checked(acceptance_rate, draft_length)
    return np.polyval([falling ** (i * (i - 1) / 2) for i in range(draft_length, -1, -1)], alpha)


def speed_up(acceptance_rate: ArrayLike, draft_length: int, cost_ratio: ArrayLike) -> Numbers:
    """Return expected speed-up over autoregressive decoding, (1 - alpha^(gamma+1)) / ((1 - alpha)(gamma c + 1)).

    Leviathan et al. 2023, Theorem 3.8. Assumes i.i.d. acceptance, a target call over gamma + 1 nodes that takes as long
    as one over a single node, and no time outside the models.
    """
    return expected_emitted(acceptance_rate, draft_length) / _round_cost(draft_length, cost_ratio)


def break_even_cost(acceptance_rate: ArrayLike, draft_length: int) -> Numbers:
    """Return the cost ratio c at which Theorem 3.8 gives a speed-up of exactly 1; above it a draft slows decoding."""
    if draft_length < 1:
        raise ValueError(f"Draft length {draft_length} drafts nothing, so it breaks even at any cost. Use at least 1.")
    return (expected_emitted(acceptance_rate, draft_length) - 1.0) / draft_length


def break_even_acceptance(draft_length: int, cost_ratio: float, falling: float = 1.0) -> float | None:
    """Return the acceptance rate at which Theorem 3.8 gives a speed-up of 1; None when even alpha = 1 is slower.

    The expected accepted drafts grow from 0 to gamma with alpha, so the rate is where they reach gamma c. For gamma = 1
    it is c itself (Corollary 3.9: some draft length helps exactly when alpha > c).
    """
    needed = _round_cost(draft_length, cost_ratio)
    if needed > expected_emitted(1.0, draft_length, falling):
        return None
    low, high = 0.0, 1.0
    for _ in range(60):  # Bisection ends with an error below 1e-18.
        middle = (low + high) / 2
        low, high = (middle, high) if expected_emitted(middle, draft_length, falling) < needed else (low, middle)
    return high


def best_draft_length(acceptance_rate: float, cost_ratio: float, *, longest: int = 32) -> int:
    """Return the draft length of 0 .. longest with the largest speed-up by Theorem 3.8; 0 says not to speculate."""
    gains = [float(speed_up(acceptance_rate, length, cost_ratio)) for length in range(longest + 1)]
    return int(np.argmax(gains))  # the shortest, on a tie


def _round_cost(draft_length: int, cost_ratio: ArrayLike) -> Numbers:
    """Time of one round in target calls, gamma c + 1."""
    cost = np.asarray(cost_ratio, dtype=float)
    if np.any(cost < 0):
        raise ValueError(f"Cost ratio {cost_ratio} is negative. Use draft time / target time, 0 or more.")
    return draft_length * cost + 1.0


def _checked(acceptance_rate: ArrayLike, draft_length: int) -> NDArray[np.float64]:
    alpha = np.asarray(acceptance_rate, dtype=float)
    if np.any((alpha < 0) | (alpha > 1)):
        raise ValueError(f"Acceptance rate {acceptance_rate} is not a probability. Use accepted / tested, 0 to 1.")
    if draft_length < 0:
        raise ValueError(f"Draft length {draft_length} is negative. Use 0 or more.")
    return alpha
