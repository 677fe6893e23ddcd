"""A folder that one process alone writes into."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from playground.errors import PlaygroundError
from playground.files import remove_unfinished
from playground.locks import lock_file


@contextlib.contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Hold a folder, so that no two processes train the same run; the file `pid` says who holds it.

    Raises:
        PlaygroundError: if another process holds it, or it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / "pid").open("a+", encoding="utf-8")
    except OSError as error:
        raise PlaygroundError(f"{folder} cannot be written: {error.strerror}. Choose another folder.") from None
    with file:
        try:
            lock_file(file)
        except OSError:
            file.seek(0)
            raise PlaygroundError(
                f"Process {file.read().strip()} is at work in {folder}. Stop it first, or choose another name."
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        remove_unfinished(folder)
        yield
