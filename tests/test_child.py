"""A child is bounded by memory and by processor time; wall time only stops one that waits for ever."""

import itertools
import subprocess
import sys
from types import SimpleNamespace

import pytest

from playground import child
from playground.child import Bounds, BrokenOffError, ask
from playground.errors import StoppedError

ROOM = Bounds(2_000_000_000, 600)


@pytest.fixture
def program(monkeypatch):
    """Another program in the place of the module, which sets no limits for itself, as on Windows and macOS."""
    began, popen = [], subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *given, **how: began.append(popen(*given, **how)) or began[-1])

    def use(text):
        command = [sys.executable, "-c", f"import sys, time; sys.stdin.read(); {text}"]
        monkeypatch.setattr(child, "command", lambda module: command)
        return began

    return use


@pytest.mark.parametrize(
    ("text", "bounds", "words"),
    [
        ("held = b'x' * 300_000_000; time.sleep(600)", Bounds(200_000_000, 600), "took more than 0 GB of memory"),
        ("[None for _ in iter(int, 1)]", Bounds(ROOM.memory_bytes, 0), "took more than 0 s of the processor"),
        ("sys.exit(1)", ROOM, "took more than 2 GB of memory"),
        ("sys.exit(1)", None, "broke off"),
    ],
)
def test_a_child_that_passes_a_bound_is_ended_and_the_bound_is_said(program, text, bounds, words):
    began = program(text)
    with pytest.raises(BrokenOffError, match=words):
        ask("", {}, bounds=bounds)
    assert began[0].returncode is not None


def test_a_child_that_only_waits_is_stopped_and_nothing_is_said_to_be_wrong(program, monkeypatch):
    """Wall time decides about nothing: on a busy machine a harmless request takes as long as it takes."""
    assert child.STOPPED_S >= 30
    monkeypatch.setattr(child, "STOPPED_S", 0.0)
    began = program("time.sleep(600)")
    with pytest.raises(StoppedError, match=r"Stopped: it waited for 0 s\."):
        ask("", {}, bounds=ROOM)
    assert began[0].returncode is not None


def test_a_child_that_works_is_not_stopped_however_long_it_takes(program, monkeypatch):
    """Whoever looks at the clock sees that a hundred seconds have passed, and at the child that it has worked."""
    clock, worked = itertools.count(0.0, 100.0), itertools.count(1.0)
    monkeypatch.setattr(child, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    monkeypatch.setattr(child, "_worked_s", lambda *_: next(worked))
    program("time.sleep(0.3); print(1)")
    assert ask("", {}, bounds=ROOM) == 1 and next(worked) > 2


def test_a_request_that_is_longer_than_a_pipe_arrives_whole(program, monkeypatch):
    """Python's `communicate` writes no more of it after its first look."""
    monkeypatch.setattr(child, "STOPPED_S", 5.0)
    monkeypatch.setattr(child, "LOOK_S", 0.001)
    program("print(1)")
    assert ask("", "x" * 3_000_000, bounds=ROOM) == 1


def test_a_child_ends_once_its_request_is_stopped(program):
    began = program("time.sleep(600)")
    with pytest.raises(StoppedError):
        ask("", {}, stop=lambda: True)
    assert began[0].returncode is not None


def test_processor_time_is_bounded_by_the_child_itself_too(program, monkeypatch):
    """The system ends the child if the parent is too busy to look."""
    monkeypatch.setattr(child, "_worked_s", lambda *_: 0.0)
    program("from playground.child import _bound; _bound(10**9, 1); [None for _ in iter(int, 1)]")
    with pytest.raises(BrokenOffError, match="took more than 1 s of the processor"):
        ask("", {}, bounds=Bounds(10**9, 1))
