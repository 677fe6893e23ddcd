"""Best draft length of each round, now that it is known what was kept of it."""

from __future__ import annotations

from playground.metrics.hindsight import Hindsight, RoundHindsight, hindsight
from playground.trace.events import Trace
from playground.views.bars import Bars, Kind

Y = "drafted levels"
NOTHING = "No drafts of a single text are finished yet."


def length_in_hindsight_data(trace: Trace) -> Hindsight | None:
    """Draft length of every round beside the length that was accepted; None where the trace does not tell it."""
    return hindsight(trace)


def length_in_hindsight_bars(data: Hindsight | None) -> Bars:
    """One bar a round, as high as what it drafted: enough below, too many on top."""
    if data is None:
        return Bars("round", "round", Y, empty=NOTHING)
    enough = [each for each in data.rounds if each.accepted]
    too_many = [each for each in data.rounds if each.drafted > each.accepted]
    kinds = [
        Kind(
            "enough", "accepted", [r.number for r in enough], [r.accepted for r in enough], [_said(r) for r in enough]
        ),
        Kind(
            "too many",
            "draft",
            [r.number for r in too_many],
            [r.drafted - r.accepted for r in too_many],
            [_said(r) for r in too_many],
        ),
    ]
    numbers = [each.number for each in data.rounds]
    return Bars("round", "round", Y, numbers, [kind for kind in kinds if kind.at])


def say_hindsight(data: Hindsight | None) -> str:
    """Sentences on the run with the best draft of every round, and on which of that is counted."""
    if data is None:
        return NOTHING
    actual, best = data.actual, data.best
    said = [
        f"{data.accepted} of {data.drafted} drafted levels were enough for the same text in the same "
        f"{len(data.rounds)} target calls: {best.length:.1f} a round instead of {actual.length:.1f} (counted)."
    ]
    estimates = []
    if actual.cost > best.cost:
        estimates.append(f"{best.gain:.2f} tokens for the weights of one target call instead of {actual.gain:.2f}")
    if data.wasted_s:
        times = f"{data.best_s * 1000:.0f} ms instead of {data.seconds * 1000:.0f} ms"
        estimates.append(f"{times}, all else as long as it was")
    if estimates:
        said.append(f"That is {', and '.join(estimates)} (estimated).")
    if data.fixed:
        said.append(
            f"Of fixed lengths up to the run's own, {data.fixed.length:g} is best: {data.fixed.gain:.2f} (estimated)."
        )
    if data.whole:
        said.append(f"Kept whole, so that more might have been kept: {data.whole} of {len(data.rounds)} drafts.")
    return " ".join(said)


def _said(each: RoundHindsight) -> str:
    enough = (
        f"{each.accepted} would have been enough" if not each.is_whole else "all were kept, and more might have been"
    )
    return f"round {each.number}: {each.drafted} drafted, {enough}"
