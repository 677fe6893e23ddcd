"""Does the draft know when it is right? How often drafts were accepted, by the probability they were drawn with."""

from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from playground.metrics.counts import ratio
from playground.metrics.interval import wilson_interval
from playground.trace.events import Trace

ENDS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)  # The intervals of q end there.


@dataclass(frozen=True, slots=True)
class Reliability:
    """The tested draws whose q lay in one interval. No correction or bonus token is counted."""

    # low, high: of q; `high` itself belongs to the last interval only
    low: float
    high: float
    num_tested: int  # draws whose test was made
    num_accepted: int
    rate: float | None  # accepted / tested; None when there was none
    # the mean of their acceptance probabilities: what `rate` is without the luck of the coins
    expected: float | None

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 % Wilson interval of accepted / tested; None when there was none."""
        return wilson_interval(self.num_accepted, self.num_tested)


def reliability(trace: Trace) -> list[Reliability]:
    """Fold the verdicts by q, every interval from the lowest.

    Nothing where the rule does not test draws one by one, or the trace does not say so, and where no chance was in any
    draw: q is 1 for all of them then, whatever the draft model thought.
    """
    if not trace.events or trace.started.tests != "draws":
        return []
    tested = [
        (q, outcome == "accepted", chance)
        for each in trace.rounds
        for q, outcome, chance in zip(
            each.verified.draft_probs, each.verified.outcomes, each.verified.accept_probs, strict=True
        )
        if q is not None and chance is not None and outcome != "not_tested"
    ]
    if all(q == 1 for q, _, _ in tested):
        return []
    return [_between(tested, low, high) for low, high in pairwise(ENDS)]


def _between(tested: list[tuple[float, bool, float]], low: float, high: float) -> Reliability:
    inside = [(accepted, chance) for q, accepted, chance in tested if low <= q < high or (q >= high == ENDS[-1])]
    num_accepted = sum(accepted for accepted, _ in inside)
    expected = fmean(chance for _, chance in inside) if inside else None
    return Reliability(low, high, len(inside), num_accepted, ratio(num_accepted, len(inside)), expected)
