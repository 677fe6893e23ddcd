"""A race in a worker thread, in step with the page: while a run is timed the page waits, and the other way round.

Both are threads of one process. A page that drew while a run went on would take the interpreter from it, and the time
would be in the run's clock.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from playground.bench.race import race
from playground.ui.device import device
from playground.ui.race_runs import RaceRuns
from playground.ui.race_setup import RaceSetup

LEAST_INTERVAL_S = 0.4  # between two steps: each costs the race the time that the page takes for it
PATIENCE_S = 0.2  # how often a race that waits for the page looks whether it was stopped


class Step(NamedTuple):
    """How far a race is."""

    done: int  # runs, one warm-up per entry included
    total: int
    seconds: float  # since the first run began


class LiveRace:
    """One race, from asking for it to its rows.

    Args:
        prepare: makes the setup; called in the worker, because reading files and loading models takes long.
        stop: set it to end the race before its next round; the runs that are done are kept.

    Attributes:
        setup, rows, runs: there once `steps` has ended by itself; `setup` is None where even that was not reached.
        num_runs: measured runs, if the race is not stopped.
        seconds: how long it took.
        was_stopped: whether it ended before its end.
    """

    def __init__(self, prepare: Callable[[], RaceSetup], stop: threading.Event | None = None) -> None:
        self._prepare = prepare
        self._queue: queue.SimpleQueue[Step | BaseException | None] = queue.SimpleQueue()
        self._page_is_ready = threading.Event()
        self._thread = threading.Thread(target=self._work, name="race", daemon=True)
        self._began = self._told = 0.0
        self.stop = stop or threading.Event()
        self.setup: RaceSetup | None = None
        self.rows: list[dict[str, Any]] = []
        self.num_runs = 0
        self.seconds = 0.0
        self.was_stopped = False
        self.runs = RaceRuns()

    def steps(self) -> Iterator[Step]:
        """Start the race and yield how far it is, until it ends.

        Leaving the iteration early stops it; an exception in the race is raised here.
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

    def _work(self) -> None:
        try:
            with device:
                if not self.stop.is_set():
                    setup = self._prepare()
                    requests, refused = setup.requests()
                    self.setup = setup
                    self.num_runs = len(requests) * len(setup.prompts) * setup.repeats
                    self._began = time.monotonic()
                    self._tell(0, len(requests) + self.num_runs)
                    rows = race(
                        requests,
                        repeats=setup.repeats,
                        seed=setup.seed,
                        progress=self._tell,
                        keep=self.runs.keep,
                        stop=self.stop.is_set,
                    )
                    self.rows = _in_order(setup, rows, refused)
                    self.seconds = time.monotonic() - self._began
                self.was_stopped = self.stop.is_set()
            self._queue.put(None)
        except BaseException as error:  # handed to the page's thread, which knows what to show
            self._queue.put(error)

    def _tell(self, done: int, total: int) -> None:
        """Hand a step to the page, and wait until it has been shown. Called between runs."""
        now = time.monotonic()
        if done and now - self._told < LEAST_INTERVAL_S:
            return
        self._page_is_ready.clear()
        self._queue.put(Step(done, total, now - self._began))
        while not self._page_is_ready.wait(PATIENCE_S) and not self.stop.is_set():
            pass
        self._told = time.monotonic()


def _in_order(setup: RaceSetup, rows: list[dict[str, Any]], refused: dict[str, str]) -> list[dict[str, Any]]:
    """The rows in the order of the entries, those that could not run among them."""
    by_label = {row["label"]: row for row in rows}
    return [
        by_label.get(entry.label)
        or {"label": entry.label, "method": entry.method, "options": entry.options, "failed": refused[entry.label]}
        for entry in setup.entries
    ]
