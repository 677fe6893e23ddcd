"""The cost model against the clock: predicted and measured speed-up of speculative sampling at every draft length.

A prediction knows three things: the acceptance rate of the runs, the machine's measured costs, and what a round takes
outside the models. What it leaves out is that acceptance is neither independent nor the same everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from playground.bench.calibration import calibrate
from playground.decoding.decode import Request, Round, decode
from playground.decoding.method import make_method
from playground.theory.cost_model import Costs, predicted_speed_up

LENGTHS = range(1, 9)


@dataclass(slots=True)
class Tally:
    """Sums over the runs of one draft length.

    Attributes:
        tokens, seconds: emitted, and what they took without the prefill; the fastest repeat of each prompt.
        rounds, rest_s: how many rounds those were, and their seconds outside the models.
        accepted, tested: drafts.
    """

    tokens: int = 0
    seconds: float = 0.0
    rounds: int = 0
    rest_s: float = 0.0
    accepted: int = 0
    tested: int = 0

    def add(self, rounds: Sequence[Round]) -> None:
        """Count one run in."""
        self.tokens += sum(len(item.nodes) for item in rounds)
        self.seconds += rounds[-1].clock_s
        self.rounds += len(rounds)
        self.rest_s += sum(item.other_s for item in rounds)
        outcomes = [each.outcome for item in rounds for each in item.verdict.judgements]
        self.accepted += outcomes.count("accepted")
        self.tested += outcomes.count("accepted") + outcomes.count("rejected")


def compare_with_prediction(requests: Sequence[Request], *, repeats: int = 3) -> list[dict[str, Any]]:
    """One row per draft length, and how far the prediction is off.

    Args:
        requests: plain decoding of each prompt, with a draft model beside it. Draft lengths take turns with it.
        repeats: of every run; the fastest counts, as in the calibration.

    Returns:
        draft_length, acceptance_rate, predicted and measured speed-up, and error, (predicted - measured) / measured.
    """
    costs: list[Costs] = []
    plain, drafted = Tally(), {length: Tally() for length in LENGTHS}
    for request in requests:
        costs.append(calibrate(request.target, request.draft_model))
        chains = {
            length: replace(request, method=make_method("speculative_sampling", {"draft_length": length}))
            for length in LENGTHS
        }
        runs: dict[int, list[list[Round]]] = {}
        for _ in range(repeats):
            for length, each in ((0, request), *chains.items()):
                runs.setdefault(length, []).append([item for item in decode(each) if isinstance(item, Round)])
        for length, repeated in runs.items():
            fastest = min(repeated, key=lambda rounds: rounds[-1].clock_s)
            (drafted[length] if length else plain).add(fastest)
    return [_row(length, tally, plain, fastest_of(costs)) for length, tally in drafted.items()]


def fastest_of(costs: Sequence[Costs]) -> Costs:
    """Several calibrations of one machine as one: whatever else it does only adds time."""
    return Costs(
        step_s=min(each.step_s for each in costs),
        sizes=costs[0].sizes,
        chain_s=tuple(map(min, zip(*(each.chain_s for each in costs), strict=True))),
        tree_sizes=costs[0].tree_sizes,
        tree_s=tuple(map(min, zip(*(each.tree_s for each in costs), strict=True))),
        draft_s=min((each.draft_s for each in costs if each.draft_s is not None), default=None),
    )


def _row(length: int, tally: Tally, plain: Tally, costs: Costs) -> dict[str, Any]:
    acceptance_rate = tally.accepted / tally.tested
    predicted = predicted_speed_up(acceptance_rate, length, costs, tally.rest_s / tally.rounds)
    measured = (tally.tokens / tally.seconds) / (plain.tokens / plain.seconds)
    return {
        "draft_length": length,
        "acceptance_rate": acceptance_rate,
        "predicted": predicted,
        "measured": measured,
        "error": predicted / measured - 1,
    }
