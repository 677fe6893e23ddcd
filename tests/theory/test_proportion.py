import pytest

from playground.theory.proportion import wilson_interval


def test_without_a_trial_there_is_no_interval():
    assert wilson_interval(0, 0) is None


def test_the_interval_gives_a_textbook_value():
    assert wilson_interval(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)


@pytest.mark.parametrize(("successes", "trials"), [(0, 3), (3, 3), (0, 1000), (500, 1000)])
def test_the_interval_stays_between_0_and_1_around_the_counted_share(successes, trials):
    low, high = wilson_interval(successes, trials)
    assert 0 <= low <= successes / trials <= high <= 1
    assert high > low
