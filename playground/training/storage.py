"""Files that are either whole or not there: what an interrupted or failed write leaves behind is the old file."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from playground.errors import PlaygroundError
from playground.locks import lock_file


def write_file(path: Path, write: Callable[[IO[bytes]], Any]) -> None:
    """Write a file beside its place, force it to the disk, and only then put it there.

    Args:
        path: its folder is made when missing.
        write: called with the open file.

    Raises:
        PlaygroundError: if it cannot be written; the file that was there before is untouched.
    """
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}-", delete=False) as file:
            temporary = Path(file.name)
            write(file)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o644)
        os.replace(temporary, path)
        _force_folder(path.parent)
    except (OSError, RuntimeError) as error:  # torch.save reports a full disk as a RuntimeError
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise PlaygroundError(f"{path} cannot be written: {reason}. Make room or choose another folder.") from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


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
        _drop_unfinished(folder)
        yield


def _drop_unfinished(folder: Path) -> None:
    """Remove what a kill in the middle of `write_file` left behind: nobody else writes in a folder that is held."""
    for file in folder.glob(".*-*"):
        file.unlink()


def _force_folder(folder: Path) -> None:
    """The new name itself reaches the disk too."""
    if os.name == "nt":  # there a folder cannot be opened
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
