"""How long should each draft have been? Read from a run that is over: as long as what was kept of it."""

from __future__ import annotations

from dataclasses import dataclass

from playground.trace.events import Trace


@dataclass(frozen=True, slots=True)
class Hindsight:
    """A run, and what it would have been had every draft ended with its last accepted token.

    No shorter length can do better, for the text would be the same with fewer draft calls. A longer one might, where a
    draft was kept whole: what it would have brought, the run does not tell.

    Attributes:
        drafted: layers, a draft call each where a model drafts.
        kept: of these, layers with a token that was emitted.
        whole: rounds whose draft was kept whole.
        rounds: that drafted anything.
        seconds: of all rounds.
        draft_s: inside the draft models, for layers that were kept or not.
        wasted_s: for those that were not.
    """

    drafted: int
    kept: int
    whole: int
    rounds: int
    seconds: float
    draft_s: float
    wasted_s: float

    @property
    def best_s(self) -> float:
        """An estimate: what the run would have taken. Everything but the draft calls is left as long as it was."""
        return self.seconds - self.wasted_s


def hindsight(trace: Trace) -> Hindsight | None:
    """Read a run; None where it drafted nothing, or carries several texts and so keeps several tokens of a layer."""
    rounds = [each for each in trace.rounds if each.drafted]
    if not rounds or trace.started.tests in ("layers", ""):
        return None
    layers = [
        (layer.seconds, not set(layer.nodes).isdisjoint(each.committed.nodes))
        for each in rounds
        for layer in each.drafted
    ]
    return Hindsight(
        drafted=len(layers),
        kept=sum(kept for _, kept in layers),
        whole=sum(not set(each.drafted[-1].nodes).isdisjoint(each.committed.nodes) for each in rounds),
        rounds=len(rounds),
        seconds=trace.rounds[-1].committed.clock_s,
        draft_s=sum(seconds for seconds, _ in layers),
        wasted_s=sum(seconds for seconds, kept in layers if not kept),
    )
