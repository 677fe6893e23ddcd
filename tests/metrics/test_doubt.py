"""Answers that cannot be are caught: a falling cost curve, a speed-up above the tokens per call, two loads at once."""

from dataclasses import replace

import pytest

from playground.metrics.diagnosis import diagnose
from playground.metrics.doubt import doubt
from playground.theory.cost_model import Costs
from playground.trace.events import Trace
from tests.trace.example import speculative_trace

STEP_S = 0.010


def costs_of(trace: Trace) -> Costs:
    """A machine on which this run's calls take what they took."""
    rounds = [each.committed for each in trace.rounds]
    call_s = sum(each.verify_s for each in rounds) / len(rounds)
    return Costs(STEP_S, (1, 2, 4), (call_s,) * 3, (1, 4), (call_s,) * 2, 0.1 * call_s)


def test_a_run_and_costs_of_one_load_are_believed():
    trace = speculative_trace()
    costs = costs_of(trace)
    diagnosis = diagnose([trace], costs, STEP_S)
    costs = replace(costs, step_s=STEP_S * diagnosis.chain.speed_up / diagnosis.speed_up)
    assert doubt(diagnose([trace], costs, costs.step_s), costs) == ""


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"speed_up": 2.1, "emitted": 2.0}, ""),  # 5 % is what a clock misses by
        ({"speed_up": 2.11, "emitted": 2.0}, "2.00 tokens a target call cannot be 2.11x"),
        ({"pace": 1.5}, ""),
        ({"pace": 1.51}, "Target calls took 1.51 times as long as in plain decoding"),
        ({"pace": 0.67}, ""),
        ({"pace": 0.66}, "Target calls took 0.66 times as long as in plain decoding"),
        ({"predicted": 3.0}, ""),
        ({"predicted": 3.02}, "2.00x measured and 3.02x predicted"),
        ({"predicted": 1.34}, ""),
        ({"predicted": 1.32}, "2.00x measured and 1.32x predicted"),
    ],
)  # fmt: skip
def test_each_doubt_begins_where_it_says(changed, says):
    """A run twice as fast, with 2.5 tokens a call, as predicted and at the pace of the machine, and one of it moved."""
    diagnosis = diagnose([speculative_trace()], costs_of(speculative_trace()), STEP_S)
    changed = {"speed_up": 2.0, "emitted": 2.5, "pace": 1.0} | changed
    chain = replace(diagnosis.chain, speed_up=changed.pop("predicted", 2.0))
    said = doubt(replace(diagnosis, **changed, chain=chain), costs_of(speculative_trace()))
    assert said.startswith(says) and bool(said) == bool(says)


def test_a_curve_may_dip_by_a_tenth():
    costs = Costs(STEP_S, (1, 2, 4), (1.0, 0.9, 1.0), (1, 4), (1.0, 1.0), 0.1)
    result = replace(diagnose([speculative_trace()], costs), speed_up=1.0, pace=1.0, chain=None)
    assert doubt(result, costs) == ""
    lower = replace(costs, chain_s=(1.0, 0.89, 1.0))
    assert doubt(result, lower).startswith("A target call over 2 nodes was measured at 0.89 times one over a single")
