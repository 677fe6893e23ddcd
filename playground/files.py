"""Atomic writes of files and folders, and strict reading of JSON.

An interrupted or failed write leaves the previous file in place. JSON of unknown origin is refused
where it could not be written again; the error's text is the end of a sentence that begins with the file's name.
"""

import contextlib
import gzip
import io
import json
import math
import os
import secrets
import shutil
import stat
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, NoReturn

from playground.errors import PlaygroundError

MAX_DIGITS = 20  # The largest seed has 20.
MAX_UNPACKED = 400_000_000  # bytes of a JSON file under gzip: a shop of a million products has fewer
_GZIP = b"\x1f\x8b"
Content = bytes | str | Callable[[IO[bytes]], Any]  # bytes, text, or a function that writes to the file


class CannotWriteError(PlaygroundError):
    """A file or folder cannot be written: the disk is full, or access is denied.

    Attributes:
        reason: the operating system's message.
    """

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


def cannot_write(path: Path, error: Exception) -> CannotWriteError:
    """Error that names a file or folder and the reason why it cannot be written."""
    reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
    return CannotWriteError(f"{path} cannot be written: {reason}. Make room or choose another folder.", reason)


def write_file(path: Path, content: Content) -> None:
    """Write a file whole or not at all: a temporary file is synced and takes its name.

    A link stays, and the file that it leads to is replaced; that one's mode stays and, where the system allows it, its
    owner. A device or a pipe is written into.

    Args:
        path: the file; its folder is created when missing.
        content: its bytes, its text, or a function that writes to the open file.

    Raises:
        CannotWriteError: if it cannot be written; the file that was there before is untouched.
    """
    temporary = None
    try:
        before = path.stat() if path.exists() else None
        if before and not (stat.S_ISREG(before.st_mode) and os.access(path, os.W_OK)):
            with path.open("wb") as file:
                _fill(file, content)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        target = path.resolve()
        temporary = target.with_name(f".{target.name}-{secrets.token_hex(4)}.part")
        with temporary.open("xb") as file:
            _fill(file, content)
            file.flush()
            os.fsync(file.fileno())
        if before:
            _pass_on(before, temporary)
        os.replace(temporary, target)
        _sync_folder(target.parent)
    except (OSError, RuntimeError) as error:  # torch.save reports a full disk as a RuntimeError
        raise cannot_write(path, error) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def export_file(path: Path, content: Content) -> None:
    """Write a file that a person has named: a missing folder is a mistake in its name rather than a wish for one.

    Raises:
        CannotWriteError: as `write_file`, and if the folder is missing.
    """
    if not path.parent.is_dir():
        raise CannotWriteError(
            f"{path} cannot be written: the folder {path.parent} does not exist. Choose another.", "no such folder"
        )
    write_file(path, content)


def _fill(file: IO[bytes], content: Content) -> None:
    if callable(content):
        content(file)
    else:
        file.write(content if isinstance(content, bytes) else content.encode("utf-8", "replace"))


def _pass_on(before: os.stat_result, file: Path) -> None:
    """Give a file the owner and the mode of the one that it replaces."""
    with contextlib.suppress(OSError, AttributeError):  # only root may give files away, and Windows has no owners
        os.chown(file, before.st_uid, before.st_gid)
    file.chmod(stat.S_IMODE(before.st_mode))


def remove_unfinished(folder: Path) -> None:
    """Remove temporary files of a `write_file` that was killed. Nothing else may be writing to the folder."""
    for file in folder.glob(".*.part"):
        file.unlink()


def bytes_below(folder: Path) -> int:
    """Return the bytes of all files below a folder whose files come and go."""
    total = 0
    for file in folder.rglob("*"):
        with contextlib.suppress(OSError):
            total += file.stat().st_size
    return total


@contextlib.contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Open an empty folder to fill in the block; it replaces `path` at the end of the block, unless there is an error.

    A link stays, and the folder that it leads to is replaced.

    Raises:
        CannotWriteError: if it cannot be written; the folder that was there before is untouched.
    """
    path = Path(os.path.realpath(path))
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
    """Value of a JSON file, gzipped or not.

    Raises:
        OSError: if the file cannot be read.
        ValueError: as `parse_json`, and if the gzip stream is damaged, or unpacks to more than `MAX_UNPACKED` bytes.
    """
    content = path.read_bytes()
    if path.suffix == ".gz" or is_packed(content):
        content, is_whole = unpack(content, MAX_UNPACKED)
        if not is_whole:
            raise ValueError("is damaged or cut off: gzip cannot unpack it.")
        if len(content) > MAX_UNPACKED:
            raise ValueError(f"unpacks to more than {MAX_UNPACKED:,} bytes.")
    return parse_json(content)


def is_packed(content: bytes) -> bool:
    """Return whether the content begins as gzip's does."""
    return content.startswith(_GZIP)


def unpack(content: bytes, most: int) -> tuple[bytes, bool]:
    """Unpack what gzip packed, no further than one byte beyond the limit, so that a small file cannot fill the memory.

    Returns:
        The bytes, and whether they were read without a fault; of a file that is damaged or cut off, those before it.
    """
    unpacked = bytearray()
    with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
        try:
            while len(unpacked) <= most and (part := file.read1(1 << 20)):
                unpacked += part
        except (EOFError, OSError, zlib.error):
            return bytes(unpacked[: most + 1]), False
    return bytes(unpacked[: most + 1]), True


def parse_json(content: str | bytes) -> Any:
    """Value of JSON, given as text or as UTF-8.

    Raises:
        ValueError: with the end of a sentence, if the nesting is too deep, a number is NaN, infinite or too large, or a
            key stands twice; json.JSONDecodeError if it is not JSON, UnicodeDecodeError if it is not UTF-8.
    """
    try:
        return json.loads(
            content.decode("utf-8-sig") if isinstance(content, bytes) else content,
            object_pairs_hook=_object,
            parse_constant=refuse_constant,
            parse_float=_finite_float,
            parse_int=parse_int,
        )
    except RecursionError:
        raise ValueError("is nested too deeply.") from None


def parse_line(line: bytes) -> Any:
    """Value of a line of JSON; None where `parse_json` refuses it."""
    try:
        return parse_json(line)
    except ValueError:
        return None


def refuse_constant(word: str) -> NoReturn:
    """Refuse NaN and the infinities, which Python writes and JSON does not have."""
    raise ValueError(f"holds {word}, which is not a number; a missing number is null.")


def parse_int(digits: str) -> int:
    """Integer of at most `MAX_DIGITS` digits, more than any count or seed has."""
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"holds {digits[:40]}, a number of {len(digits):,} digits, too large to be meant.")
    return int(digits)


def _finite_float(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError(f"holds {digits[:40]}, a number too large to be meant.")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) < len(pairs):
        names: set[str] = set()
        duplicate = next(name for name, _ in pairs if name in names or names.add(name))
        raise ValueError(f"has the key {json.dumps(duplicate)[:40]} twice in one object.")
    return value


def _sync_folder(folder: Path) -> None:
    """Sync a folder, so that a renamed file survives a power cut under its new name."""
    if os.name == "nt":  # Windows cannot open a folder
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
