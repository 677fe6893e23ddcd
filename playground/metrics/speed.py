"""Time of a run by phase. Prefill is apart: no total and no rate below contains it."""

from dataclasses import dataclass

from playground.metrics.counts import count, ratio
from playground.trace.events import Timed, Trace


@dataclass(frozen=True, slots=True)
class Speed(Timed):
    """Measured totals of a run's complete rounds."""

    prefill_s: float | None  # both models over the prompt; None when the trace does not even start
    draft_s: float
    verify_s: float
    other_s: float
    num_emitted: int  # the correction or bonus token of every round included

    @property
    def tokens_per_s(self) -> float | None:
        """Emitted tokens / decoding seconds. Counts the correction or bonus token. None before the first round."""
        return ratio(self.num_emitted, self.seconds)


def speed(trace: Trace) -> Speed:
    """Fold the phases of all complete rounds."""
    rounds = [each.committed for each in trace.rounds]
    return Speed(
        prefill_s=trace.started.prefill_s if trace.events else None,
        draft_s=sum((each.draft_s for each in rounds), 0.0),
        verify_s=sum((each.verify_s for each in rounds), 0.0),
        other_s=sum((each.other_s for each in rounds), 0.0),
        num_emitted=count(trace).num_emitted,
    )
