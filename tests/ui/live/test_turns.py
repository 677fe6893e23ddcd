"""Who comes when, how long that takes, and that nothing which was lost on the way is waited for."""

from types import SimpleNamespace

import pytest

from playground.ui.live import turns
from playground.ui.live.device import device
from playground.ui.page.progress import queue_message, waiting

RACE = "race in the Compare tab"


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """Stand still until it is set."""
    clock = SimpleNamespace(now=1000.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(turns, "time", clock)
    return clock


def begin(session, what=turns.RUN):
    turn = turns.next_turn(session, what)
    turns.begin(turn)
    return turn


def test_the_wait_is_what_is_left_of_the_run_that_goes_on_and_all_of_those_before(clock):
    for session, seconds in (("a", 10.0), ("b", 4.0), ("c", 6.0)):
        turns.ask(session, expected_s=lambda seconds=seconds: seconds)
    begin("a")
    clock.now += 7.0
    assert turns.wait_s("b") == pytest.approx(3.0) and turns.wait_s("c") == pytest.approx(7.0)
    assert turns.ahead("c") == 2 and turns.wait_s("a") is None
    clock.now += 20.0
    assert turns.wait_s("c") == pytest.approx(4.0), "a run that takes longer than expected is about to end"


def test_a_race_takes_one_part_between_two_runs(monkeypatch):
    monkeypatch.setattr(device, "part_s", 2.0)
    turns.ask("race", RACE)
    begin("race", RACE)
    for session in "ab":
        turns.ask(session, expected_s=lambda: 5.0)
    assert (turns.wait_s("a"), turns.wait_s("b")) == (2.0, 9.0)
    assert turns.ahead("a") == 0, "a race is not waited for"
    turns.ask("other", RACE)
    assert turns.ahead("other") == 1 and turns.wait_s("other") is None


def test_before_anything_was_measured_no_time_is_told():
    turns.ask("a")
    turns.ask("b")
    assert turns.wait_s("b") is None
    assert waiting(1, None)["text"] == "Waiting: 1 run on other pages comes first."
    assert waiting(2, 41.0)["text"] == "Waiting: 2 runs on other pages come first. About 40 s."


def test_a_turn_that_was_lost_on_the_way_is_not_counted_for_ever(clock):
    """Its event was refused, or a program asked and never came: later ones pass it, and then it is nobody's wait."""
    for session in ("lost", "first", "second"):
        turns.ask(session, expected_s=lambda: 5.0)
    begin("first")
    assert turns.ahead("second") == 2
    clock.now += turns.LOST_S
    assert turns.ahead("second") == 1 and turns.wait_s("second") == 0.0
    begin("lost")
    assert turns.ahead("second") == 2, "it came after all"


def test_one_that_never_comes_is_forgotten_after_an_hour(clock):
    for session in ("first", "lost"):
        turns.ask(session)
    turns.ask("long", "race")
    turns.ask("second")
    begin("second")
    for seconds, kept in ((1.0, True), (turns.KEPT_S, False)):
        clock.now += seconds
        turns.ask(f"after {seconds}")
        assert ("lost" in turns._turns) == kept
    assert "second" in turns._turns, "it is going on"
    assert "long" in turns._turns, "nothing of its kind has passed it"


def test_a_page_that_was_closed_leaves_nothing_behind():
    turns.ask("page")
    turns.leave("page")
    assert not turns._turns
    turns.ask("page")
    turn = begin("page")
    turns.leave("page")
    assert turn.stop.is_set() and turns.num_going_on() == 1, "it is ending"


def test_a_run_is_measured_from_the_end_of_the_one_before_it(clock):
    turns.ask("a")
    turns.ask("b")
    turn = begin("a")
    clock.now += 3.0
    turns.forget("a", turn)
    clock.now += 0.5  # handed over
    turn = begin("b")
    clock.now += 2.0
    assert turn.taken_s == pytest.approx(2.5)
    turns.forget("b", turn)
    clock.now += 60.0
    turns.ask("c")
    turn = begin("c")
    assert turn.taken_s == 0.0, "it did not wait"


def test_a_page_that_waits_asks_for_its_place_and_one_that_runs_does_not():
    request = SimpleNamespace(session_hash="page")
    turns.ask("page")
    message, clock = queue_message(request)
    assert message["text"] == "Waiting for its turn ..." and clock.active
    begin("page")
    assert not queue_message(request)[1].active
