"""Best draft lengths in hindsight, from a run that is over: as long as what was kept of each draft."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from playground.metrics.comparison import draft_sizes, drafting_cost
from playground.metrics.counts import count
from playground.trace.events import Round, Trace


@dataclass(frozen=True, slots=True)
class RoundHindsight:
    """One round, and the draft that it should have had."""

    number: int  # Rounds are counted from 1.
    drafted: int  # depths, a draft call each where a model drafts
    # So many of these have an accepted draft: the length that would have been enough. A rejected draft does not count
    # where the correction, or the token of a rule without one, happens to be the same.
    accepted: int
    depth_cost: float  # In calls of the target, by the weights that a depth's draft calls read.
    draft_s: float  # inside the draft models
    wasted_s: float  # Depths that were not kept took so much of it.

    @property
    def is_whole(self) -> bool:
        """True if all of the draft was kept, so that a longer one might have brought more."""
        return 0 < self.drafted == self.accepted


@dataclass(frozen=True, slots=True)
class Length:
    """A draft length for a whole run."""

    length: float  # depths drafted in a round; on average, where that changes
    tokens: float  # emitted in a round, which is one target call; the correction or bonus token is counted
    # A round takes so many target calls, its own among them, by the weights that each call reads.
    cost: float

    @property
    def gain(self) -> float:
        """Tokens for the cost of one plain token: the memory-bound speed-up."""
        return self.tokens / self.cost


@dataclass(frozen=True, slots=True)
class Hindsight:
    """A run, and what it would have been had every draft ended with its last accepted token.

    No shorter length can do better, for the text would be the same with fewer draft calls. A longer one might, where a
    draft was kept whole: what it would have brought, the run does not tell.
    """

    rounds: tuple[RoundHindsight, ...]  # Rounds that drafted nothing are among them.
    seconds: float  # All rounds took so long.
    actual: Length  # the lengths that the run had, counted
    # The lengths that would have been enough, counted round by round, for the same text and as many target calls.
    best: Length
    # the one length for all rounds with the largest gain, no longer than the run's own: an estimate, as its rounds
    # would have begun elsewhere. None where the run has no one length, or drafts trees
    fixed: Length | None

    @property
    def drafted(self) -> int:
        """Depths of all rounds."""
        return sum(each.drafted for each in self.rounds)

    @property
    def accepted(self) -> int:
        """Depths with a draft that was accepted."""
        return sum(each.accepted for each in self.rounds)

    @property
    def whole(self) -> int:
        """Rounds whose draft was kept whole."""
        return sum(each.is_whole for each in self.rounds)

    @property
    def wasted_s(self) -> float:
        """Inside the draft models for depths that were not kept."""
        return sum(each.wasted_s for each in self.rounds)

    @property
    def best_s(self) -> float:
        """An estimate: what the run would have taken. Everything but the draft calls is left as long as it was."""
        return self.seconds - self.wasted_s


def hindsight(trace: Trace) -> Hindsight | None:
    """Read a run; None where it drafted nothing, carries several texts and so keeps several tokens of a depth, or does
    not say how large its models are."""
    if not any(each.drafted for each in trace.rounds) or trace.started.tests in ("layers", ""):
        return None
    if draft_sizes(trace) is None:
        return None
    rounds = tuple(_read(each, trace) for each in trace.rounds)
    tokens = count(trace).num_emitted / len(rounds)

    def on_average(lengths: Sequence[int]) -> Length:
        cost = sum(each.depth_cost * length for each, length in zip(rounds, lengths, strict=True))
        return Length(sum(lengths) / len(rounds), tokens, 1 + cost / len(rounds))

    return Hindsight(
        rounds=rounds,
        seconds=trace.rounds[-1].committed.clock_s,
        actual=on_average([each.drafted for each in rounds]),
        best=on_average([each.accepted for each in rounds]),
        fixed=_best_fixed(rounds[:-1]) if _is_chain(trace) else None,  # the budget may have cut the last
    )


def _read(each: Round, trace: Trace) -> RoundHindsight:
    emitted = zip(each.committed.nodes, each.committed.origins, strict=True)
    accepted = {node for node, origin in emitted if origin == "accepted"}
    depths = [(event.seconds, not accepted.isdisjoint(event.nodes)) for event in each.drafted]
    return RoundHindsight(
        number=each.number,
        drafted=len(depths),
        accepted=sum(is_accepted for _, is_accepted in depths),
        depth_cost=_depth_cost(each, trace) if depths else 0.0,
        draft_s=sum(seconds for seconds, _ in depths),
        wasted_s=sum(seconds for seconds, is_accepted in depths if not is_accepted),
    )


def _depth_cost(each: Round, trace: Trace) -> float:
    """Cost of a depth by the passes of this round; an average over all rounds where the trace does not tell."""
    passes = each.committed.draft_work[::3]
    if not passes:
        whole = drafting_cost(trace) or 0.0
        return whole * len(trace.rounds) / sum(len(each.drafted) for each in trace.rounds)
    sizes = draft_sizes(trace) or []
    return sum(number * size for number, size in zip(passes, sizes, strict=False)) / len(each.drafted)


def _is_chain(trace: Trace) -> bool:
    """Return whether positions are tested one after the other, each with a single draft."""
    events = [event for each in trace.rounds for event in each.drafted]
    return trace.started.tests == "draws" and all(len(event.nodes) == 1 for event in events)


def _best_fixed(rounds: Sequence[RoundHindsight]) -> Length | None:
    """Return the best fixed length: a shorter chain keeps what the longer one kept of its beginning."""
    longest = max((each.drafted for each in rounds), default=0)
    if not longest or any(each.drafted != longest for each in rounds):
        return None
    survived = [sum(each.accepted > index for each in rounds) / len(rounds) for index in range(longest)]
    depth_cost = sum(each.depth_cost for each in rounds) / len(rounds)
    lengths = [Length(n, tokens, 1 + depth_cost * n) for n, tokens in enumerate(accumulate(survived, initial=1.0))]
    return max(lengths, key=lambda each: each.gain)
