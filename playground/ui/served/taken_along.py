"""Files that clients download and upload: for an hour, up to a number of bytes over all clients.

All lie in one folder of this process, Gradio's copies too, and go with it. Above the limit the oldest go first: what is
uploaded is read at once, and what is taken along is fetched at once.
"""

import atexit
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, NamedTuple

from playground.locks import lock_file

KEPT_S = 3600  # Gradio keeps its copy as long.
MOST_BYTES, MOST_FILES = 500_000_000, 5_000
GRADIO = "GRADIO_TEMP_DIR"  # Gradio puts uploads and copies there, if it is set.
PREFIX, LOCK = "playground-files-", "lock"
BLOCK_BYTES = 4096  # A folder takes one, or a file without any content.
STARTING_S = 60.0  # A folder may have a lock that is not held yet for so long.

_looking = threading.Lock()
_locks: list[IO[str]] = []  # held as long as they are open


class Entry(NamedTuple):
    """A file, or an empty folder."""

    changed_at: float
    num_bytes: int
    path: Path


def folder_to_take() -> Path:
    """Return an empty folder for a file that a client downloads."""
    make_room()
    folder().mkdir(exist_ok=True)  # A program that tidies up a system's temporary files may have taken it.
    return Path(tempfile.mkdtemp(dir=folder()))


def give_to_gradio() -> None:
    """From now on Gradio's files lie in the folder too. Called before a component is made: each remembers where."""
    os.environ[GRADIO] = str(folder() / "gradio")


def make_room() -> None:
    """Delete files that are an hour old, and the oldest of those that are too many or too large together."""
    num_bytes = 0
    with _looking:
        for number, entry in enumerate(sorted(_entries(), reverse=True), 1):
            num_bytes += entry.num_bytes
            if number > MOST_FILES or num_bytes > MOST_BYTES or entry.changed_at < time.time() - KEPT_S:
                _delete(entry.path)


@cache
def folder() -> Path:
    """Return the folder of this process; those of processes that were killed go now."""
    above = Path(os.environ.get(GRADIO) or tempfile.gettempdir())
    above.mkdir(parents=True, exist_ok=True)
    for other in above.glob(f"{PREFIX}*"):
        _delete_if_left(other)
    own = Path(tempfile.mkdtemp(prefix=PREFIX, dir=above))
    _locks.append((own / LOCK).open("w"))
    lock_file(_locks[-1])
    atexit.register(delete_all)
    return own


def delete_all() -> None:
    """Delete the folder when the process ends."""
    shutil.rmtree(folder(), ignore_errors=True)


def _entries() -> Iterator[Entry]:
    for name, folders, files in os.walk(folder()):
        is_empty = not folders and not files
        for path in [Path(name)] if is_empty else [Path(name, file) for file in files if file != LOCK]:
            with suppress(OSError):  # it has gone meanwhile
                status = path.lstat()
                size = getattr(status, "st_blocks", 0) * 512 or status.st_size
                yield Entry(status.st_ctime, size + BLOCK_BYTES, path)


def _delete(path: Path) -> None:
    """Delete a file, and its folder with the last one."""
    with suppress(OSError):
        if path.is_dir():
            path.rmdir()
        else:
            path.unlink()
            path.parent.rmdir()


def _delete_if_left(other: Path) -> None:
    with suppress(OSError), (other / LOCK).open("r+") as lock:
        if time.time() - os.fstat(lock.fileno()).st_mtime > STARTING_S:
            lock_file(lock)  # fails while its process is there
            shutil.rmtree(other, ignore_errors=True)
