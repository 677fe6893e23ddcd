"""The server is told to end: no run is waited for that does not end, and none begins.

That a visitor gets what there is of a run, and the process is gone, is tested where an app is started and left:
tests/browser/test_proxy.py.
"""

import signal
import subprocess
import sys
import time

import psutil
import pytest

from playground.errors import PlaygroundError
from playground.ui.live import turns
from playground.ui.served import ending


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_ctrl_c_is_heard_as_the_systems_signal_is_and_whoever_asks_twice_is_not_held_up(told, monkeypatch):
    """In this process, where nothing runs: the end is reached, and by then either signal has its own effect again."""
    heard = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    left, reached = [], []
    monkeypatch.setattr(ending.time, "sleep", lambda _: signal.raise_signal(told))
    monkeypatch.setattr(ending, "end_all", lambda: reached.append(signal.getsignal(told)))
    monkeypatch.setattr(ending, "end_children", lambda: reached.append("children"))
    monkeypatch.setattr(ending, "delete_all", lambda: reached.append("files"))
    monkeypatch.setattr(ending.os, "_exit", left.append)
    try:
        ending.serve_until_told()
    finally:
        for each, handler in heard.items():
            signal.signal(each, handler)
    assert left == [0] and reached == [signal.SIG_DFL, "children", "files"]


def test_what_the_server_has_started_ends_with_it(monkeypatch):
    """Pip in the middle of an installation, a download, a child: here one process, and what that has started."""
    program = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'print(1, flush=True); input()'])"
    process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout and process.stdout.readline() == b"1\n"
    started = psutil.Process(process.pid)
    family = [started, *started.children()]
    monkeypatch.setattr(psutil.Process, "children", lambda *_, **__: family)
    ending.end_children()
    assert len(family) == 2 and not psutil.wait_procs(family, timeout=60)[1]


def test_nothing_is_lined_up_once_the_end_is_near():
    turns.ask("page")
    turn = turns.next_turn("page")
    ending.end_all()
    assert turn.stop.is_set()
    turns.forget("page", turn)
    with pytest.raises(PlaygroundError, match="The server is ending"):
        turns.ask("page")


def test_a_run_that_does_not_end_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(ending, "ROUND_S", 0.2)
    turns.ask("page")
    with turns.current("page") as turn:
        turns.begin(turn)
        began = time.monotonic()
        ending.end_all()
        assert 0.2 <= time.monotonic() - began < 5
