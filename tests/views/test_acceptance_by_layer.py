import pytest

from playground.views.acceptance_by_layer import acceptance_by_layer_data, acceptance_by_layer_figure
from tests.metrics.traces import empty_trace
from tests.trace.example import speculative_trace


def test_the_empty_trace_draws_an_empty_labelled_figure():
    figure = acceptance_by_layer_figure(acceptance_by_layer_data(empty_trace()))
    assert not figure.data
    assert figure.layout.annotations[0].text == "No drafts were judged."
    assert figure.layout.yaxis.title.text == "acceptance (%)"


def test_each_bar_of_the_example_has_its_interval():
    bars = acceptance_by_layer_data(speculative_trace())
    assert [bar.acceptance.rate for bar in bars] == [1.0, 0.5]
    assert bars[0].interval == pytest.approx((0.3424, 1.0), abs=1e-4)
    assert bars[1].interval == pytest.approx((0.0945, 0.9055), abs=1e-4)


def test_the_figure_has_the_counted_rate_and_the_exact_probability():
    figure = acceptance_by_layer_figure(acceptance_by_layer_data(speculative_trace()))
    assert [trace.name for trace in figure.data] == [
        "accepted / positions reached, with 95% interval",
        "overlap: mean of Σ min(p, q)",
    ]
    assert figure.layout.meta == {"axis": "layer"}
    assert list(figure.layout.xaxis.ticktext) == ["1<br>2/2", "2<br>1/2"]
