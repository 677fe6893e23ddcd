"""A recorded opening is of a quiet sitting: disturbed turns are made again, or nothing is recorded."""

from types import SimpleNamespace

import pytest

from playground.errors import PlaygroundError
from tests import opening
from tests.opening import REPEATS, alike, undisturbed


def test_a_turn_is_alike_where_no_run_takes_a_third_longer_than_the_quickest_of_its_length():
    times = [{0: 1.0, 2: 0.5}, {0: 1.3, 2: 0.6}, {0: 1.4, 2: 0.5}, {0: 1.0, 2: 2.3}]
    assert alike(times) == [0, 1]
    assert alike([*times, {0: 0.7, 2: 0.5}]) == [4], "the quickest may come last"


@pytest.mark.parametrize(("disturbed", "made"), [((), REPEATS), ((0, 4), REPEATS + 2)])
def test_a_disturbed_turn_is_made_again(monkeypatch, disturbed, made):
    monkeypatch.setattr(opening, "seconds_a_token", lambda trace: trace.seconds)
    turns = iter(range(100))

    def make_turn():
        number = next(turns)
        return {0: SimpleNamespace(seconds=1.0), 3: SimpleNamespace(seconds=4.5 if number in disturbed else 1.0)}

    assert len(undisturbed(make_turn)) == REPEATS and next(turns) == made


def test_a_recording_on_a_busy_machine_refuses_itself(monkeypatch):
    monkeypatch.setattr(opening, "seconds_a_token", lambda trace: trace.seconds)
    turns = iter(range(1000))

    def make_turn():
        seconds = 2.0 if next(turns) % 4 else 1.0
        return {0: SimpleNamespace(seconds=seconds), 1: SimpleNamespace(seconds=1.0)}

    with pytest.raises(PlaygroundError, match=r"Of 27 turns only 7 .* Stop what else runs"):
        undisturbed(make_turn)
