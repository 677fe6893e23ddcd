"""A drafter of features that is hardly ever right is named; one that is right, or reads none, is not."""

import dataclasses

import pytest

from playground.metrics.chance import FEWEST, near_chance
from playground.metrics.diagnosis import advice, diagnose
from playground.theory.cost_model import Costs
from playground.trace.events import Trace, Verified
from tests.metrics.traces import empty_trace
from tests.trace.example import replace, speculative_trace

COSTS = Costs(0.010, (1, 2, 4), (0.009, 0.010, 0.012), (1, 4), (0.009, 0.014), 0.002)


def trace_with(accepted, tested, **facts):
    """The example's two rounds, of which the first tested so many drafts, and accepted as many, and the second none."""
    start, *events = speculative_trace().events
    verdicts = iter([["accepted"] * accepted + ["rejected"] * (tested - accepted), ["not_tested"] * 2])
    changed = [replace(each, outcomes=next(verdicts)) if isinstance(each, Verified) else each for each in events]
    return Trace((replace(start, draft=start.draft | facts), *changed))


@pytest.mark.parametrize(
    ("accepted", "tested", "is_named"),
    [
        (0, FEWEST, True),
        (2, FEWEST, True),
        (3, FEWEST, False),
        (0, FEWEST - 1, False),
        (10, 200, True),
        (11, 200, False),
    ],
)
def test_one_in_twenty_of_enough_tests_is_near_chance(accepted, tested, is_named):
    sentence = near_chance(trace_with(accepted, tested, features_of="big"))
    assert bool(sentence) is is_named
    if is_named:
        assert f"{accepted} of its first {tested} tested drafts" in sentence and "trained for big" in sentence


def test_a_model_that_reads_no_features_is_not_named_and_the_advice_begins_with_the_warning():
    assert near_chance(empty_trace()) == near_chance(trace_with(0, 100)) == ""
    sentence = near_chance(trace_with(0, 250, features_of="big"))
    diagnosis = diagnose([speculative_trace()], COSTS)
    assert "0 of its first 200" in sentence and not diagnosis.near_chance
    assert advice(dataclasses.replace(diagnosis, near_chance=sentence)) == f"{sentence} {advice(diagnosis)}"
