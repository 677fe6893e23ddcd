"""A job of many runs in a worker thread, a race or a sweep, in step with the page."""

import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Protocol

from playground.bench.grid import Grid, count_runs
from playground.bench.sweep import Progress
from playground.metrics.comparison import RunRow
from playground.models.loading import LoadedPair
from playground.ui.live.device import device
from playground.ui.live.work import LiveWork


class Job(Protocol):
    """The runs of a grid, kept as they come."""

    least_interval_s: ClassVar[float]  # between two steps: each costs the job the time that the page takes for it
    # grid, rows: what is run, and the runs that are there
    grid: Grid
    rows: list[RunRow]
    between_runs: Any  # gives a context in which no run is timed; set once the job is live

    def make(self, pair: LoadedPair, stop: Callable[[], bool]) -> Generator[Progress, None, None]:
        """Make the runs that are missing, and yield after each."""
        ...

    def take(self, at: Progress) -> None:
        """Take a finished run in, or at the beginning the runs that are there."""
        ...


class LiveJob(LiveWork[Progress | str]):
    """One job, new or resumed, from asking for it to its end.

    Args:
        job: its runs.
        load: brings the models; called in the worker, because it takes long.
        stop: set it to end the job before its next round; runs that are done are kept.
        fetch: brings the models to this machine, while others may use the device; takes what tells the page.
    """

    def __init__(
        self,
        job: Job,
        load: Callable[[], LoadedPair],
        stop: threading.Event | None = None,
        fetch: Callable[[Callable[[str], None]], None] = lambda tell: None,
    ) -> None:
        super().__init__("job", stop)
        self.job = job
        self.num_new = 0  # runs that were made here
        self._load, self._fetch = load, fetch
        self._turnstile, self._timed = threading.Lock(), threading.Lock()
        job.between_runs = self.between_runs

    @contextmanager
    def between_runs(self) -> Iterator[None]:
        """Yield a moment in which no run is timed: the job waits, after the run in flight."""
        with self._turnstile, self._timed:
            yield

    def _work(self) -> None:
        self._fetch(self._hand_over)
        with device:
            if not self.stop.is_set():
                self._make(self._load())
            self.was_stopped = self.stop.is_set() and len(self.job.rows) < count_runs(self.job.grid)

    def _make(self, pair: LoadedPair) -> None:
        began = time.monotonic()
        going = self.job.make(pair, self.stop.is_set)
        try:
            while (at := self._next(going)) is not None:
                self._take(at)
        finally:
            going.close()
        self.seconds = time.monotonic() - began

    def _next(self, going: Iterator[Progress]) -> Progress | None:
        """Return the next run. Sessions that passed the turnstile earlier go first, so no client is passed over."""
        with self._turnstile:
            self._timed.acquire()
        try:
            return next(going, None)
        finally:
            self._timed.release()

    def _take(self, at: Progress) -> None:
        """Keep a run, tell the page, and let other sessions have the device first. Called between runs."""
        self.job.take(at)
        self.num_new += at.row is not None
        if not at.row or at.done == at.total or self._is_due(self.job.least_interval_s):
            self._tell(at)
        if not self.stop.is_set():
            device.give_way()
