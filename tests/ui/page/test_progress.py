"""How long something takes, in words and as the pace of a clock: rounded, and within its bounds."""

import pytest

from playground.ui.page.progress import OFTEN_S, about, asking


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.2, "About 1 s."),
        (1.6, "About 2 s."),
        (9.9, "About 10 s."),
        (12.4, "About 10 s."),
        (87.4, "About 85 s."),
        (89.9, "About 90 s."),
        (90, "About 2 minutes."),
        (210, "About 4 minutes."),
    ],
)
def test_a_guess_is_rounded_as_one(seconds, said):
    assert about(seconds) == said


@pytest.mark.parametrize(
    ("ahead", "seconds", "pace_s"),
    [
        (3, 5 * OFTEN_S, OFTEN_S),  # never more often
        (3, 40 * OFTEN_S, 4 * OFTEN_S),  # ten times while it waits
        (3, 400 * OFTEN_S, 10 * OFTEN_S),  # and never more seldom
        (50, None, 5 * OFTEN_S),  # each run ahead counts as one such time
    ],
)
def test_a_page_asks_for_its_place_ten_times_while_it_waits(ahead, seconds, pace_s):
    clock = asking(ahead, seconds)
    assert clock.active and clock.value == pytest.approx(pace_s)
    assert not asking(None).active
