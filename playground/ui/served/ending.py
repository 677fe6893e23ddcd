"""Ctrl-C, or a supervisor that ends the server: what is going on ends first, and its clients get what there is."""

import os
import signal
import sys
import time
from contextlib import suppress
from typing import Any

import psutil

from playground.ui.live import turns
from playground.ui.served.taken_along import delete_all

ROUND_S = 0.9  # for the round in flight, and for its pages to be told; all in all the end comes within two seconds
TOLD_S = 0.1
AGAIN_S = 0.02
FOREVER_S = 3600.0


class _EndRequest(BaseException):
    """The end was asked for."""


def serve_until_told() -> None:
    """Wait for SIGINT or SIGTERM, end every run as its Stop button would, and end the process.

    Rows of a sweep are on the disk by then, and Resume makes the rest. Called by the main thread.
    """
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, _end)
    with suppress(_EndRequest):
        while True:
            time.sleep(FOREVER_S)
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_DFL)  # a second signal ends it at once
    end_all()
    end_children()
    delete_all()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # neither an open page nor a simulation in the Lab's process is waited for


def _end(*_: Any) -> None:
    raise _EndRequest


def end_children() -> None:
    """End all that this process has started, such as pip or a download, which would go on without it."""
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            child.terminate()


def end_all() -> None:
    """Stop all runs, and wait a little until they have ended and said so."""
    deadline = time.monotonic() + ROUND_S
    turns.close()
    while turns.num_going_on() and time.monotonic() < deadline:
        time.sleep(AGAIN_S)
    time.sleep(TOLD_S)
