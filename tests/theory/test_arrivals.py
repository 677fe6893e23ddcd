import numpy as np
import pytest

from playground.theory.arrivals import accepted_and_one, poisson_gaps, serve
from playground.theory.speculation import expected_emitted


def test_three_requests_by_hand():
    """Arrivals at 0, 1 and 1; two tokens each, two places, rounds of 2 s: done at 4, 6 and 8."""
    served = serve([0, 1, 0], num_tokens=2, most_sequences=2, round_s=lambda batch: 2.0, emit=lambda: 1)
    assert served.latencies_s == [4, 5, 7]
    assert served.tokens_per_s == pytest.approx(6 / 8) and served.mean_batch == pytest.approx(6 / 4)
    later = serve([3, 1, 0], num_tokens=2, most_sequences=2, round_s=lambda batch: 2.0, emit=lambda: 1)
    assert later == served, "time before the first arrival is nobody's"


def test_one_request_at_a_time_waits_as_a_queue_with_constant_service_does():
    """Pollaczek-Khinchine at load .5: a mean wait of .5 service times; seeded, its noise is .01 of 20,000 requests."""
    gaps = poisson_gaps(0.5, 20_000, np.random.default_rng(0))
    served = serve(gaps, num_tokens=1, most_sequences=1, round_s=lambda batch: 1.0, emit=lambda: 1)
    assert np.mean(served.latencies_s) == pytest.approx(1.5, abs=0.04)


def test_a_round_writes_on_average_what_the_formula_says():
    emit = accepted_and_one(0.8, 4, np.random.default_rng(0))
    assert np.mean([emit() for _ in range(20_000)]) == pytest.approx(float(expected_emitted(0.8, 4)), abs=0.05)
