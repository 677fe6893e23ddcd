from playground.metrics.speed import time_per_round
from playground.views.run.time_per_round import time_per_round_bars
from tests.metrics.traces import empty_trace
from tests.trace.example import speculative_trace


def test_the_empty_trace_draws_an_empty_labelled_chart():
    bars = time_per_round_bars(time_per_round(empty_trace()))
    assert (bars.kinds, bars.empty, bars.y) == ((), "No round was finished.", "time (ms)")


def test_the_bars_stack_the_phases_in_milliseconds():
    bars = time_per_round_bars(time_per_round(speculative_trace()))
    assert {kind.name: kind.values for kind in bars.kinds} == {"verify": [10, 10], "draft": [4, 4], "the rest": [1, 2]}
    assert bars.places == [1, 2]
