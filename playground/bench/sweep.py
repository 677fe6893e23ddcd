"""Many runs over a grid, each safe on disk before it counts.

A sweep that was stopped or killed goes on where it was when the same call is made again. Progress comes as the items of
a generator, so that a command line, a page or a test can show it, and stop it.
"""

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, cast

from playground.bench.grid import Grid, Point, points, refuse, requests
from playground.bench.results import RunRows, open_results
from playground.bench.workers import Engine
from playground.bench.workers.runs import WARM_UP_TOKENS, Runner, Work, run_here, run_shared, worker_pool
from playground.errors import PlaygroundError
from playground.files import CannotWriteError
from playground.metrics.comparison import RunRow, run_numbers
from playground.models.loading import LoadedPair, Models
from playground.models.sources.placement import Placement
from playground.theory.roofline import Machine
from playground.trace import Trace
from playground.trace.texts import best_text


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a sweep."""

    done: int  # runs that are kept, those of earlier calls included
    total: int  # all runs of the grid
    row: RunRow | None = None  # It is the run that was just finished; None at the start.
    seconds_left: float | None = None  # at the pace of this call; None before its first run
    lost: int = 0  # workers that died in this call; their runs are made by others
    workers: int = 1  # So many runs are made at a time.


def sweep(
    grid: Grid,
    store: Path | RunRows,
    *,
    engine: Engine = "local",
    workers: int | None = None,
    traces: bool = True,
    machine: Machine | None = None,
    stop: Callable[[], bool] = lambda: False,
    pair: LoadedPair | None = None,
    placement: Placement | None = None,
    order: Sequence[Point] = (),
    warm_up_tokens: int = WARM_UP_TOKENS,
    refused: Callable[[Point, str], str] = refuse,
) -> Generator[Progress, None, None]:
    """Run what is missing of a grid, and keep every run.

    A run that fails is a row too, with its `failed` sentence, and is not tried again.

    Args:
        grid: what to run.
        store: the folder where the results are, or will be, see results.py; or else what keeps them.
        engine: "local" runs here, one after another; "processes" and "ray" run several at a time.
        workers: how many at a time; None: the most that the engine has room for.
        traces: whether to save each run's trace, some 0.1 to 0.5 KB per token.
        machine: whose constants the estimate of energy takes.
        stop: once it says True the run in flight is dropped and the sweep ends; "local" asks before every round.
        pair: the models, if they are not those of `grid.pair`.
        placement: where those of `grid.pair` run.
        order: of the runs, if it is not that of the grid.
        warm_up_tokens: at most, before an entry's first run here.
        refused: called for a run that cannot be made, see `requests`.

    Yields:
        Where it is: once at the start, then after every run.

    Raises:
        PlaygroundError: if the grid cannot run, or the folder cannot be used or written; what is in it stays.
    """
    pool = worker_pool(engine, workers)
    models = pair or Models.named(grid.pair, placement=placement).load()
    runner = Runner(requests(grid, models, refused), warm_up_tokens=warm_up_tokens)
    is_folder = isinstance(store, Path)
    whole_plan = plan(grid, models, engine, pool.number if pool else 1, machine) if is_folder else {}
    with open_results(store, whole_plan) if is_folder else nullcontext(store) as results:
        missing = _missing(store, results, order or points(grid))
        at = Progress(len(results.rows), len(runner.requests), workers=pool.number if pool else 1)
        yield at
        if pool and missing:
            outcomes = run_shared(pool, Work(grid, pair, placement), missing, stop)
        else:
            outcomes = run_here(runner, missing, stop)
        began = time.perf_counter()
        for number, (point, result) in enumerate(outcomes, 1):
            row = _keep(results, row_of(point, result, machine), result, total=at.total, traces=traces)
            pace = (time.perf_counter() - began - runner.warm_up_s) / number
            left_s, lost = pace * (len(missing) - number), pool.lost if pool else 0
            yield replace(at, done=len(results.rows), row=row, seconds_left=left_s, lost=lost)


def plan(
    grid: Grid, pair: LoadedPair, engine: Engine, workers: int, machine: Machine | None = None
) -> dict[str, object]:
    """All that decides a sweep's numbers, apart from the machine's speed: rows of two plans do not belong together."""
    models: dict[str, Any] = {"target": pair.target.facts(), "draft": pair.draft.facts() if pair.draft else None}
    if pair.others:
        models["other_drafts"] = [model.facts() for model in pair.others]
    constants = {"energy": asdict(machine)} if machine else {}  # else each run takes those nearest to where it ran
    return grid.as_dict() | {"models": models, "engine": engine, "workers": workers} | constants


def row_of(point: Point, result: Trace | str, machine: Machine | None = None) -> RunRow:
    """Return the row of a run; its tokens are in it, so that one that is made again can be told to be the same."""
    if isinstance(result, str):
        return cast("RunRow", point.as_dict() | {"failed": result})
    token_ids = [word.token for word in best_text(result)]
    return cast("RunRow", point.as_dict() | run_numbers(result, machine) | {"token_ids": token_ids})


def _keep(results: RunRows, row: RunRow, result: Trace | str, *, total: int, traces: bool) -> RunRow:
    """Keep a run's trace and then its row, and return the row."""
    try:
        if isinstance(result, Trace):
            trace = results.save_trace(row["run"], result) if traces else {"trace": None, "trace_bytes": 0}
            row = cast("RunRow", {**row, **trace})
        results.append(row)
    except CannotWriteError as error:
        count = f"{len(results.rows)} of {total} runs are kept, and the same call goes on from there."
        raise CannotWriteError(f"{error} {count}", error.reason) from None
    return row


def _missing(store: Path | RunRows, results: RunRows, all_points: Sequence[Point]) -> list[Point]:
    done = [row["run"] for row in results.rows]
    if len(set(done)) < len(done) or not set(done) <= {point.run for point in all_points}:
        raise PlaygroundError(f"{store} holds a run twice, or one that is not in the grid. Choose another.")
    return [point for point in all_points if point.run not in set(done)]
