"""The device, which one run at a time may use: whoever decodes holds this."""

from __future__ import annotations

import threading

device = threading.Lock()
sampling = threading.Lock()  # held beside it by a bench that has the device for a moment: no run is timed then


def a_run_is_timed() -> bool:
    """Whether somebody's run has the device, and so nothing else should take the processor from it."""
    return device.locked() and not sampling.locked()
