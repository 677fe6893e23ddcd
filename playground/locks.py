"""File locks between processes, on every system."""

import sys
from typing import IO, Any


def lock_file(file: IO[Any]) -> None:
    """Lock an open file until it is closed, or its process ends.

    Raises:
        OSError: if another process holds the lock.
    """
    if sys.platform == "win32":
        import msvcrt

        # Windows denies others to read locked bytes, and the process id at the file's beginning is to be readable
        file.seek(1 << 20)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
