"""The rounds of a trace, each with its own events: the fold every other number starts from."""

from __future__ import annotations

from dataclasses import dataclass

from playground.trace.events import Committed, Drafted, Judged, Scored, Trace


@dataclass(frozen=True, slots=True)
class Round:
    """One draft and one verification. A round of plain decoding has no `drafted` and an empty verdict."""

    number: int  # from 1
    drafted: tuple[Drafted, ...]
    scored: Scored
    judged: Judged
    committed: Committed

    @property
    def layer_of(self) -> dict[int, int]:
        """Node id -> draft depth below the frontier, for the nodes drafted in this round."""
        return {node: event.layer for event in self.drafted for node in event.nodes}

    @property
    def parent_of(self) -> dict[int, int]:
        """Node id -> parent id, for the nodes drafted in this round."""
        return {node: parent for event in self.drafted for node, parent in zip(event.nodes, event.parents, strict=True)}


def complete_rounds(trace: Trace) -> list[Round]:
    """The rounds that were committed, in order. A round that an interruption cut short is in no number."""
    rounds: list[Round] = []
    drafted: list[Drafted] = []
    scored, judged = None, None
    for event in trace.events:
        match event:
            case Drafted():
                drafted.append(event)
            case Scored():
                scored = event
            case Judged():
                judged = event
            case Committed():
                assert scored and judged, f"round {event.round} was committed without being scored and judged"
                rounds.append(Round(event.round, tuple(drafted), scored, judged, event))
                drafted, scored, judged = [], None, None
    return rounds
