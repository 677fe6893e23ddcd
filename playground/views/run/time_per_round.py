"""Time of each round: in the draft model, in the target model, and everywhere else."""

from __future__ import annotations

from playground.metrics.speed import RoundTime, time_per_round
from playground.trace.events import Trace
from playground.views.bars import Bars, Kind

# look -> (field, its name), in stacking order
PHASES = {"target": ("verify_s", "verify"), "draft": ("draft_s", "draft"), "other": ("other_s", "the rest")}


def time_per_round_data(trace: Trace) -> list[RoundTime]:
    """The measured phases of every round, prefill excluded."""
    return time_per_round(trace)


def time_per_round_bars(data: list[RoundTime]) -> Bars:
    """One bar a round, as high as its measured milliseconds, stacked by phase."""
    if not data:
        return Bars("round", "round", "time (ms)", empty="No round was finished.")
    kinds = []
    for look, (field, name) in PHASES.items():
        rounds = [(each.round, getattr(each, field) * 1000) for each in data if getattr(each, field)]
        if rounds:
            said = [f"round {number}: {name} {milliseconds:.2f} ms" for number, milliseconds in rounds]
            values = [round(milliseconds, 3) for _, milliseconds in rounds]
            kinds.append(Kind(name, look, [number for number, _ in rounds], values, said))
    return Bars("round", "round", "time (ms)", [each.round for each in data], kinds)
