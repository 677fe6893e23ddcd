"""How many of everything: calls, drafts, verdicts, emitted tokens, and the three ratios people quote.

What is drafted, judged and accepted is a draw. Two i.i.d. draws that coincide are one node of the tree and two draws.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass

from playground.trace.events import Trace
from playground.trace.texts import best_text


@dataclass(frozen=True, slots=True)
class Counts:
    """Totals of a run's complete rounds."""

    num_rounds: int = 0
    target_calls: int = 0
    draft_calls: int = 0  # 0 for a drafter that is not a model
    num_drafted: int = 0  # draws
    num_judged: int = 0  # draws whose accept/reject test was made: accepted + rejected
    num_accepted: int = 0  # draws
    num_emitted: int = 0  # tokens, the correction or bonus token of every round included

    @property
    def acceptance_rate(self) -> float | None:
        """Accepted / judged draws. Neither counts the correction or bonus token. None before the first verdict."""
        return ratio(self.num_accepted, self.num_judged)

    @property
    def draft_efficiency(self) -> float | None:
        """Accepted / drafted draws. Neither counts the correction or bonus token. None before the first draft."""
        return ratio(self.num_accepted, self.num_drafted)

    @property
    def block_efficiency(self) -> float | None:
        """Emitted tokens / target calls, prefill excluded. Counts the correction or bonus token; plain decoding: 1."""
        return ratio(self.num_emitted, self.target_calls)


def count(trace: Trace) -> Counts:
    """Fold a trace into its totals; an interrupted one counts up to its last complete round.

    Emitted tokens are those of the best text; beams commit more nodes than stand in it. Draft calls are the run's own
    total where it has finished, for a call need not make a layer.
    """
    rounds = trace.rounds
    outcomes = [outcome for each in rounds for outcome in each.judged.outcomes]
    end = trace.finished
    return Counts(
        num_rounds=len(rounds),
        target_calls=len(rounds),  # one Scored event each
        draft_calls=end.draft_calls if end else _layers_by_a_model(trace),
        num_drafted=sum(len(event.nodes) for each in rounds for event in each.drafted),
        num_judged=sum(outcome != "unjudged" for outcome in outcomes),
        num_accepted=sum(outcome == "accepted" for outcome in outcomes),
        num_emitted=end.num_tokens if end else len(best_text(trace)),
    )


def together(counts: Iterable[Counts]) -> Counts:
    """The totals of several runs."""
    return Counts(*(sum(column) for column in zip(*map(astuple, counts), strict=True)))


def ratio(part: float, whole: float) -> float | None:
    """part / whole, or None where there is nothing to divide by: an undefined number is a dash, never a zero."""
    return part / whole if whole else None


def _layers_by_a_model(trace: Trace) -> int:
    if not trace.events or trace.started.draft is None:
        return 0
    if trace.started.other_drafts:  # a layer may take a call of each
        return sum(sum(each.committed.draft_work[::3]) for each in trace.rounds)
    return sum(len(each.drafted) for each in trace.rounds)
