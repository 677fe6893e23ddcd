"""Counts of a run: calls, drafts, verdicts, emitted tokens, and the four ratios people quote.

What is drafted, tested and accepted is a draw. Two i.i.d. draws that coincide are one node of the tree and two draws. A
position is a node of the tree below which something was drafted; it was reached where one of those draws was tested.
"""

from collections.abc import Iterable
from dataclasses import astuple, dataclass
from typing import Literal

from playground.trace.events import Round, Tests, Trace
from playground.trace.texts import best_text
from playground.words import word

_PREFIXES = word("column_prefixes")
_UNKNOWN = word("column_unknown_tests")
# A rule that tests these has no acceptance by position, for this reason.
NO_POSITIONS = {
    "prefixes": _PREFIXES,
    "layers": word("column_layers"),
    "": _UNKNOWN,
}
NO_DRAWS = {
    "prefixes": _PREFIXES,
    "selected draws": word("column_selected"),
    "": _UNKNOWN,
}


@dataclass(frozen=True, slots=True)
class Counts:
    """Totals of a run's complete rounds."""

    num_rounds: int = 0
    target_calls: int = 0
    draft_calls: int = 0  # 0 for a drafter that is not a model
    num_drafted: int = 0  # draws
    num_tested: int = 0  # draws whose accept/reject test was made: accepted + rejected
    num_accepted: int = 0  # draws
    num_emitted: int = 0  # tokens, the correction or bonus token of every round included
    num_reached: int = 0  # positions at which a draw was tested
    num_passed: int = 0  # positions at which one was accepted
    tests: Tests | Literal[""] = ""  # It is empty where the trace does not say.

    @property
    def acceptance_per_position(self) -> float | None:
        """Positions with an accepted draw / positions reached; neither counts the correction or bonus token.

        None before the first verdict, and where no position is tested by itself: a rule that tests prefixes keeps a
        token for what follows it, and one that fills a depth with several texts wants several tokens at a position.
        """
        return ratio(self.num_passed, self.num_reached) if self.tests in ("draws", "selected draws") else None

    @property
    def acceptance_per_draw(self) -> float | None:
        """Accepted / tested draws; neither counts the correction or bonus token.

        None before the first verdict, and where no draw is tested by itself: a rule that tests prefixes rejects or
        keeps several at once, and one that selects a draw never tests the others.
        """
        return ratio(self.num_accepted, self.num_tested) if self.tests in ("draws", "layers") else None

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

    Emitted tokens are those of the best text; beams commit more nodes than it has. Draft calls are the run's own
    total where it has finished, for a call may draft nothing.
    """
    rounds = trace.rounds
    outcomes = [outcome for each in rounds for outcome in each.verified.outcomes]
    end = trace.finished
    return Counts(
        num_rounds=len(rounds),
        target_calls=len(rounds),  # one Scored event each
        draft_calls=end.draft_calls if end else _depths_by_a_model(trace),
        num_drafted=sum(len(event.nodes) for each in rounds for event in each.drafted),
        num_tested=sum(outcome != "not_tested" for outcome in outcomes),
        num_accepted=sum(outcome == "accepted" for outcome in outcomes),
        num_emitted=end.num_tokens if end else len(best_text(trace)),
        num_reached=sum(len(reached(each)) for each in rounds),
        num_passed=sum(sum(reached(each).values()) for each in rounds),
        tests=trace.started.tests if trace.events else "",
    )


def reached(each: Round) -> dict[int, bool]:
    """Map the nodes below which a draw of the round was tested to whether one was accepted there."""
    parent_of = each.parent_of
    accepted_at: dict[int, bool] = {}
    for node, outcome in zip(each.verified.nodes, each.verified.outcomes, strict=True):
        if outcome != "not_tested":
            parent = parent_of[node]
            accepted_at[parent] = accepted_at.get(parent, False) or outcome == "accepted"
    return accepted_at


def together(counts: Iterable[Counts]) -> Counts:
    """Add up the totals of several runs of one method."""
    runs = list(counts)
    *columns, tests = zip(*map(astuple, runs), strict=True)
    return Counts(*map(sum, columns), tests=tests[0])


def ratio(part: float, whole: float) -> float | None:
    """part / whole, or None where there is nothing to divide by: an undefined number is a dash, never a zero."""
    return part / whole if whole else None


def _depths_by_a_model(trace: Trace) -> int:
    if not trace.events or trace.started.draft is None:
        return 0
    if trace.started.other_drafts:  # a depth may take a call of each
        return sum(sum(each.committed.draft_work[::3]) for each in trace.rounds)
    return sum(len(each.drafted) for each in trace.rounds)
