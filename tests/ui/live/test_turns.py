"""Who comes when, and that nothing which was lost on the way is waited for."""

from types import SimpleNamespace

import pytest

from playground.errors import PlaygroundError
from playground.ui.live import turns
from playground.ui.live.turns import WaitingEvent
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


@pytest.fixture
def line(monkeypatch):
    """The sessions whose events are in the queue, in its order."""
    line: list[str] = []
    monkeypatch.setattr(turns, "waiting_events", lambda: [WaitingEvent(each, is_run=True) for each in line])
    return line


def places(*sessions):
    return [turns.ahead(session) for session in sessions]


def test_the_place_is_that_in_the_queue_behind_the_run_that_goes_on(line):
    """Events come to the queue in another order than they were asked for in, and some not at once."""
    for session in "abcd":
        turns.ask(session)
    begin("a")
    assert places(*"abcd") == [None, 1, 2, 3], "on its way to the queue, behind those that were asked for before"
    line[:] = ["c", "b"]
    assert places(*"bcd") == [2, 1, 3]
    turns.ask("race", RACE)
    begin("race", RACE)
    assert places(*"bcd") == [2, 1, 3], "a race is not waited for"
    turns.ask("other", RACE)
    assert places("other") == [1]


def test_whoever_asks_again_while_the_run_waits_keeps_the_place(line):
    for session in "abc":
        turns.ask(session)
    begin("a")
    line[:] = ["b", "c"]
    turns.ask("b")
    line.append("b")
    assert places(*"bc") == [1, 2], "its second event is no other run, and nobody waits for it twice"
    begin("b")
    with pytest.raises(PlaygroundError, match=r"Another request of this page is going on\. Press Stop"):
        turns.ask("b")


def test_whoever_stops_and_asks_again_has_the_place_of_the_event_that_is_there(line):
    for session in "abc":
        turns.ask(session)
    begin("a")
    line[:] = ["b", "c"]
    turns.stop("b")
    assert places("c") == [1]
    turns.ask("b")
    line.append("b")
    assert places(*"bc") == [1, 2]


def test_the_place_is_said_in_runs():
    assert [waiting(ahead)["text"] for ahead in (0, 1, 2)] == [
        "Waiting for its turn ...",
        "Waiting: 1 run on other pages comes first.",
        "Waiting: 2 runs on other pages come first.",
    ]


def test_a_turn_that_was_lost_on_the_way_is_not_counted_for_ever(clock):
    """Its event was refused, or a program asked and never came: later ones pass it, and then it is nobody's wait."""
    for session in ("lost", "first", "second"):
        turns.ask(session)
    begin("first")
    assert turns.ahead("second") == 2
    clock.now += turns.LOST_S
    assert turns.ahead("second") == 1
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


def test_a_page_that_waits_asks_for_its_place_and_one_that_runs_does_not():
    request = SimpleNamespace(session_hash="page")
    turns.ask("page")
    message, clock = queue_message(request)
    assert message["text"] == "Waiting for its turn ..." and clock.active
    begin("page")
    assert not queue_message(request)[1].active
