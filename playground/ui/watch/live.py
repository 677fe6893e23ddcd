"""A run in a worker thread, its events handed over through a queue.

The models run in one thread from the first call to the last, whatever thread the page's generator is resumed in. One
run at a time has the device; the others wait.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from playground.decoding.decode import Request
from playground.decoding.record import record
from playground.trace.events import Event
from playground.ui.page.device import device

LEAST_INTERVAL_S = 0.05  # between two batches: a page redraws no faster, and every message costs decoding time
MOST_INTERVAL_S = 0.25
SHARE = 0.05  # of the time so far is the pause between two batches: what a batch costs the page grows with the run

Answer = TypeVar("Answer")


def on_device(work: Callable[[], Answer]) -> Answer:
    """Do something with the models while nobody else runs any; an exception in it is raised here."""
    with device, ThreadPoolExecutor(1, thread_name_prefix="measuring") as worker:
        return worker.submit(work).result()


class LiveRun:
    """One run, from asking for it to its last event.

    Args:
        prepare: makes the request; called in the worker, because loading models takes long.
        stop: set it to end the run before its next round; what was done is kept.
        interval: how long the page wants between two batches; asked before each.
    """

    def __init__(
        self,
        prepare: Callable[[], Request],
        stop: threading.Event | None = None,
        interval: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._prepare = prepare
        self._interval = interval
        self._queue: queue.SimpleQueue[list[Event] | BaseException | None] = queue.SimpleQueue()
        self.stop = stop or threading.Event()
        self._thread = threading.Thread(target=self._work, name="decoding", daemon=True)

    def batches(self) -> Iterator[list[Event]]:
        """Start the run and yield its events as they come, several rounds together when they come fast.

        Leaving the iteration early, or an exception in the run, stops it; the exception is raised here.
        """
        self._thread.start()
        began, last = time.monotonic(), 0.0
        try:
            ended = False
            while not ended:
                item = self._queue.get()
                now = time.monotonic()
                interval = max(self._interval(), min(MOST_INTERVAL_S, max(LEAST_INTERVAL_S, SHARE * (now - began))))
                self.stop.wait(max(0.0, last + interval - now))  # in the page's thread, not the models'
                batch, ended = self._drain(item)
                last = time.monotonic()
                if batch:
                    yield batch
        finally:
            self.stop.set()
            self._thread.join()

    def _drain(self, item: list[Event] | BaseException | None) -> tuple[list[Event], bool]:
        """Everything that is there now, and whether it is the end."""
        batch: list[Event] = []
        while True:
            if item is None:
                return batch, True
            if isinstance(item, BaseException):
                raise item
            batch += item
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                return batch, False

    def _work(self) -> None:
        try:
            with device:
                for events in record(self._prepare(), self.stop.is_set):
                    self._queue.put(events)
            self._queue.put(None)
        except BaseException as error:  # handed to the page's thread, which knows what to show
            self._queue.put(error)
