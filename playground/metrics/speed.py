"""Time of a run by phase. Prefill is apart: no total and no rate below contains it."""

from __future__ import annotations

from dataclasses import dataclass

from playground.metrics.counts import count, ratio
from playground.trace.events import Trace
from playground.trace.texts import grown_by


@dataclass(frozen=True, slots=True)
class RoundTime:
    """Measured seconds of one round, by phase."""

    round: int  # from 1
    draft_s: float  # inside the draft model
    verify_s: float  # inside the target model
    other_s: float  # the rest: sampling, acceptance tests, tree; recording and drawing excluded
    num_emitted: int  # the correction or bonus token included; with beams, those of the first one

    @property
    def seconds(self) -> float:
        """The whole round."""
        return self.draft_s + self.verify_s + self.other_s


@dataclass(frozen=True, slots=True)
class Speed:
    """Measured totals of a run's complete rounds."""

    prefill_s: float | None  # both models over the prompt; None when the trace does not even start
    draft_s: float
    verify_s: float
    other_s: float
    num_emitted: int  # the correction or bonus token of every round included

    @property
    def seconds(self) -> float:
        """Decoding time: draft + verify + the rest, prefill excluded."""
        return self.draft_s + self.verify_s + self.other_s

    @property
    def tokens_per_s(self) -> float | None:
        """Emitted tokens / decoding seconds. Counts the correction or bonus token. None before the first round."""
        return ratio(self.num_emitted, self.seconds)


def time_per_round(trace: Trace) -> list[RoundTime]:
    """Return the measured phases of each complete round."""
    return [
        RoundTime(done.round, done.draft_s, done.verify_s, done.other_s, len(grown_by(done)))
        for done in (each.committed for each in trace.rounds)
    ]


def speed(trace: Trace) -> Speed:
    """Fold the phases of all complete rounds."""
    rounds = time_per_round(trace)
    return Speed(
        prefill_s=trace.started.prefill_s if trace.events else None,
        draft_s=sum((each.draft_s for each in rounds), 0.0),
        verify_s=sum((each.verify_s for each in rounds), 0.0),
        other_s=sum((each.other_s for each in rounds), 0.0),
        num_emitted=count(trace).num_emitted,
    )
