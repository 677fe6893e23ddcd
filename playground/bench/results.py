"""A folder of results that survives whatever happens to the process that writes it.

    sweep.json      what is being run, with a fingerprint; written once, before the first run
    rows.jsonl      one finished run per line, appended by one write and forced to disk
    traces/         one trace per run, written whole before its row; so a row's trace is always there
    lock            held by the process that writes

A process that is killed loses the run in flight at most: a line that it had begun is recognised by its missing end and
dropped the next time the folder is opened.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from playground.errors import PlaygroundError
from playground.files import cannot_write, parse_line, read_json, remove_unfinished, write_file
from playground.locks import lock_file
from playground.metrics.comparison import RunRow
from playground.trace import Trace, load, save
from playground.trace.storage import SUFFIX

FORMAT = "speculative-decoding-sweep"
VERSION = 1
MANIFEST, ROWS, TRACES, LOCK = "sweep.json", "rows.jsonl", "traces", "lock"


class InUseError(PlaygroundError):
    """Another process is writing to the folder."""


class RunRows:
    """Rows of runs in memory; their traces are handed over.

    Args:
        rows: those that are there.
        keep: takes the number and the trace of a run.
    """

    def __init__(
        self, rows: Sequence[RunRow] = (), keep: Callable[[int, Trace], None] = lambda run, trace: None
    ) -> None:
        self.rows = list(rows)
        self._keep = keep

    def append(self, row: RunRow) -> None:
        """Add a finished run."""
        self.rows.append(row)

    def save_trace(self, run: int, trace: Trace) -> dict[str, object]:
        """Hand over a run's trace before its row is added; return what the row says of it."""
        self._keep(run, trace)
        return {}


class Results(RunRows):
    """An open folder: the rows that are there, and room for more. Made by `open_results`."""

    def __init__(self, folder: Path, file: BinaryIO, rows: list[RunRow]) -> None:
        super().__init__(rows)
        self.folder = folder
        self._file = file

    def append(self, row: RunRow) -> None:
        """Add a finished run, for good: once this returns, the row is on the disk."""
        line = json.dumps(row, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode() + b"\n"
        end = os.fstat(self._file.fileno()).st_size
        try:
            written = os.write(self._file.fileno(), line)
            if written < len(line):
                raise OSError(28, "No space left on device")
            os.fsync(self._file.fileno())
        except OSError as error:
            os.ftruncate(self._file.fileno(), end)  # half a row is no row
            raise cannot_write(self.folder / ROWS, error) from None
        super().append(row)

    def save_trace(self, run: int, trace: Trace) -> dict[str, object]:
        """Write a run's trace before its row; the row has its path and its size."""
        path = self.folder / TRACES / f"{run:06}{SUFFIX}"
        save(trace, path)
        return {"trace": f"{TRACES}/{path.name}", "trace_bytes": path.stat().st_size}


@contextmanager
def open_results(folder: Path, plan: Mapping[str, Any]) -> Iterator[Results]:
    """Open a folder for writing, new or with earlier results.

    Args:
        folder: made if it is not there.
        plan: everything that decides the runs, as JSON data; a folder with another plan is refused.

    Raises:
        PlaygroundError: if the folder cannot be written, another process writes to it, it holds results of another
            plan, or a row in it is damaged.
    """
    try:
        (folder / TRACES).mkdir(parents=True, exist_ok=True)
        lock = (folder / LOCK).open("a+b")
    except OSError as error:
        raise cannot_write(folder, error) from None
    with lock:
        _hold(lock, folder)
        _agree(folder, plan)
        remove_unfinished(folder / TRACES)
        try:
            file = (folder / ROWS).open("a+b", buffering=0)
        except OSError as error:
            raise cannot_write(folder / ROWS, error) from None
        with file:
            yield Results(folder, file, _whole_rows(folder / ROWS, file))


def read_results(folder: Path) -> tuple[dict[str, object], list[RunRow]]:
    """Return the plan and the rows of a folder, also while another process writes to it.

    Raises:
        PlaygroundError: if it holds no results, or a row is damaged.
    """
    manifest = _manifest(folder)
    if manifest is None:
        raise PlaygroundError(f"{folder} holds no sweep: {MANIFEST} is missing. Choose a folder made by sweep --out.")
    path = folder / ROWS
    content = path.read_bytes() if path.exists() else b""
    return manifest["plan"], _rows_in(path, content[: content.rfind(b"\n") + 1])


def trace_of(folder: Path, row: Mapping[str, Any]) -> Trace:
    """Return the trace of a row, as it was recorded."""
    if not row.get("trace"):
        raise PlaygroundError(f"Run {row.get('run')} was made without a trace. Run the sweep with --traces all.")
    return load(folder / TRACES / Path(row["trace"]).name)


def fingerprint(plan: Mapping[str, Any]) -> str:
    """Digest of a plan, whatever the order of its keys."""
    return hashlib.sha256(json.dumps(plan, sort_keys=True).encode()).hexdigest()[:16]


def make_manifest(plan: Mapping[str, Any]) -> dict[str, object]:
    """Return the content of `sweep.json` for this plan."""
    return {"format": FORMAT, "version": VERSION, "fingerprint": fingerprint(plan), "plan": dict(plan)}


def is_manifest(data: Any) -> bool:
    """Return whether `make_manifest` of this version made it."""
    known = isinstance(data, dict) and data.get("format") == FORMAT and isinstance(data.get("plan"), dict)
    return known and data.get("version") == VERSION and "fingerprint" in data


def _hold(lock: BinaryIO, folder: Path) -> None:
    """Take the lock, or refuse and name its holder. The system frees it when the process ends."""
    try:
        lock_file(lock)
    except OSError:
        lock.seek(0)
        holder = lock.read(20).decode(errors="replace").strip()
        raise InUseError(
            f"Another process{f' ({holder})' if holder else ''} is writing to {folder}. "
            "Wait until it has ended, or choose another folder."
        ) from None
    lock.truncate(0)
    lock.write(str(os.getpid()).encode())
    lock.flush()


def _agree(folder: Path, plan: Mapping[str, Any]) -> None:
    """Write the manifest of a new folder; refuse a folder whose manifest says something else."""
    manifest = _manifest(folder)
    if manifest is None:
        if (folder / ROWS).exists():
            raise PlaygroundError(f"{folder} holds rows, but {MANIFEST} is missing. Choose another folder.")
        write_file(folder / MANIFEST, json.dumps(make_manifest(plan), indent=1))
    elif manifest["fingerprint"] != fingerprint(plan):
        raise PlaygroundError(
            f"{folder} holds a sweep that differs: {differences(manifest['plan'], plan)}. "
            "Repeat what it was begun with, or choose another folder."
        )


def _manifest(folder: Path) -> dict[str, Any] | None:
    path = folder / MANIFEST
    try:
        manifest = read_json(path)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise PlaygroundError(f"{path} cannot be read ({error}). Choose another folder.") from None
    if not is_manifest(manifest):
        raise PlaygroundError(f"{path} is not the manifest of a sweep of version {VERSION}. Choose another folder.")
    return manifest


def differences(was: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Differences of two plans, in words; nothing where they are the same."""
    said = []
    for name in dict.fromkeys([*was, *now]):
        before, after = was.get(name), now.get(name)
        if before == after:
            continue
        if isinstance(before, dict) and isinstance(after, dict):
            said.append(differences(before, after))
        else:
            said.append(f"{name} was {_shown(before)} and is {_shown(after)}")
    return "; ".join(said)


def _shown(value: Any) -> str:
    text = "not there" if value is None else json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _whole_rows(path: Path, file: BinaryIO) -> list[RunRow]:
    """Return the rows of a file open for appending, which is cut back to its last whole line."""
    content = path.read_bytes()
    end = content.rfind(b"\n") + 1
    if end < len(content):
        os.ftruncate(file.fileno(), end)
        os.fsync(file.fileno())
    return _rows_in(path, content[:end])


def _rows_in(path: Path, content: bytes) -> list[RunRow]:
    rows: list[RunRow] = []
    for number, line in enumerate(content.splitlines(), 1):
        row = parse_line(line)
        if not isinstance(row, dict) or not isinstance(row.get("run"), int):
            raise PlaygroundError(f"{path}, line {number}, is damaged. Delete that line, and its run is made again.")
        rows.append(cast("RunRow", row))
    return rows
