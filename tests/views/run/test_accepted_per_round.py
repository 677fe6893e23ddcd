from playground.metrics.acceptance import accepted_per_round
from playground.views.run.accepted_per_round import accepted_per_round_bars
from tests.metrics.traces import empty_trace
from tests.trace.example import autoregressive_trace, speculative_trace


def test_the_empty_trace_draws_an_empty_labelled_chart():
    bars = accepted_per_round_bars(accepted_per_round(empty_trace()))
    assert (bars.kinds, bars.empty, bars.y) == ((), "No round was finished.", "emitted tokens")


def test_the_bars_stack_to_the_emitted_tokens():
    bars = accepted_per_round_bars(accepted_per_round(speculative_trace()))
    stacked = {kind.name: dict(zip(kind.at, kind.values, strict=True)) for kind in bars.kinds}
    assert stacked == {"accepted draft": {1: 1, 2: 2}, "correction": {1: 1}, "bonus": {2: 1}}
    assert bars.kinds[1].said == ["round 1: 1 correction; 2 drafted, 2 tested"]


def test_plain_decoding_has_plain_bars_only():
    bars = accepted_per_round_bars(accepted_per_round(autoregressive_trace()))
    assert [kind.name for kind in bars.kinds] == ["plain"]
