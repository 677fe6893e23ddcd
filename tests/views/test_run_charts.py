"""The bars of a run, each chart by itself: empty and labelled, and the numbers of the example."""

import pytest

from playground.metrics.acceptance import acceptance_by_depth, accepted_per_round
from playground.views.run.acceptance_by_depth import acceptance_by_depth_bars
from playground.views.run.accepted_per_round import accepted_per_round_bars
from playground.views.run.time_per_round import time_per_round_bars
from tests.metrics.traces import empty_trace
from tests.trace.example import autoregressive_trace, speculative_trace


@pytest.mark.parametrize(
    ("draw", "data", "empty", "axis"),
    [
        (acceptance_by_depth_bars, acceptance_by_depth, "No drafts were tested.", "acceptance (%)"),
        (accepted_per_round_bars, accepted_per_round, "No round was finished.", "emitted tokens"),
        (time_per_round_bars, lambda trace: trace.committed, "No round was finished.", "time (ms)"),
    ],
)
def test_the_empty_trace_draws_an_empty_labelled_chart(draw, data, empty, axis):
    bars = draw(data(empty_trace()))
    assert (bars.kinds, bars.empty, bars.y) == ((), empty, axis)


def test_acceptance_by_depth_has_the_counted_rate_with_its_interval_and_the_exact_probability():
    depths = acceptance_by_depth(speculative_trace())
    assert [depth.rate for depth in depths] == [1.0, 0.5]
    for depth, interval in zip(depths, [(0.3424, 1.0), (0.0945, 0.9055)], strict=True):
        assert depth.interval == pytest.approx(interval, abs=1e-4)
    bars = acceptance_by_depth_bars(depths)
    assert [kind.name for kind in bars.kinds] == ["accepted / positions reached, with 95% interval"]
    assert bars.strokes and bars.strokes.name == "overlap: mean of Σ min(p, q)"
    assert (bars.axis, bars.places, bars.below) == ("depth", [1, 2], ["2/2", "1/2"])
    assert bars.kinds[0].said[1].startswith("depth 2: 1 of 2 positions reached were accepted (50.0%); 2 drafted")


def test_the_bars_of_a_round_stack_to_the_emitted_tokens_and_to_its_milliseconds():
    bars = accepted_per_round_bars(accepted_per_round(speculative_trace()))
    stacked = {kind.name: dict(zip(kind.at, kind.values, strict=True)) for kind in bars.kinds}
    assert stacked == {"accepted draft": {1: 1, 2: 2}, "correction": {1: 1}, "bonus": {2: 1}}
    assert bars.kinds[1].said == ["round 1: 1 correction; 2 drafted, 2 tested"]
    plain = accepted_per_round_bars(accepted_per_round(autoregressive_trace()))
    assert [kind.name for kind in plain.kinds] == ["plain"]
    times = time_per_round_bars(speculative_trace().committed)
    parts = {kind.name: kind.values for kind in times.kinds}
    assert parts == {"verify": [10, 10], "draft": [4, 4], "the rest": [1, 2]} and times.places == [1, 2]
