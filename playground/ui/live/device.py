"""The device, which one run at a time may use: whoever decodes holds this."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

device = threading.Lock()
sampling = threading.Lock()  # held beside it by a bench that has the device for a moment: no run is timed then

Answer = TypeVar("Answer")


def a_run_is_timed() -> bool:
    """Whether somebody's run has the device, and so nothing else should take the processor from it."""
    return device.locked() and not sampling.locked()


def on_device(work: Callable[[], Answer]) -> Answer:
    """Do something with the models while nobody else runs any; an exception in it is raised here."""
    with device, ThreadPoolExecutor(1, thread_name_prefix="measuring") as worker:
        return worker.submit(work).result()
