"""Files and folders that are written whole or not at all, and JSON that is read with care.

What an interrupted or failed write leaves behind is what was there before. JSON of unknown origin holds nothing that
could not be written again, and whatever is wrong with it is the rest of a sentence about it.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import math
import os
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, NoReturn

from playground.errors import PlaygroundError

MAX_DIGITS = 20  # of a whole number; the largest seed has 20
_GZIP = b"\x1f\x8b"


class CannotWriteError(PlaygroundError):
    """The disk is full, or may not be written.

    Attributes:
        reason: in the system's words.
    """

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


def cannot_write(path: Path, error: Exception) -> CannotWriteError:
    """The refusal that names a file or folder and why it cannot be written."""
    reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
    return CannotWriteError(f"{path} cannot be written: {reason}. Make room or choose another folder.", reason)


def write_file(path: Path, write: Callable[[IO[bytes]], Any]) -> None:
    """Write a file beside its place, force it to the disk, and only then put it there.

    Args:
        path: its folder is made when missing.
        write: called with the open file.

    Raises:
        CannotWriteError: if it cannot be written; the file that was there before is untouched.
    """
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            dir=path.parent, prefix=f".{path.name}-", suffix=".part", delete=False
        ) as file:
            temporary = Path(file.name)
            write(file)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o644)  # a temporary file is readable by its owner only
        os.replace(temporary, path)
        _force_folder(path.parent)
    except (OSError, RuntimeError) as error:  # torch.save reports a full disk as a RuntimeError
        raise cannot_write(path, error) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def remove_unfinished(folder: Path) -> None:
    """Remove what a kill in the middle of `write_file` left behind, where nobody else writes."""
    for file in folder.glob(".*.part"):
        file.unlink()


@contextlib.contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """An empty folder, to be filled in the block, which takes the place of `path` at its end unless there is an error.

    Raises:
        CannotWriteError: if it cannot be written; the folder that was there before is untouched.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}-") as temporary:
            folder = Path(temporary) / path.name
            folder.mkdir()
            yield folder
            if path.exists():
                shutil.rmtree(path)
            folder.rename(path)
    except OSError as error:
        raise cannot_write(path, error) from error


def read_json(path: Path) -> Any:
    """The value in a file of JSON, gzipped or not.

    Raises:
        OSError: if it cannot be read.
        ValueError: as `parse_json`, and if it was gzipped and is damaged.
    """
    content = path.read_bytes()
    if path.suffix == ".gz" or content.startswith(_GZIP):
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error):
            raise ValueError("is damaged or cut off: gzip cannot unpack it.") from None
    return parse_json(content)


def parse_json(content: str | bytes) -> Any:
    """The value that JSON says, text or UTF-8.

    Raises:
        ValueError: the rest of a sentence, if it is nested too deeply, or holds what is not a number, a number too
            large to be meant, or a key twice; json.JSONDecodeError if it is not JSON, UnicodeDecodeError if not text.
    """
    try:
        return json.loads(
            content.decode("utf-8-sig") if isinstance(content, bytes) else content,
            object_pairs_hook=_object,
            parse_constant=refuse_constant,
            parse_float=_finite_float,
            parse_int=short_int,
        )
    except RecursionError:
        raise ValueError("is nested too deeply.") from None


def parse_line(line: bytes) -> Any:
    """What a line of JSON says; None where it says nothing that `parse_json` takes."""
    try:
        return parse_json(line)
    except ValueError:
        return None


def refuse_constant(word: str) -> NoReturn:
    """Refuse NaN and the infinities, which Python writes and JSON has no word for."""
    raise ValueError(f"holds {word}, which is not a number; a missing number is null.")


def short_int(digits: str) -> int:
    """A whole number, unless it has more digits than anything that is counted or drawn by."""
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"holds {digits[:40]}, a number of {len(digits):,} digits, too large to be meant.")
    return int(digits)


def _finite_float(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError(f"holds {digits[:40]}, a number too large to be meant.")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    whole = dict(pairs)
    if len(whole) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))
        raise ValueError(f"has the key {json.dumps(twice)[:40]} twice in one object.")
    return whole


def _force_folder(folder: Path) -> None:
    """The new name itself reaches the disk too."""
    if os.name == "nt":  # there a folder cannot be opened
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
