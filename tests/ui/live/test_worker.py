"""The process apart: it works, hands its exceptions over, and is replaced when it was killed."""

import os
import signal
import time
from concurrent.futures.process import BrokenProcessPool

import pytest

from playground.ui.live.worker import apart, submit, warm_up

PATIENCE_S = 60.0


def test_work_is_done_elsewhere_and_its_exceptions_arrive():
    assert apart(os.getpid) == apart(os.getpid) != os.getpid()
    with pytest.raises(ValueError, match="invalid literal"):
        apart(int, "a")


def test_a_process_that_was_killed_is_replaced():
    before = apart(os.getpid)
    waiting = submit(time.sleep, PATIENCE_S)
    os.kill(before, signal.SIGKILL)
    with pytest.raises(BrokenProcessPool):
        waiting.result(PATIENCE_S / 2)
    warm_up()
    assert apart(os.getpid) != before
