"""Many runs over a grid, one after another, each safe on disk before the next begins.

A sweep that was stopped or killed goes on where it was when the same call is made again. Progress comes as the items of
a generator, so that a command line, a page or a test can show it, and stop it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from playground.bench.grid import Grid, Point, points, requests
from playground.bench.results import Results, open_results
from playground.decoding.decode import Request, decode
from playground.decoding.record import record
from playground.errors import PlaygroundError
from playground.metrics.comparison import run_numbers
from playground.models.loading import LoadedPair, load_pair
from playground.theory.roofline import Machine
from playground.trace import RunFinished, Trace

WARM_UP_TOKENS = 8


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a sweep is.

    Attributes:
        done: runs that are safe on disk, those of earlier calls included.
        total: all runs of the grid.
        row: of the run that was just finished; None at the start.
        seconds_left: at the pace of this call; None before its first run.
    """

    done: int
    total: int
    row: dict[str, Any] | None = None
    seconds_left: float | None = None


def sweep(
    grid: Grid,
    folder: Path,
    *,
    traces: bool = True,
    machine: Machine | None = None,
    stop: Callable[[], bool] = lambda: False,
    pair: LoadedPair | None = None,
) -> Iterator[Progress]:
    """Run what is missing of a grid, and keep every run.

    A run that fails is a row too, with its `failed` sentence, and is not tried again.

    Args:
        grid: what to run.
        folder: where the results are, or will be; see results.py.
        traces: whether to save each run's trace, some 1 to 2 KB per token.
        machine: whose constants the estimate of energy takes.
        stop: asked before every round; once it says True the run in flight is dropped and the sweep ends.
        pair: the models, if they are not those of `grid.pair`.

    Yields:
        Where it is: once at the start, then after every run.

    Raises:
        PlaygroundError: if the grid cannot run, or the folder cannot be used or written; what is in it stays.
    """
    pair = pair or load_pair(grid.pair)
    asked = requests(grid, pair)
    with open_results(folder, plan(grid, pair)) as results:
        missing = _missing(results, points(grid))
        yield Progress(len(results.rows), len(asked))
        warm: set[str] = set()
        began, num_missing = time.perf_counter(), len(missing)
        for number, point in enumerate(missing, 1):
            if stop():
                return
            if point.entry.label not in warm:
                warm.add(point.entry.label)
                _warm_up(asked[point.run])
            try:
                row = _run(results, point, asked[point.run], traces=traces, machine=machine, stop=stop)
                if row is None:
                    return
                results.append(row)
            except PlaygroundError as error:
                kept = f"{len(results.rows)} of {len(asked)} runs are kept, and the same call goes on from there."
                raise PlaygroundError(f"{error} {kept}") from None
            pace = (time.perf_counter() - began) / number
            yield Progress(len(results.rows), len(asked), row, pace * (num_missing - number))


def plan(grid: Grid, pair: LoadedPair) -> dict[str, Any]:
    """All that decides a sweep's numbers, apart from the machine's speed: rows of two plans do not belong together."""
    models = {"target": pair.target.facts(), "draft": pair.draft.facts() if pair.draft else None}
    return grid.as_dict() | {"models": models}


def run_row(
    point: Point, request: Request, machine: Machine | None, stop: Callable[[], bool]
) -> tuple[dict[str, Any], Trace | None]:
    """One run: its row, and its trace unless it failed."""
    try:
        trace = Trace(tuple(event for events in record(request, stop) for event in events))
    except PlaygroundError as error:
        return point.as_dict() | {"failed": str(error)}, None
    except Exception as error:  # whatever a method does wrong fails its run, not the sweep
        return point.as_dict() | {"failed": f"{type(error).__name__}: {error}"}, None
    return point.as_dict() | run_numbers(trace, machine), trace


def _run(
    results: Results,
    point: Point,
    request: Request,
    *,
    traces: bool,
    machine: Machine | None,
    stop: Callable[[], bool],
) -> dict[str, Any] | None:
    """A run's row, its trace saved before; None if it was stopped."""
    row, trace = run_row(point, request, machine, stop)
    if trace is None:
        return row
    end = trace.events[-1]
    if isinstance(end, RunFinished) and end.reason == "stopped":
        return None
    return row | (results.save_trace(point.run, trace) if traces else {"trace": None, "trace_bytes": 0})


def _missing(results: Results, all_points: list[Point]) -> list[Point]:
    done = [row["run"] for row in results.rows]
    if len(set(done)) < len(done) or not set(done) <= {point.run for point in all_points}:
        raise PlaygroundError(f"{results.folder} holds a run twice, or one that is not in the grid. Choose another.")
    return [point for point in all_points if point.run not in set(done)]


def _warm_up(request: Request) -> None:
    """The first passes of a shape are slow; spend them outside a run. A method that fails here fails in its run."""
    try:
        for _ in decode(replace(request, max_new_tokens=min(WARM_UP_TOKENS, request.max_new_tokens))):
            pass
    except Exception:
        return
