import numpy as np
import pytest

from playground.metrics.interval import bootstrap


def test_the_interval_of_a_mean_is_that_of_its_standard_error():
    """Of 400 draws from a standard normal: 1.96 / 20 to either side, within the noise of 2,000 resamples."""
    values = np.random.default_rng(1).standard_normal(400)
    low, high = bootstrap(lambda picks: values[picks].mean(axis=1), 400)
    width = 1.96 * values.std() / 20
    assert (low, high) == pytest.approx((values.mean() - width, values.mean() + width), abs=0.02)


def test_what_does_not_vary_has_no_width_and_a_seed_repeats():
    assert bootstrap(lambda picks: np.full(len(picks), 2.5), 7) == (2.5, 2.5)
    values = np.arange(9.0)
    assert len({bootstrap(lambda picks: values[picks].mean(axis=1), 9, seed) for seed in (3, 3, 4)}) == 2


def test_the_interval_leaves_one_resample_in_forty_out_on_each_side():
    """95 %, exactly: of the values 0 .. 1999 the quantiles 0.025 and 0.975."""
    assert bootstrap(lambda picks: np.arange(len(picks)), 3) == pytest.approx((49.975, 1949.025))
