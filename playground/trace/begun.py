"""Rounds as far as they came: what the laws of a trace are about, which hold for a run that was cut short, too."""

from __future__ import annotations

from dataclasses import dataclass, field

from playground.trace.events import Committed, Drafted, Outcome, Scored, Trace, Verified


@dataclass
class BegunRound:
    """The events of one round; one that an interruption cut short lacks the last ones."""

    number: int
    drafted: list[Drafted] = field(default_factory=list)
    scored: Scored | None = None
    verified: Verified | None = None
    committed: Committed | None = None

    @property
    def draws(self) -> list[int]:
        """The node of every draw of the round, in draw order."""
        return [node for layer in self.drafted for node in layer.nodes]

    def verified_as(self, outcome: Outcome) -> list[int]:
        """The nodes of the draws with this verdict."""
        if self.verified is None:
            return []
        return [node for node, each in zip(self.verified.nodes, self.verified.outcomes, strict=True) if each == outcome]


def begun_rounds(trace: Trace) -> list[BegunRound]:
    """The rounds of a trace whose events are in order."""
    rounds: list[BegunRound] = []
    for event in trace.events:
        if isinstance(event, Drafted | Scored) and (not rounds or rounds[-1].committed):
            rounds.append(BegunRound(event.round))
        match event:
            case Drafted():
                rounds[-1].drafted.append(event)
            case Scored():
                rounds[-1].scored = event
            case Verified():
                rounds[-1].verified = event
            case Committed():
                rounds[-1].committed = event
    return rounds


def accepted_nodes(event: Committed) -> list[int]:
    """The emitted nodes that were drafted."""
    return [node for node, origin in zip(event.nodes, event.origins, strict=True) if origin == "accepted"]
