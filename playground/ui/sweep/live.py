"""A sweep in a worker thread, in step with the page."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from playground.bench.results import InUseError, differences, read_results
from playground.bench.sweep import Progress, plan, sweep
from playground.errors import PlaygroundError
from playground.files import CannotWriteError
from playground.models.loading import LoadedPair
from playground.ui.live.device import device
from playground.ui.live.work import LiveWork
from playground.ui.sweep import pace as sweep_pace
from playground.ui.sweep.saved_sweep import SavedSweep
from playground.words import word

LEAST_INTERVAL_S = 1.0  # between two steps: the page draws four charts at each


class Step(NamedTuple):
    """The progress of a sweep."""

    done: int
    total: int
    seconds_left: float | None


class LiveSweep(LiveWork[Step | str]):
    """One sweep, new or resumed, from asking for it to its end; the rows are in `kept` as they come.

    Args:
        kept: the sweep; its plan is filled in where it has none yet.
        load: brings the models; called in the worker, because it takes long.
        stop: set it to end the sweep before its next round; rows that are done are kept.
        fetch: brings the models to this machine, while others may use the device; takes what tells the page.
    """

    def __init__(
        self,
        saved_sweep: SavedSweep,
        load: Callable[[], LoadedPair],
        stop: threading.Event | None = None,
        fetch: Callable[[Callable[[str], None]], None] = lambda tell: None,
    ) -> None:
        super().__init__("sweep", stop)
        self._fetch = fetch
        self.saved_sweep = saved_sweep
        self.num_new = 0
        self._load = load
        self._turnstile, self._timed = threading.Lock(), threading.Lock()
        saved_sweep.between_runs = self.between_runs

    @contextmanager
    def between_runs(self) -> Iterator[None]:
        """Yield a moment in which no run is timed: the sweep waits, after the run in flight."""
        with self._turnstile, self._timed:
            yield

    def _work(self) -> None:
        self._fetch(self._hand_over)
        with device:
            if not self.stop.is_set():
                pair = self._load()
                try:
                    self._sweep(pair)
                except (InUseError, CannotWriteError, OSError) as error:
                    raise self._explained(error) from None
            self.was_stopped = self.stop.is_set() and not self.saved_sweep.is_whole

    def _sweep(self, pair: LoadedPair) -> None:
        _same_models(self.saved_sweep, pair)
        began = time.monotonic()
        going = sweep(self.saved_sweep.grid, self.saved_sweep.folder, stop=self.stop.is_set, pair=pair)
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
        """Keep a row, tell the page, and let other sessions have the device first. Called between runs."""
        if at.row:
            self.num_new += 1
            self.saved_sweep.rows.append(at.row)
            sweep_pace.learn(self.saved_sweep.grid.pair, at.row)
        else:  # the beginning: another page may have gone on with it since these rows were read
            self.saved_sweep.rows[:] = read_results(self.saved_sweep.folder)[1]
        if not at.row or at.done == at.total or self._is_due(LEAST_INTERVAL_S):
            self._tell(Step(at.done, at.total, at.seconds_left))
        if not self.stop.is_set():
            device.give_way()

    def _explained(self, error: InUseError | CannotWriteError | OSError) -> PlaygroundError:
        """Return an error of the folder, in the page's words: rows that are done are safe."""
        if isinstance(error, InUseError):
            return PlaygroundError(word("sweep_in_use"))
        reason, saved_sweep = error.reason if isinstance(error, CannotWriteError) else error.strerror, self.saved_sweep
        return PlaygroundError(
            word("sweep_cannot_write", reason=reason, done=len(saved_sweep.rows), count=saved_sweep.total)
        )


def _same_models(saved_sweep: SavedSweep, pair: LoadedPair) -> None:
    """Refuse to go on with rows that were made by other models, or by several processes at once."""
    now: dict[str, Any] = plan(saved_sweep.grid, pair, "local", 1)
    if not saved_sweep.plan:
        saved_sweep.plan = now
        return
    of_rows = {name: saved_sweep.plan.get(name) for name in ("models", "engine", "workers")}
    if where := differences(of_rows, {name: now[name] for name in of_rows}):
        raise PlaygroundError(word("sweep_other_models", where=where))
