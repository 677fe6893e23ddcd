"""Every probability of a trace is one: a number from 0 to 1, and the target's at one node come to no more than 1.

A file is held to the range by the schema before; a trace that was made in memory is not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from playground.trace.events import Trace

_SLACK = 1e-6  # outside of 0 to 1, as in the schema: float32's rounding
_SUM_SLACK = 1e-3  # five to ten numbers of 4 digits, as files have had


def probability_invariants(trace: Trace) -> Iterator[str]:
    """Sentences on every probability that is out of range."""
    for each in trace.begun_rounds:
        for event in each.drafted:
            yield from _faults(each.number, "draft_probs", event.draft_probs)
        if each.scored:
            yield from _faults(each.number, "overlaps", each.scored.overlaps)
            for node, rows in zip(each.scored.nodes, each.scored.alternatives, strict=True):
                yield from _row_faults(each.number, node, rows)
        if each.verified:
            for name in ("target_probs", "draft_probs", "accept_probs", "uniforms"):
                yield from _faults(each.number, name, getattr(each.verified, name))
        if each.committed:
            yield from _faults(each.number, "extra_prob", [each.committed.extra_prob])
            likely = [math.exp(min(log_prob, 99.0)) for log_prob in each.committed.log_probs]
            yield from _faults(each.number, "exp(log_probs)", likely)


def _row_faults(number: int, node: int, rows: list[list[float | int | None]]) -> Iterator[str]:
    """Faults of the alternatives behind one node: [token, p, q] each, perhaps with the correction's."""
    for column_index, name in ((1, "p"), (2, "q"), (3, "correction")):
        column = [row[column_index] for row in rows if len(row) > column_index]
        yield from _faults(number, f"{name} behind node {node}", column)
        if column_index == 2:  # of draws that no chance was in each q is 1
            continue
        if (total := math.fsum(value for value in column if value is not None)) > 1 + _SUM_SLACK:
            yield f"Round {number}: {name} behind node {node} comes to {total:g} over different tokens, more than 1."


def _faults(number: int, name: str, values: Iterable[float | None]) -> Iterator[str]:
    """Yield a sentence on the first value that is not a probability; None stands for one that does not exist."""
    for value in values:
        if value is not None and not -_SLACK <= value <= 1 + _SLACK:
            yield f"Round {number}: {name} holds {value:g}, which is not a probability: they go from 0 to 1."
            return
