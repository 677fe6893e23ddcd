"""A run as its rounds, also one that an interruption cut short: what the laws of a trace are about."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from playground.trace.events import Committed, Drafted, Judged, RunFinished, RunStarted, Scored, Trace
from playground.trace.storage import event_name


@dataclass
class Round:
    """The events of one round; a round that an interruption cut short lacks the last ones."""

    number: int
    drafted: list[Drafted] = field(default_factory=list)
    scored: Scored | None = None
    judged: Judged | None = None
    committed: Committed | None = None

    @property
    def draws(self) -> list[int]:
        """The node of every draw of the round, in draw order."""
        return [node for layer in self.drafted for node in layer.nodes]

    @property
    def path(self) -> list[int]:
        """The emitted nodes that were drafted."""
        event = self.committed
        return [node for node, origin in zip(event.nodes, event.origins, strict=True) if origin == "accepted"]

    def judged_as(self, verdict: str) -> list[int]:
        """The nodes of the draws with this verdict."""
        event = self.judged
        return [node for node, outcome in zip(event.nodes, event.outcomes, strict=True) if outcome == verdict]


@dataclass
class Run:
    """The events of a run, in rounds."""

    started: RunStarted
    rounds: list[Round]
    finished: RunFinished | None

    @cached_property
    def committed(self) -> list[Committed]:
        """What each round emitted."""
        return [each.committed for each in self.rounds if each.committed]

    @cached_property
    def grows_one_text(self) -> bool:
        """Whether every frontier is one node; with several beams the laws of the one path do not hold."""
        one_node = all(len(event.frontier) == 1 for event in [self.started, *self.committed])
        return one_node and all(event.best is None for event in self.committed)


def in_rounds(trace: Trace) -> Run:
    """The events of a trace, parted into rounds. They have to be in order."""
    started, *rest = trace.events
    finished = rest.pop() if is_complete(trace) and rest else None
    rounds: list[Round] = []
    for event in rest:
        if not rounds or rounds[-1].committed:
            rounds.append(Round(len(rounds) + 1))
        if isinstance(event, Drafted):
            rounds[-1].drafted.append(event)
        else:
            setattr(rounds[-1], event_name(event), event)
    return Run(started, rounds, finished)


def is_complete(trace: Trace) -> bool:
    """Whether the run came to its end; an interrupted run has no totals, and may stop in the middle of a round."""
    return bool(trace.events) and isinstance(trace.events[-1], RunFinished)
