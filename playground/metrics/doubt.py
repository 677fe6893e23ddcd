"""Times that cannot be: what a measurement looks like when the machine was busy for one part of it and not for another.

A round holds at least one target call, and more nodes are never less work; so no run is faster than its tokens per
round, and no cost curve falls. Where numbers say so all the same they were not measured alike, and explain nothing.
"""

from playground.metrics.diagnosis import Diagnosis
from playground.theory.cost_model import Costs
from playground.words import word

SLACK = 1.05  # a speed-up may be above the tokens per round by what a clock misses by
DIP = 0.9  # a call over several nodes may be shorter than one over a single node by as much
APART = 1.5  # two measurements of the same thing, or one and its prediction, that differ by more are not of one machine

AGAIN = word("why_measure_again")


def doubt(diagnosis: Diagnosis, costs: Costs) -> str:
    """Sentence on why this cannot be what happened; empty where it can."""
    curves = (costs.sizes, costs.chain_s), (costs.tree_sizes, costs.tree_s)
    lowest = min((s / seconds[0], size) for sizes, seconds in curves for size, s in zip(sizes, seconds, strict=True))
    if lowest[0] < DIP:
        return word("why_doubt_curve", nodes=lowest[1], times=f"{lowest[0]:.2f}")
    if diagnosis.speed_up > SLACK * diagnosis.emitted:
        return word("why_doubt_speed", emitted=f"{diagnosis.emitted:.2f}", speed_up=f"{diagnosis.speed_up:.2f}")
    if not 1 / APART <= diagnosis.pace <= APART:
        return word("why_doubt_pace", times=f"{diagnosis.pace:.2f}")
    if diagnosis.chain and not 1 / APART <= diagnosis.chain.speed_up / diagnosis.speed_up <= APART:
        predicted = f"{diagnosis.chain.speed_up:.2f}"
        return word("why_doubt_prediction", measured=f"{diagnosis.speed_up:.2f}", predicted=predicted)
    return ""
