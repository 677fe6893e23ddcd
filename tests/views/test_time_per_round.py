from playground.views.time_per_round import time_per_round_data, time_per_round_figure
from tests.metrics.traces import empty_trace
from tests.trace.example import speculative_trace


def test_the_empty_trace_draws_an_empty_labelled_figure():
    figure = time_per_round_figure(time_per_round_data(empty_trace()))
    assert not figure.data
    assert figure.layout.annotations[0].text == "No round was finished."
    assert figure.layout.yaxis.title.text == "time (ms)"


def test_the_bars_stack_the_phases_in_milliseconds():
    figure = time_per_round_figure(time_per_round_data(speculative_trace()))
    assert {bar.name: list(bar.y) for bar in figure.data} == {"verify": [10, 10], "draft": [4, 4], "the rest": [1, 2]}
    assert figure.layout.meta == {"axis": "round"}
