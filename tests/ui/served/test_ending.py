"""The server is told to end while somebody's run goes on: the visitor gets what there is, and the process is gone."""

import json
import signal
import time

import pytest

from playground.errors import PlaygroundError
from playground.ui.live import turns
from playground.ui.served import ending
from tests.browser.app_fixture import started_app
from tests.visitors import Visitor, ended_well, page_at

LONG_RUN = {"New tokens (at most)": 900, "Temperature": 2, "method": "speculative_sampling"}
ROUNDS = 3
END_S = 10.0  # two seconds on an idle machine; the run that is ended would take most of a minute


@pytest.mark.slow
def test_a_signal_ends_the_run_its_visitor_has_what_was_recorded_and_the_process_ends():
    with started_app() as (address, process), Visitor(page_at(address), "visitor") as visitor:
        assert ended_well(visitor.ask(**LONG_RUN))
        answers, sent_at = [], 0.0
        for answer in visitor.run():
            answers.append(answer)
            if not sent_at and sum("process_generating" in each["msg"] for each in answers) > ROUNDS:
                process.send_signal(signal.SIGTERM)
                sent_at = time.monotonic()
            if answer["msg"] == "process_completed":
                break
        assert process.wait(END_S) == 0 and time.monotonic() - sent_at < END_S
    assert ended_well(answers)
    said = json.dumps(answers)
    assert "Stopped: " in said and said.count('\\"event\\":\\"committed\\"') >= ROUNDS


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_ctrl_c_is_heard_as_the_systems_signal_is_and_whoever_asks_twice_is_not_held_up(told, monkeypatch):
    """In this process, where nothing runs: the end is reached, and by then either signal has its own effect again."""
    heard = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    left, reached = [], []
    monkeypatch.setattr(ending.time, "sleep", lambda _: signal.raise_signal(told))
    monkeypatch.setattr(ending, "end_all", lambda: reached.append(signal.getsignal(told)))
    monkeypatch.setattr(ending, "delete_all", lambda: reached.append("files"))
    monkeypatch.setattr(ending.os, "_exit", left.append)
    try:
        ending.serve_until_told()
    finally:
        for each, handler in heard.items():
            signal.signal(each, handler)
    assert left == [0] and reached == [signal.SIG_DFL, "files"]


@pytest.fixture
def reopened():
    yield
    turns._closed.clear()


def test_nothing_is_lined_up_once_the_end_is_near(reopened):
    turns.ask("page")
    turn = turns.next_turn("page")
    ending.end_all()
    assert turn.stop.is_set()
    turns.forget("page", turn)
    with pytest.raises(PlaygroundError, match="The server is ending"):
        turns.ask("page")


def test_a_run_that_does_not_end_is_not_waited_for(reopened):
    turns.ask("page")
    with turns.current("page") as turn:
        turns.begin(turn)
        began = time.monotonic()
        ending.end_all()
        assert ending.ROUND_S <= time.monotonic() - began < ending.ROUND_S + 5
