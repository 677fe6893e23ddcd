"""A piece of work in a process of its own that is killed without warning."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable


def ended(work: Callable[[], object], seconds: float) -> bool:
    """Do it in a process that is killed after so long; whether it had ended by then.

    The process is a fork, so that none of its time goes into imports: no threads may have begun before.
    """
    child = os.fork()
    if not child:
        work()
        os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    assert os.WIFSIGNALED(status) or os.waitstatus_to_exitcode(status) == 0, f"the work failed: {status}"
    return not os.WIFSIGNALED(status)
