"""The runs of a race or a sweep, made here one after another, or shared out among workers.

Runs that share a machine slow each other down, so their times compare only among themselves. A sweep's plan therefore
names its engine and its number of workers, and results of different ones are never in one folder.
"""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from playground.bench.grid import Grid, Point, requests
from playground.bench.workers import Engine
from playground.bench.workers.pool import WorkerPool, share_out
from playground.bench.workers.processes import ProcessWorkers
from playground.bench.workers.ray_cluster import RayWorkers
from playground.decoding.decode import Request, decode
from playground.decoding.record import run
from playground.errors import PlaygroundError
from playground.meters.meter import Meter, NoMeter
from playground.models.loading import LoadedPair, Models
from playground.models.sources.placement import Placement
from playground.trace import Trace

WARM_UP_TOKENS = 8
MOST_WORKERS = 1024
SHARED = "no energy for this run (others shared the machine with it)"
LOST = "Three workers were lost over this run, perhaps for want of memory."

RunResult = Trace | str | None  # a sentence where it failed, None where it was stopped

_log = logging.getLogger(__name__)


class Runner:
    """Makes runs in one process. The first run of an entry is preceded by a warm-up that is not counted.

    Args:
        requests: by the run's number; a sentence where it cannot run.
        meter: of energy; the machine's own when None.
        warm_up_tokens: of a warm-up, at most.
    """

    def __init__(
        self, requests: dict[int, Request | str], meter: Meter | None = None, warm_up_tokens: int = WARM_UP_TOKENS
    ) -> None:
        self.requests = requests
        self.meter = meter
        self.warm_up_tokens = warm_up_tokens
        self.warm: set[str] = set()
        self.warm_up_s = 0.0  # seconds of all warm-ups

    def run(self, point: Point, stop: Callable[[], bool] = lambda: False) -> RunResult:
        """Make one run. An error of a method fails this run and no other."""
        request = self.requests[point.run]
        if isinstance(request, str):
            return request
        self._warm_up(point.entry.label, request, stop)
        try:
            trace = run(request, stop, meter=self.meter)
        except PlaygroundError as error:
            return error.args[0]
        except Exception as error:
            _log.exception("A run of %s failed", point.label)
            return f"{type(error).__name__}: {error}"
        return None if trace.finished and trace.finished.finish_reason == "stopped" else trace

    def _warm_up(self, label: str, request: Request, stop: Callable[[], bool]) -> None:
        """Make the slow first passes of an entry outside its runs. A method that fails here fails again in its run."""
        if label in self.warm:
            return
        self.warm.add(label)
        began = time.perf_counter()
        try:
            for _ in decode(replace(request, max_new_tokens=min(self.warm_up_tokens, request.max_new_tokens)), stop):
                pass
        except Exception:
            _log.debug("A warm-up of %s failed", label)
        self.warm_up_s += time.perf_counter() - began


def run_here(runner: Runner, points: Sequence[Point], stop: Callable[[], bool]) -> Iterator[tuple[Point, Trace | str]]:
    """Yield one run after another. The run in flight is dropped when `stop` returns True."""
    for point in points:
        result = None if stop() else runner.run(point, stop)
        if result is None:
            return
        yield point, result


@dataclass(frozen=True, slots=True)
class Work:
    """Runs of a grid in a worker: pickled, it makes a function of a point there."""

    grid: Grid
    pair: LoadedPair | None = None  # the models, if they are not those of the grid
    placement: Placement | None = None  # The runs of the grid are placed so.

    def __call__(self) -> Callable[[Point], RunResult]:
        """Read the models; then for each point its trace, or the sentence of its failure."""
        pair = self.pair or Models.named(self.grid.pair, placement=self.placement).load()
        return Runner(requests(self.grid, pair), NoMeter(SHARED)).run


def worker_pool(engine: Engine, workers: int | None = None) -> WorkerPool | None:
    """Return the workers of an engine; None for "local", which has none.

    Args:
        workers: how many at a time; None: the most there is room for.

    Raises:
        PlaygroundError: if there is no such engine here, or it cannot run that many workers.
    """
    if workers is not None and not 1 <= workers <= MOST_WORKERS:
        raise PlaygroundError(f"{workers} workers is out of range. Choose 1 to {MOST_WORKERS}.")
    if engine == "local":
        if workers and workers > 1:
            raise PlaygroundError("The engine local makes one run at a time. Choose processes or ray for more workers.")
        return None
    return ProcessWorkers(workers) if engine == "processes" else RayWorkers(workers)


def run_shared(
    pool: WorkerPool, work: Work, points: Sequence[Point], stop: Callable[[], bool]
) -> Iterator[tuple[Point, Trace | str]]:
    """Yield runs in the order in which they end. Those in flight are dropped when `stop` returns True."""
    for point, result in share_out(pool, work, points, stop):
        yield point, result or LOST
