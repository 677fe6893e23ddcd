"""A sweep in a worker thread, in step with the page: while a run is timed the page waits, and the other way round."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from playground.bench.results import differences
from playground.bench.sweep import Progress, plan, sweep
from playground.errors import PlaygroundError
from playground.models.loading import LoadedPair
from playground.ui import sweep_pace
from playground.ui.device import device
from playground.ui.sweep_kept import Kept

LEAST_INTERVAL_S = 1.0  # between two steps: the page draws four charts at each
PATIENCE_S = 0.2  # how often a sweep that waits for the page looks whether it was stopped


class Step(NamedTuple):
    """How far a sweep is."""

    done: int
    total: int
    seconds_left: float | None


class LiveSweep:
    """One sweep, new or resumed, from asking for it to its end; the rows are in `kept` as they come.

    Args:
        kept: the sweep; its plan is filled in where it has none yet.
        load: brings the models; called in the worker, because it takes long.
        stop: set it to end the sweep before its next round; rows that are done are kept.
    """

    def __init__(self, kept: Kept, load: Callable[[], LoadedPair], stop: threading.Event | None = None) -> None:
        self.kept = kept
        self.stop = stop or threading.Event()
        self.num_new = 0
        self.seconds = 0.0
        self.was_stopped = False
        self._load = load
        self._queue: queue.SimpleQueue[Step | BaseException | None] = queue.SimpleQueue()
        self._page_is_ready = threading.Event()
        self._turnstile, self._timed = threading.Lock(), threading.Lock()
        self._thread = threading.Thread(target=self._work, name="sweep", daemon=True)
        self._told = 0.0
        kept.between_runs = self.between_runs

    def steps(self) -> Iterator[Step]:
        """Start the sweep and yield how far it is, until it ends.

        Leaving the iteration early stops it; an exception in the sweep is raised here.
        """
        self._thread.start()
        try:
            while (item := self._queue.get()) is not None:
                if isinstance(item, BaseException):
                    raise item
                yield item
                self._page_is_ready.set()
        finally:
            self.stop.set()
            self._thread.join()

    @contextmanager
    def between_runs(self) -> Iterator[None]:
        """A moment in which no run is timed: the sweep waits, after the run in flight."""
        with self._turnstile, self._timed:
            yield

    def _work(self) -> None:
        kept, began = self.kept, time.monotonic()
        try:
            with device:
                if not self.stop.is_set():
                    pair = self._load()
                    _same_models(kept, pair)
                    began = time.monotonic()
                    going = sweep(kept.grid, kept.folder, stop=self.stop.is_set, pair=pair)
                    try:
                        while (at := self._next(going)) is not None:
                            self._take(at)
                    finally:
                        going.close()
                self.was_stopped = self.stop.is_set() and not kept.is_whole
            self._end(None, began)
        except BaseException as error:  # handed to the page's thread, which knows what to show
            self._end(self._explained(error), began)

    def _end(self, item: BaseException | None, began: float) -> None:
        self.seconds = time.monotonic() - began
        self._queue.put(item)

    def _next(self, going: Iterator[Progress]) -> Progress | None:
        """The next run. Whoever passed the turnstile before goes first, so nobody who waits is passed over."""
        with self._turnstile:
            self._timed.acquire()
        try:
            return next(going, None)
        finally:
            self._timed.release()

    def _take(self, at: Progress) -> None:
        """Keep a row and tell the page, waiting until it has shown it. Called between runs."""
        if at.row:
            self.num_new += 1
            self.kept.rows.append(at.row)
            sweep_pace.learn(self.kept.grid.pair, at.row)
        now = time.monotonic()
        if at.row and at.done < at.total and now - self._told < LEAST_INTERVAL_S:
            return
        self._page_is_ready.clear()
        self._queue.put(Step(at.done, at.total, at.seconds_left))
        while not self._page_is_ready.wait(PATIENCE_S) and not self.stop.is_set():
            pass
        self._told = time.monotonic()

    def _explained(self, error: BaseException) -> BaseException:
        """A disk that cannot be written, in the page's words: rows that are done are safe."""
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, OSError):
            cause = cause.__context__
        if not isinstance(error, PlaygroundError | OSError) or cause is None:
            return error
        kept = self.kept
        return PlaygroundError(
            f"The server cannot write the results ({cause.strerror}). {len(kept.rows)} of {kept.total} runs are kept; "
            "once there is room, press Resume."
        )


def _same_models(kept: Kept, pair: LoadedPair) -> None:
    """Refuse to go on with rows that were made by other models, or by several processes at once."""
    now: dict[str, Any] = plan(kept.grid, pair, "local", 1)
    if not kept.plan:
        kept.plan = now
        return
    of_rows = {name: kept.plan.get(name) for name in ("models", "engine", "workers")}
    if where := differences(of_rows, {name: now[name] for name in of_rows}):
        raise PlaygroundError(
            f"The rows were not made as this page would make them: {where}. "
            "Go on where they were made, or press Sweep to begin a new one here."
        )
