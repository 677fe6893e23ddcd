"""One request as its server recorded it, or one stretch of a server's life. What was not recorded is None."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from playground.errors import PlaygroundError

MOST_STEPS = 1_000_000  # of one record
MOST = 10**15  # any count
LONGEST = 4096  # tokens of one draft

MEANS, TOTALS, STEPS, TOKENS = "means", "totals", "steps", "tokens"
LEVELS = {
    MEANS: "how many tokens a target call brought on average, rounded, in each stretch of the log",
    TOTALS: "how many tokens were drafted and accepted in all",
    STEPS: "how many were accepted in each step",
    TOKENS: "which tokens they were",
}


@dataclass(frozen=True, slots=True)
class Record:
    """Counts of one request, or of one stretch of time. Of them only `emitted` has what was not drafted."""

    server: str
    drafted: int | None = None
    accepted: int | None = None
    emitted: int | None = None  # tokens that came out, those included that were not drafted
    steps: int | None = None  # target calls that judged a draft
    histogram: tuple[int, ...] | None = None  # entry j: steps that accepted exactly j
    per_step: tuple[tuple[int | None, int], ...] | None = None  # drafted (if it is known) and accepted, in order
    reached: tuple[int, ...] | None = None  # entry k: steps that accepted more than k, where no histogram is
    length: int | None = None  # tokens drafted in a step, where it is the same in all of them
    seconds: float | None = None  # of decoding, prefill excluded
    mean: float | None = None  # tokens per target call, its own counted, as the server rounded it, where no counts are
    has_tokens: bool = False

    @property
    def level(self) -> str:
        """The detail of the record."""
        if self.has_tokens:
            return TOKENS
        if self.mean is not None:
            return MEANS
        return STEPS if self.per_step or self.histogram or self.reached else TOTALS


def count_of(value: Any, name: str) -> int | None:
    """A count, or None where there is none.

    Raises:
        PlaygroundError: if something else stands there.
    """
    if value is None:
        return None
    is_whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not is_whole or not 0 <= value <= MOST:
        raise PlaygroundError(f'"{name}" is not a count.')
    return int(value)


def counts_of(value: Any, name: str, most: int = MOST_STEPS) -> tuple[int, ...] | None:
    """A list of counts, or None where there is none."""
    if value is None:
        return None
    if not isinstance(value, list) or len(value) > most:
        raise PlaygroundError(f'"{name}" is not a list of at most {most:,} counts.')
    counts = [count_of(entry, name) for entry in value]
    if None in counts:
        raise PlaygroundError(f'"{name}" has a gap.')
    return tuple(entry for entry in counts if entry is not None)


def seconds_of(value: Any, parts: int = 1) -> float | None:
    """A time above 0 in seconds, told in so many parts of a second; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < MOST:
        return None
    return value / parts


def checked(record: Record) -> Record:
    """The record, if its numbers agree with each other.

    Raises:
        PlaygroundError: in a sentence that says which do not.
    """
    if record.drafted is not None and record.accepted is not None and record.accepted > record.drafted:
        raise PlaygroundError(f"{record.accepted:,} tokens were accepted of {record.drafted:,} that were drafted.")
    if record.histogram is not None:
        accepted = sum(index * steps for index, steps in enumerate(record.histogram))
        _agree("the histogram", sum(record.histogram), record.steps, "steps")
        _agree("the histogram", accepted, record.accepted, "accepted tokens")
    if record.per_step is not None:
        _agree("the list of steps", len(record.per_step), record.steps, "steps")
        total = sum(accepted for _, accepted in record.per_step)
        _agree("the list of steps", total, record.accepted, "accepted tokens")
        if any(max(accepted, drafted or 0) > LONGEST for drafted, accepted in record.per_step):
            raise PlaygroundError(f"One step has more than {LONGEST:,} tokens.")
        if any(drafted is not None and accepted > drafted for drafted, accepted in record.per_step):
            raise PlaygroundError("One step accepted more than it drafted.")
    return record


def histogram_of(accepted: Sequence[int]) -> tuple[int, ...]:
    """Entry j: how many of these are j."""
    counts = [0] * (max(accepted, default=-1) + 1)
    for each in accepted:
        counts[each] += 1
    return tuple(counts)


def _agree(what: str, computed: int, written: int | None, of: str) -> None:
    if written is not None and computed != written:
        raise PlaygroundError(f"By {what} there were {computed:,} {of}, by the total {written:,}.")
