"""A race in a worker thread, in step with the page."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from playground.bench.race import race
from playground.ui.live.device import device
from playground.ui.live.work import LiveWork
from playground.ui.race.runs import RaceRuns
from playground.ui.race.setup import RaceSetup

LEAST_INTERVAL_S = 0.4  # between two steps: each costs the race the time that the page takes for it


class Step(NamedTuple):
    """The progress of a race."""

    done: int  # runs, one warm-up per entry included
    total: int
    seconds: float  # since the first run began


class LiveRace(LiveWork[Step | str]):
    """One race, from asking for it to its rows.

    Args:
        setup: what is raced; its models are read in the worker, because that takes long.
        stop: set it to end the race before its next round; the runs that are done are kept.
        fetch: brings the models to this machine, while others may use the device; takes what tells the page.

    Attributes:
        rows, runs: there once `steps` has ended by itself.
        num_runs: measured runs, if the race is not stopped.
    """

    def __init__(
        self,
        setup: RaceSetup,
        stop: threading.Event | None = None,
        fetch: Callable[[Callable[[str], None]], None] = lambda tell: None,
    ) -> None:
        super().__init__("race", stop)
        self.setup = setup
        self._fetch = fetch
        self._began = 0.0
        self.rows: list[dict[str, Any]] = []
        self.num_runs = 0
        self.runs = RaceRuns()

    def _work(self) -> None:
        if self.stop.is_set():
            self.was_stopped = True
            return
        setup = self.setup
        self._fetch(self._hand_over)
        with device:
            if not self.stop.is_set():
                requests, refused = setup.requests()
                self.num_runs = len(requests) * len(setup.prompts) * setup.repeats
                self._began = time.monotonic()
                self._progress(0, len(requests) + self.num_runs)
                rows = race(
                    requests,
                    repeats=setup.repeats,
                    seed=setup.seed,
                    progress=self._progress,
                    keep=self.runs.keep,
                    stop=self.stop.is_set,
                )
                self.rows = _in_order(setup, rows, refused)
                self.seconds = time.monotonic() - self._began
            self.was_stopped = self.stop.is_set()

    def _progress(self, done: int, total: int) -> None:
        """Tell the page between runs, and let other sessions that wait for the device have it first."""
        if not done or self._is_due(LEAST_INTERVAL_S):
            self._tell(Step(done, total, time.monotonic() - self._began))
        if not self.stop.is_set():
            device.give_way()


def _in_order(setup: RaceSetup, rows: list[dict[str, Any]], refused: dict[str, str]) -> list[dict[str, Any]]:
    """Return the rows in the order of the entries, those that could not run among them."""
    by_label = {row["label"]: row for row in rows}
    return [
        by_label.get(entry.label)
        or {"label": entry.label, "method": entry.method, "options": entry.options, "failed": refused[entry.label]}
        for entry in setup.entries
    ]
