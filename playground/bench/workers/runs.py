"""The runs of a sweep, made here one after another, or shared out among workers; and those of a race, shared out.

Runs that share a machine slow each other down, so their times compare only among themselves. A sweep's plan therefore
names its engine and its number of workers, and results of different ones never stand in one folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from playground.bench.grid import Grid, Point, requests
from playground.bench.race import RunKey, RunResult, attempt
from playground.bench.workers.pool import WorkerPool, share_out
from playground.decoding.decode import Request, decode
from playground.decoding.record import run
from playground.errors import PlaygroundError
from playground.meters.meter import Meter, NoMeter
from playground.metrics.comparison import run_numbers
from playground.models.loading import LoadedPair, load_pair
from playground.models.sources.placement import Placement
from playground.theory.roofline import Machine
from playground.trace import Trace
from playground.trace.texts import best_text

WARM_UP_TOKENS = 8
SHARED = "no energy for this run (others shared the machine with it)"

Outcome = tuple[dict[str, Any], Trace | None]  # a row, and its trace unless the run failed


class Runner:
    """Makes runs in one process. The first run of a setting is preceded by a short one that is not counted."""

    def __init__(self, requests: dict[int, Request], machine: Machine | None, meter: Meter | None = None) -> None:
        self.requests = requests
        self.machine = machine
        self.meter = meter
        self.warm: set[str] = set()

    def run(self, point: Point, stop: Callable[[], bool] = lambda: False) -> Outcome | None:
        """One run; None if it was stopped. A run that fails is a row with its `failed` sentence."""
        request = self.requests[point.run]
        if point.entry.label not in self.warm:
            self.warm.add(point.entry.label)
            warm_up(request)
        try:
            trace = run(request, stop, meter=self.meter)
        except PlaygroundError as error:
            return point.as_dict() | {"failed": str(error)}, None
        except Exception as error:  # whatever a method does wrong fails its run, not the sweep
            return point.as_dict() | {"failed": f"{type(error).__name__}: {error}"}, None
        if trace.finished and trace.finished.finish_reason == "stopped":
            return None
        token_ids = [word.token for word in best_text(trace)]  # so that a run made again can be told to be the same
        return point.as_dict() | run_numbers(trace, self.machine) | {"token_ids": token_ids}, trace


def run_here(runner: Runner, missing: Sequence[Point], stop: Callable[[], bool]) -> Iterator[Outcome]:
    """One run after another. The run in flight is dropped when `stop` says True."""
    for point in missing:
        outcome = None if stop() else runner.run(point, stop)
        if outcome is None:
            return
        yield outcome


LOST = "Three workers were lost over this run, perhaps for want of memory."  # a row's `failed` sentence


@dataclass(frozen=True, slots=True)
class SweepWork:
    """A sweep's runs in a worker: pickled, it makes a function of a point there.

    Attributes:
        pair: the models, if they are not those of the grid.
    """

    grid: Grid
    machine: Machine | None
    pair: LoadedPair | None = None

    def __call__(self) -> Callable[[Point], Outcome]:
        """Read the models; then a row and its trace for each point."""
        runner = Runner(requests(self.grid, self.pair or load_pair(self.grid.pair)), self.machine, NoMeter(SHARED))

        def make(point: Point) -> Outcome:
            outcome = runner.run(point)
            assert outcome is not None, f"run {point.run} was stopped, and nothing here asks for that"
            return outcome

        return make


def run_shared(
    pool: WorkerPool, work: SweepWork, missing: Sequence[Point], stop: Callable[[], bool]
) -> Iterator[Outcome]:
    """Yield runs in the order in which they end. Those in flight are dropped when `stop` returns True."""
    for point, outcome in share_out(pool, work, missing, stop):
        yield outcome or (point.as_dict() | {"failed": LOST}, None)


@dataclass(frozen=True, slots=True)
class RaceWork:
    """A race's runs in a worker: pickled, it makes a function of a run there.

    Attributes:
        lineup: makes the requests, by label, from the models.
        pair: its id in the catalog, or the models.
        placement: where a pair of the catalog runs.
    """

    lineup: Callable[[LoadedPair], dict[str, list[Request]]]
    pair: str | LoadedPair
    placement: Placement | None = None

    def __call__(self) -> Callable[[RunKey], RunResult]:
        """Read the models; then for each run its trace, or the sentence of its failure."""
        by_label = self.lineup(
            load_pair(self.pair, placement=self.placement) if isinstance(self.pair, str) else self.pair
        )
        warm: set[str] = set()

        def make(key: RunKey) -> RunResult:
            if key[0] not in warm:
                warm.add(key[0])
                warm_up(by_label[key[0]][0])
            return attempt(by_label, key, lambda: False, NoMeter(SHARED))

        return make


def race_shared(
    pool: WorkerPool, work: RaceWork, runs: Sequence[RunKey], stop: Callable[[], bool]
) -> Iterator[tuple[RunKey, RunResult]]:
    """Yield the runs of a race in the order in which they end."""
    for key, result in share_out(pool, work, runs, stop):
        yield key, result or LOST


def warm_up(request: Request) -> None:
    """Spend the slow first passes of a shape outside a run. A method that fails here fails again in its run."""
    try:
        for _ in decode(replace(request, max_new_tokens=min(WARM_UP_TOKENS, request.max_new_tokens))):
            pass
    except Exception:
        return
