"""One process at a time, on every system."""

from __future__ import annotations

import sys
from typing import IO, Any


def lock_file(file: IO[Any]) -> None:
    """Lock an open file until it is closed, or its process ends, however it ends.

    Raises:
        OSError: if another process holds it.
    """
    if sys.platform == "win32":
        import msvcrt

        file.seek(1 << 20)  # bytes that are locked there cannot be read by others, and the holder's number is to be
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
