"""Numbers that a server did not write and that follow from those that it did: by arithmetic alone, or not at all.

A rounded mean gives the rounds only where one whole number alone rounds to it; rates by position give counts only where
they add up to the accepted tokens. Every number found so has its sentence among the record's remarks.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from playground.servers.record import Record
from playground.words import word

ROUNDS_BY_MEAN = word("log_rounds_by_mean")
ROUNDS_WITHIN = word("log_rounds_within")
POSITIONS_BY_RATES = word("log_positions_by_rates")
CALLS_BY_EMITTED = word("log_calls_by_emitted")
_MEAN_HALF, _RATE_HALF = 0.005, 0.0005  # half of the last decimal that the servers print
_SLACK = 1e-9


def inferred(record: Record, rate_half: float = _RATE_HALF) -> Record:
    """Add the rounds and the counts by position to a record, where they follow from rounded numbers."""
    remarks = list(record.remarks)
    if record.rounds is None and record.accepted is not None and record.mean is not None:
        within = rounds_with_mean(record)
        if within is not None and within[0] == within[1]:
            record = replace(record, rounds=within[0])
            remarks.append(ROUNDS_BY_MEAN)
        elif within is not None:
            record = replace(record, rounds_within=within)
            remarks.append(ROUNDS_WITHIN)
    if record.reached is None and record.histogram is None and record.rates and record.rounds is not None:
        reached = counts_with_rates(record.rates, record.rounds, rate_half)
        if reached is not None and sum(reached) == record.accepted:
            remarks.append(POSITIONS_BY_RATES)
            record = replace(record, reached=reached)
    return replace(record, remarks=tuple(remarks))


def with_calls(record: Record) -> Record:
    """Add the target calls to the record of one request, where they follow from the tokens that it wrote."""
    emitted, accepted = record.emitted, record.accepted
    if emitted is None or accepted is None or emitted - accepted < max(1, record.rounds or 0):
        return record
    return replace(record, calls=emitted - accepted, remarks=(*record.remarks, CALLS_BY_EMITTED))


def rounds_with_mean(record: Record) -> tuple[int, int] | None:
    """Return the least and the most rounds whose mean rounds to the record's; None without a solution or a bound.

    A round drafts one token or more, and no more than there are rates by position.
    """
    if not record.accepted or not record.mean or record.mean - 1 <= _MEAN_HALF:
        return None
    least = math.ceil(record.accepted / (record.mean - 1 + _MEAN_HALF) - _SLACK)
    most = math.floor(record.accepted / (record.mean - 1 - _MEAN_HALF) + _SLACK)
    if record.drafted is not None:
        least = max(least, -(-record.drafted // len(record.rates)) if record.rates else 1)
        most = min(most, record.drafted)
    return (least, most) if least <= most else None


def counts_with_rates(rates: Sequence[float], rounds: int, half: float = _RATE_HALF) -> tuple[int, ...] | None:
    """Count the rounds that accepted each position; None where a rounded rate has several counts, or none."""
    counts = []
    for rate in rates:
        least, most = math.ceil((rate - half) * rounds - _SLACK), math.floor((rate + half) * rounds + _SLACK)
        if least != most:
            return None
        counts.append(least)
    return tuple(counts)


def differences(lines: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return the counts since the line before, of lines that count since the server started; a lower one restarts."""
    before: tuple[int, ...] = (0,) * len(lines[0]) if lines else ()
    counted = []
    for line in lines:
        fell = any(count < earlier for count, earlier in zip(line, before, strict=True))
        counted.append(line if fell else tuple(count - earlier for count, earlier in zip(line, before, strict=True)))
        before = line
    return counted
