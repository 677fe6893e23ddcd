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
    ("ahead", "pace_s"),
    [
        (3, OFTEN_S),  # never more often
        (50, 5 * OFTEN_S),  # each run ahead counts as a tenth of one such time
        (400, 10 * OFTEN_S),  # and never more seldom
    ],
)
def test_a_page_asks_for_its_place_the_more_seldom_the_more_come_first(ahead, pace_s):
    clock = asking(ahead)
    assert clock.active and clock.value == pytest.approx(pace_s)
    assert not asking(None).active
