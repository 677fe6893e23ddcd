"""Invariants of a branch: the round of its change is there, and holds what was forced."""

from __future__ import annotations

from collections.abc import Iterator

from playground.trace.events import Trace


def branch_invariants(trace: Trace) -> Iterator[str]:
    """Sentences on every invariant that a branch breaks; none for a run that is not a branch."""
    change = trace.started.branch
    if not change:
        return
    if trace.started.lossless:
        yield "run_started: a branch claims no distribution, for its change follows none; lossless is true."
    number, node, outcome, token = change.round, change.node, change.outcome, change.token
    rounds = trace.begun_rounds
    each = next((each for each in rounds if each.number == number), None)
    if each is None:
        yield f"run_started: the branch is said to begin in round {number}, but there are {len(rounds)}."
    elif outcome is not None and node not in each.verified_as(outcome):
        yield f"Round {number}: node {node} was forced to be {outcome}, but was not verified so."
    elif token is not None and each.committed and token not in each.committed.tokens:
        yield f"Round {number}: token {token} was put in, but is not emitted."
