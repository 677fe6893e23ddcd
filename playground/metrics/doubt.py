"""Times that cannot be: what a measurement looks like when the machine was busy for one part of it and not for another.

A round holds at least one target call, and more nodes are never less work; so no run is faster than its tokens per
round, and no cost curve falls. Where numbers say so all the same they were not measured alike, and explain nothing.
"""

from __future__ import annotations

from playground.metrics.diagnosis import Diagnosis
from playground.theory.cost_model import Costs

SLACK = 1.05  # a speed-up may be above the tokens per round by what a clock misses by
DIP = 0.9  # a call over several nodes may be shorter than one over a single node by as much
APART = 1.5  # two measurements of the same thing, or one and its prediction, that differ by more are not of one machine

AGAIN = "Close what else runs on this machine, and measure again."


def doubt(diagnosis: Diagnosis, costs: Costs) -> str:
    """Sentence on why this cannot be what happened; empty where it can."""
    lowest = min((curve[i] / curve[0], sizes[i]) for sizes, curve in _curves(costs) for i in range(len(sizes)))
    if lowest[0] < DIP:
        return (
            f"A target call over {lowest[1]} nodes was measured at {lowest[0]:.2f} times one over a single node, which "
            "cannot be: something else took the machine's time."
        )
    if diagnosis.speed_up > SLACK * diagnosis.emitted:
        return (
            f"The run emits {diagnosis.emitted:.2f} tokens for each call of the target, so it cannot be "
            f"{diagnosis.speed_up:.2f}x as fast as plain decoding: the two were not measured under the same load."
        )
    if not 1 / APART <= diagnosis.pace <= APART:
        return (
            f"The target's calls took {diagnosis.pace:.2f} times what the machine takes for them beside plain "
            f"decoding: it was {'busier' if diagnosis.pace > 1 else 'less busy'} when the run was made."
        )
    if diagnosis.chain and not 1 / APART <= diagnosis.chain.speed_up / diagnosis.speed_up <= APART:
        return (
            f"{diagnosis.speed_up:.2f}x was measured and {diagnosis.chain.speed_up:.2f}x is what the costs predict: "
            "that is too far apart for both to hold."
        )
    return ""


def _curves(costs: Costs) -> list[tuple[tuple[int, ...], tuple[float, ...]]]:
    return [(costs.sizes, costs.chain_s), (costs.tree_sizes, costs.tree_s)]
