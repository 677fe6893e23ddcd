import pytest

from playground.metrics.acceptance import acceptance_by_depth
from playground.views.run.acceptance_by_depth import acceptance_by_depth_bars
from tests.metrics.traces import empty_trace
from tests.trace.example import speculative_trace


def test_the_empty_trace_draws_an_empty_labelled_chart():
    bars = acceptance_by_depth_bars(acceptance_by_depth(empty_trace()))
    assert (bars.kinds, bars.empty, bars.y) == ((), "No drafts were tested.", "acceptance (%)")


def test_each_bar_of_the_example_has_its_interval():
    bars = acceptance_by_depth(speculative_trace())
    assert [bar.rate for bar in bars] == [1.0, 0.5]
    assert bars[0].interval == pytest.approx((0.3424, 1.0), abs=1e-4)
    assert bars[1].interval == pytest.approx((0.0945, 0.9055), abs=1e-4)


def test_the_chart_has_the_counted_rate_and_the_exact_probability():
    bars = acceptance_by_depth_bars(acceptance_by_depth(speculative_trace()))
    assert [kind.name for kind in bars.kinds] == ["accepted / positions reached, with 95% interval"]
    assert bars.strokes and bars.strokes.name == "overlap: mean of Σ min(p, q)"
    assert (bars.axis, bars.places, bars.below) == ("depth", [1, 2], ["2/2", "1/2"])
    assert bars.kinds[0].said[1].startswith("depth 2: 1 of 2 positions reached were accepted (50.0%); 2 drafted")
