"""The seconds of a run of the tests, by part."""

from tests.parts import CLOCK, COMPUTED


def test_the_seconds_of_this_very_process_are_counted():
    before = CLOCK.cpu_s[COMPUTED]
    sum(range(2_000_000))
    CLOCK.look(COMPUTED, is_tree=False)
    assert CLOCK.cpu_s[COMPUTED] > before
