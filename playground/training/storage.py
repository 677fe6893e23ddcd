"""Files that are either whole or not there: what an interrupted or failed write leaves behind is the old file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from playground.errors import PlaygroundError


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


def _force_folder(folder: Path) -> None:
    """The new name itself reaches the disk too."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
