"""Memory that nobody uses any more goes back to the system.

What Python frees the C library of Linux keeps for later, in a heap for almost every thread: a night of
large files and models stays with a process that needs none of it.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable
from contextlib import suppress
from functools import cache

from playground.ui.live.device import device


def give_back() -> None:
    """Look for garbage, and have the C library hand over what it keeps; in a moment in which no run is timed."""
    with device:
        gc.collect()
        _trim()(0)


@cache
def _trim() -> Callable[[int], int]:
    """`malloc_trim` of glibc; elsewhere nothing."""
    with suppress(AttributeError, OSError, TypeError):
        return ctypes.CDLL(None).malloc_trim
    return lambda _: 0
