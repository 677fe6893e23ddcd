"""A sweep that is kept on the server's disk: found again by its id, opened from files, written into files.

Its folder is the one that the command `sweep` writes, so a sweep of either can go on as one of the other.
"""

import csv
import io
import json
import os
import re
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar, cast

from playground.bench.grid import MOST_RUNS, Grid, count_runs, points, read_grid
from playground.bench.results import (
    MANIFEST,
    ROWS,
    InUseError,
    differences,
    is_manifest,
    make_manifest,
    open_results,
    read_results,
)
from playground.bench.sweep import Progress, plan, sweep
from playground.errors import PlaygroundError
from playground.files import CannotWriteError, parse_line, write_file
from playground.metrics.comparison import RunRow
from playground.models.loading import LoadedPair
from playground.trace.events import Facts
from playground.ui.runs.sweep import pace
from playground.ui.runs.sweep.setup import refuse_size
from playground.ui.served.taken_along import folder_to_take
from playground.words import word

KEPT_DAYS = 7
MOST_NAMED = 12  # broken lines that a message names
MOST_LINES = 1 + MOST_RUNS  # A file says what is swept, and has a line per run.
MOST_LINE_BYTES = 2_500_000  # more than the longest prompts of the page take
NUMBERS = (
    "num_tokens", "seconds", "prefill_s", "tokens_per_s", "perplexity", "block_efficiency", "acceptance_per_position",
    "acceptance_per_draw", "draft_efficiency", "verified_nodes", "joules_per_token", "estimated_joules_per_token",
)  # fmt: skip # that charts and tables show
NESTED = ("options", "token_ids")
_ID = re.compile(r"[0-9a-f]{16}")


@dataclass(eq=False, slots=True)
class SavedSweep:
    """A sweep: what it runs, and the rows that are there."""

    least_interval_s: ClassVar[float] = 1.0  # the page draws four charts at each step

    folder: Path
    plan: dict[str, object]
    grid: Grid
    rows: list[RunRow] = field(default_factory=list)
    between_runs: Any = nullcontext  # gives a context in which no run is timed
    # The estimate of energy takes them, once a recording has said which they are.
    constants: Facts | None = None
    kept_runs: dict[int, str] = field(default_factory=dict)  # traces of runs, as texts, that are in no folder
    recorded: str = ""  # A sweep that is kept with the page says where and when it was made; empty for a reader's own.

    @property
    def id(self) -> str:
        """Return the key of the saved sweep."""
        return self.folder.name

    @property
    def total(self) -> int:
        """All runs of its grid."""
        return count_runs(self.grid)

    @property
    def num_bytes(self) -> int:
        """The size of its rows on the disk; 0 for one that is not there."""
        try:
            return (self.folder / ROWS).stat().st_size
        except OSError:
            return 0

    @property
    def is_whole(self) -> bool:
        """True if nothing is missing."""
        return len(self.rows) >= self.total

    def make(self, pair: LoadedPair, stop: Callable[[], bool]) -> Generator[Progress, None, None]:
        """Make the runs that are missing.

        Raises:
            PlaygroundError: if its rows were made by other models, or its folder cannot be written.
        """
        self._same_models(pair)
        try:
            yield from sweep(self.grid, self.folder, stop=stop, pair=pair)
        except InUseError:
            raise PlaygroundError("This sweep goes on in another tab. Press Stop there, or wait for its end.") from None
        except (CannotWriteError, OSError) as error:  # rows that are done are safe
            reason = error.reason if isinstance(error, CannotWriteError) else error.strerror
            cannot = word("sweep_cannot_write", reason=reason, done=len(self.rows), count=self.total)
            raise PlaygroundError(cannot) from None

    def take(self, at: Progress) -> None:
        """Keep a row, and what it took; at the beginning those that another page has made meanwhile."""
        if at.row:
            self.rows.append(at.row)
            pace.learn(self.grid.pair, at.row)
        else:
            self.rows[:] = read_results(self.folder)[1]

    def _same_models(self, pair: LoadedPair) -> None:
        """Refuse to go on with rows that were made by other models, or by several processes at once."""
        now = plan(self.grid, pair, "local", 1)
        if not self.plan:
            self.plan = now
            return
        of_rows = {name: self.plan.get(name) for name in ("models", "engine", "workers")}
        if where := differences(of_rows, {name: now[name] for name in of_rows}):
            raise PlaygroundError(
                f"The rows were not made as this page would make them: {where}. Go on where they were made, or press "
                "Sweep to begin a new one here."
            )


def folder_of_all() -> Path:
    """Return the folder of all sweeps: PLAYGROUND_SWEEPS, or one among the temporary files."""
    return Path(os.environ.get("PLAYGROUND_SWEEPS") or Path(tempfile.gettempdir()) / "playground-sweeps")


def new_folder() -> Path:
    """Return a folder's name that cannot be guessed; delete folders without a write for a week."""
    for old in folder_of_all().glob("*"):
        with suppress(OSError):
            newest = max(each.stat().st_mtime for each in (old, *old.glob("*")))
            if _ID.fullmatch(old.name) and newest < time.time() - KEPT_DAYS * 86_400:
                shutil.rmtree(old)
    return folder_of_all() / secrets.token_hex(8)


def find(id: Any) -> SavedSweep | None:
    """Return the sweep with this id, if it is still there and whole enough to be read."""
    if not isinstance(id, str) or not _ID.fullmatch(id):
        return None
    try:
        plan, rows = read_results(folder_of_all() / id)
        return SavedSweep(folder_of_all() / id, plan, read_grid(plan), rows)
    except (PlaygroundError, OSError):
        return None


def open_files(paths: Sequence[str]) -> SavedSweep:
    """Return a sweep from its file, or from the manifest and the rows of a folder; it gets a folder of its own.

    Raises:
        PlaygroundError: if it is none, lines are broken, or it cannot be kept.
    """
    lines: list[tuple[str, bytes]] = []  # number in the file, and what it says
    manifest: Any = None
    for path in map(Path, paths):
        content = path.read_bytes()
        if path.suffix == ".json":
            _refuse_long(path.name, [content])
            manifest = parse_line(content)
            continue
        if content.count(b"\n") > MOST_LINES:
            raise PlaygroundError(
                f"{path.name} has more than the {MOST_LINES:,} lines of a sweep: what is swept, and a line for each "
                "run. Choose a .jsonl saved by this page."
            )
        lines_of_file = content.split(b"\n")
        _refuse_long(path.name, lines_of_file)
        for number, line in enumerate(lines_of_file, 1):
            parsed = parse_line(line) if number == 1 else None
            if is_manifest(parsed):
                manifest = parsed
            elif line.strip():
                lines.append((str(number), line))
    if not is_manifest(manifest):
        raise PlaygroundError(
            f"{Path(paths[0]).name} does not say what was swept. Choose a .jsonl saved by this page, or the {MANIFEST} "
            f"and the {ROWS} of a folder together."
        )
    try:
        grid = read_grid(manifest["plan"])
        refuse_size(grid)
        rows = _rows(lines, grid)
    except PlaygroundError as error:
        raise PlaygroundError(f"{Path(paths[0]).name} was not opened. {error.args[0]}") from None
    saved_sweep = SavedSweep(new_folder(), manifest["plan"], grid)
    with open_results(saved_sweep.folder, saved_sweep.plan) as results:
        for row in rows:
            results.append({**row, "trace": None, "trace_bytes": 0})
        saved_sweep.rows = list(results.rows)
    return saved_sweep


def refuse_change(saved_sweep: SavedSweep, grid: Grid) -> None:
    """Refuse to go on with another grid than the one that was begun.

    Raises:
        PlaygroundError: if they differ; it says where.
    """
    if (
        points(saved_sweep.grid) != points(grid)
        or saved_sweep.grid.prompts != grid.prompts
        or (saved_sweep.grid.pair, saved_sweep.grid.chat) != (grid.pair, grid.chat)
    ):
        where = differences(saved_sweep.grid.as_dict(), grid.as_dict()) or word("sweep_order_of_runs")
        raise PlaygroundError(
            f"The grid that is set up is not the one that was begun: {where}. Change it back and press Resume, or "
            "press Sweep to begin a new one."
        )


def write_jsonl(saved_sweep: SavedSweep) -> Path:
    """All rows, and before them a line that says what is swept: the page and the command can go on from it."""
    path = folder_to_take() / "sweep.jsonl"
    lines = (make_manifest(saved_sweep.plan), *saved_sweep.rows)
    write_file(path, "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    return path


def write_csv(saved_sweep: SavedSweep) -> Path:
    """One line per run: its setting, its prompt and its numbers; options have a column each."""
    left_out = {"options", "token_ids", "trace", "trace_bytes"}
    options = dict.fromkeys(name for row in saved_sweep.rows for name in row["options"])
    columns = dict.fromkeys(name for row in saved_sweep.rows for name in row if name not in left_out)
    path = folder_to_take() / "sweep.csv"
    file = io.StringIO(newline="")
    rows_out = csv.writer(file)
    rows_out.writerow([*columns, *(f"option {name}" for name in options), "prompt text"])
    for row in saved_sweep.rows:
        of_options = [row["options"].get(name, "") for name in options]
        rows_out.writerow(
            [*(row.get(name) for name in columns), *of_options, saved_sweep.grid.prompts[row["prompt"] - 1]]
        )
    write_file(path, file.getvalue())
    return path


def _refuse_long(name: str, lines: Sequence[bytes]) -> None:
    number = next((number for number, line in enumerate(lines, 1) if len(line) > MOST_LINE_BYTES), None)
    if number is not None:
        raise PlaygroundError(
            f"{name}, line {number}, has {len(lines[number - 1]):,} bytes, and a line of a sweep at most "
            f"{MOST_LINE_BYTES:,}. Choose a .jsonl saved by this page."
        )


def _rows(lines: Sequence[tuple[str, bytes]], grid: Grid) -> list[RunRow]:
    """Every row, each once, each of a run of this grid."""
    of_run = {point.run: point.as_dict() for point in points(grid)}
    rows: dict[int, RunRow] = {}
    broken, foreign = [], []
    for number, line in lines:
        row = parse_line(line)
        if not isinstance(row, dict) or not _is_row(row):
            broken.append(number)
        elif row["run"] in rows or any(row.get(key) != value for key, value in of_run.get(row["run"], {"": 0}).items()):
            foreign.append(number)
        else:
            rows[row["run"]] = cast("RunRow", row)
    if broken:
        raise PlaygroundError(
            f"It has lines that are not rows: {_few(broken)}. Delete them, and their runs are made again."
        )
    if foreign:
        raise PlaygroundError(
            f"These lines are of no run of its grid, or repeat one: {_few(foreign)}. Delete them; their runs are then "
            "made again."
        )
    return list(rows.values())


def _few(numbers: Sequence[int]) -> str:
    more = f" and {len(numbers) - MOST_NAMED} more" if len(numbers) > MOST_NAMED else ""
    return f"{', '.join(map(str, numbers[:MOST_NAMED]))}{more}"


def _is_row(row: Mapping[str, Any]) -> bool:
    numbers = all(row.get(name) is None or _is_number(row[name]) for name in NUMBERS)
    tokens = row.get("token_ids") or []
    are_texts = isinstance(row.get("failed", ""), str) and isinstance(row.get("energy_reason") or "", str)
    if not isinstance(tokens, list):
        return False
    are_numbers = all(isinstance(token, int) for token in tokens)
    # A row has this list alone, no longer than its run may be: Python takes ten bytes for one of the file's.
    is_flat = not any(isinstance(value, list | dict) for name, value in row.items() if name not in NESTED)
    is_short = isinstance(most := row.get("max_new_tokens"), int) and len(tokens) <= most
    return isinstance(row.get("run"), int) and numbers and are_texts and are_numbers and is_flat and is_short


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
