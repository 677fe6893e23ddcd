import pytest

from playground.metrics.speed import speed
from playground.trace.events import Trace
from tests.metrics.traces import empty_trace, interrupted_trace
from tests.trace.example import speculative_trace


def test_the_empty_trace_has_a_prefill_and_no_speed():
    assert (speed(empty_trace()).prefill_s, speed(empty_trace()).seconds) == (0.005, 0.0)
    assert speed(empty_trace()).tokens_per_s is None
    assert speed(Trace(())).prefill_s is None


def test_tokens_per_second_leaves_prefill_out():
    assert speed(speculative_trace()).tokens_per_s == pytest.approx(5 / 0.031)


def test_an_interrupted_run_is_timed_up_to_its_last_complete_round():
    assert speed(interrupted_trace()).tokens_per_s == pytest.approx(2 / 0.015)
