"""The moving picture of README.md can be taken of the page as it is now."""

from itertools import islice

from tests.browser.app_fixture import state
from tests.browser.moving_picture import WIDTH, merged, taken


def test_its_first_second_shows_a_tree_that_grows(visit_watch):
    own = visit_watch(device_scale_factor=1, reduced_motion="no-preference")  # its own browser: its clock is stopped
    frames, drafted = [], []
    for frame in islice(taken(own), 12):
        frames.append(frame)
        drafted.append(state(own)["totals"]["drafted"])
    assert {frame.width for frame in frames} == {WIDTH} and len({frame.height for frame in frames}) == 1
    kept, durations = merged(iter(frames))
    assert 4 < len(kept) <= len(frames) and min(durations) > 0, durations
    assert drafted == sorted(drafted) and drafted[0] < drafted[-1], drafted
