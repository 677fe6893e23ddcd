from playground.views.accepted_per_round import accepted_per_round_data, accepted_per_round_figure
from tests.metrics.traces import empty_trace
from tests.trace.example import autoregressive_trace, speculative_trace


def test_the_empty_trace_draws_an_empty_labelled_figure():
    figure = accepted_per_round_figure(accepted_per_round_data(empty_trace()))
    assert not figure.data
    assert figure.layout.annotations[0].text == "No round was finished."
    assert figure.layout.yaxis.title.text == "emitted tokens"


def test_the_bars_stack_to_the_emitted_tokens():
    figure = accepted_per_round_figure(accepted_per_round_data(speculative_trace()))
    bars = {bar.name: dict(zip(bar.x, bar.y, strict=True)) for bar in figure.data}
    assert bars == {"accepted draft": {1: 1, 2: 2}, "correction": {1: 1}, "bonus": {2: 1}}
    assert figure.layout.meta == {"axis": "round"}


def test_plain_decoding_has_plain_bars_only():
    figure = accepted_per_round_figure(accepted_per_round_data(autoregressive_trace()))
    assert [bar.name for bar in figure.data] == ["plain"]
