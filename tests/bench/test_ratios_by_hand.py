"""A calibration's expected seconds, from seconds that are written by hand."""

import pytest

from playground.bench.calibration import ROUNDS, SIZES, expected_s
from playground.trace.events import Committed, Trace
from tests.trace.example import replace, speculative_trace


def test_a_calibration_is_foretold_by_the_draft_calls_of_the_run_each_as_long_as_its_depth():
    """Where the target took no time: every round drafted its depths in 3 s."""
    trace = speculative_trace()
    spent = {"verify_s": 0.0, "draft_s": 3.0}
    events = [replace(event, **spent) if isinstance(event, Committed) else event for event in trace.events]
    depths = {len(each.drafted) for each in trace.rounds if each.drafted}
    [depth] = depths
    drafted = sum(size - 1 for size in SIZES[1:]) * (ROUNDS + 1)
    assert expected_s(Trace(tuple(events))) == pytest.approx(drafted * 3.0 / depth)
