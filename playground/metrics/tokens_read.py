"""Tokens that a target which reads paths as rows read in each round, by what they were read for."""

from dataclasses import dataclass

from playground.trace.events import Trace


@dataclass(frozen=True, slots=True)
class RoundReading:
    """Reading of one round.

    Attributes:
        first: tokens read for the first time, which is all that a target with a tree mask reads.
        again: tokens that were read before, and whose state was taken back since.
        copied: tokens of rows beyond these: what branches have in common, and padding.
        calls: forward passes.
        rows: paths, each with a copy of the state.
    """

    round: int
    first: int
    again: int
    copied: int
    calls: int
    rows: int


def tokens_read(trace: Trace) -> list[RoundReading]:
    """Return the reading of each round; nothing of a run whose target reads trees."""
    readings, read = list[RoundReading](), set[int]()
    for each in trace.rounds:
        if paths := each.scored.paths:
            first = len(set(each.scored.fed) - read)
            copied = paths.tokens - first - paths.again
            readings.append(RoundReading(each.scored.round, first, paths.again, copied, paths.passes, paths.rows))
        read.update(each.scored.fed)
    return readings
