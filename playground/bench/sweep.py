"""Many runs over a grid, each safe on disk before it counts.

A sweep that was stopped or killed goes on where it was when the same call is made again. Progress comes as the items of
a generator, so that a command line, a page or a test can show it, and stop it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from playground.bench.grid import Grid, Point, points, requests
from playground.bench.results import Results, open_results
from playground.bench.workers import Engine
from playground.bench.workers.engines import worker_pool
from playground.bench.workers.runs import Outcome, Runner, SweepWork, run_here, run_shared
from playground.errors import PlaygroundError
from playground.files import CannotWriteError
from playground.models.loading import LoadedPair, load_pair
from playground.theory.roofline import Machine


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a sweep.

    Attributes:
        done: runs that are safe on disk, those of earlier calls included.
        total: all runs of the grid.
        row: of the run that was just finished; None at the start.
        seconds_left: at the pace of this call; None before its first run.
        lost: workers that died in this call; their runs are made by others.
    """

    done: int
    total: int
    row: dict[str, Any] | None = None
    seconds_left: float | None = None
    lost: int = 0


def sweep(
    grid: Grid,
    folder: Path,
    *,
    engine: Engine = "local",
    workers: int | None = None,
    traces: bool = True,
    machine: Machine | None = None,
    stop: Callable[[], bool] = lambda: False,
    pair: LoadedPair | None = None,
) -> Generator[Progress, None, None]:
    """Run what is missing of a grid, and keep every run.

    A run that fails is a row too, with its `failed` sentence, and is not tried again.

    Args:
        grid: what to run.
        folder: where the results are, or will be; see results.py.
        engine: "local" runs here, one after another; "processes" and "ray" run several at a time.
        workers: how many at a time; as many as the engine finds room for when None.
        traces: whether to save each run's trace, some 0.1 to 0.5 KB per token.
        machine: whose constants the estimate of energy takes.
        stop: once it says True the run in flight is dropped and the sweep ends; "local" asks before every round.
        pair: the models, if they are not those of `grid.pair`.

    Yields:
        Where it is: once at the start, then after every run.

    Raises:
        PlaygroundError: if the grid cannot run, or the folder cannot be used or written; what is in it stays.
    """
    pool = worker_pool(engine, workers)
    models = pair or load_pair(grid.pair)
    by_run = requests(grid, models)
    with open_results(folder, plan(grid, models, engine, pool.number if pool else 1, machine)) as results:
        missing = _missing(results, points(grid))
        yield Progress(len(results.rows), len(by_run))
        if not missing:
            return
        if pool:
            outcomes = run_shared(pool, SweepWork(grid, machine, pair), missing, stop)
        else:
            outcomes = run_here(Runner(by_run, machine), missing, stop)
        began = time.perf_counter()
        for number, outcome in enumerate(outcomes, 1):
            row = _keep(results, outcome, total=len(by_run), traces=traces)
            pace = (time.perf_counter() - began) / number
            yield Progress(
                len(results.rows), len(by_run), row, pace * (len(missing) - number), pool.lost if pool else 0
            )


def plan(grid: Grid, pair: LoadedPair, engine: Engine, workers: int, machine: Machine | None = None) -> dict[str, Any]:
    """All that decides a sweep's numbers, apart from the machine's speed: rows of two plans do not belong together."""
    models: dict[str, Any] = {"target": pair.target.facts(), "draft": pair.draft.facts() if pair.draft else None}
    if pair.others:
        models["other_drafts"] = [model.facts() for model in pair.others]
    constants = {"energy": asdict(machine)} if machine else {}  # else each run takes those nearest to where it ran
    return grid.as_dict() | {"models": models, "engine": engine, "workers": workers} | constants


def _keep(results: Results, outcome: Outcome, *, total: int, traces: bool) -> dict[str, Any]:
    """Return a run's trace and then its row, on disk; the row."""
    row, trace = outcome
    try:
        if trace is not None:
            saved = results.save_trace(row["run"], trace) if traces else {"trace": None, "trace_bytes": 0}
            row = row | saved
        results.append(row)
    except CannotWriteError as error:
        count = f"{len(results.rows)} of {total} runs are kept, and the same call goes on from there."
        raise CannotWriteError(f"{error} {count}", error.reason) from None
    return row


def _missing(results: Results, all_points: list[Point]) -> list[Point]:
    done = [row["run"] for row in results.rows]
    if len(set(done)) < len(done) or not set(done) <= {point.run for point in all_points}:
        raise PlaygroundError(f"{results.folder} holds a run twice, or one that is not in the grid. Choose another.")
    return [point for point in all_points if point.run not in set(done)]
