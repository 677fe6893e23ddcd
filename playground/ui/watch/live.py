"""A run in a worker thread, its events handed over as they come, several rounds together when they come fast.

One run at a time has the device; the others wait.
"""

import queue
import threading
import time
from collections.abc import Callable, Iterator

from playground.decoding.decode import Request
from playground.decoding.record import record
from playground.trace.events import Event
from playground.ui.live.device import device
from playground.ui.live.work import LiveWork

LEAST_INTERVAL_S = 0.05  # between two batches: a page redraws no faster, and every message costs decoding time
MOST_INTERVAL_S = 0.25
# The pause between two batches is this share of the time so far: a batch costs the page more as the run grows.
SHARE = 0.05


class LiveRun(LiveWork[list[Event] | str]):
    """One run, from asking for it to its last event; each step is a batch of events, or before them a sentence.

    Args:
        prepare: makes the request; called in the worker, because loading models takes long.
        stop: set it to end the run before its next round; what was done is kept.
        interval: how long the page wants between two batches; asked before each.
        fetch: brings to this machine what `prepare` needs, while others may use the device.
    """

    def __init__(
        self,
        prepare: Callable[[], Request],
        stop: threading.Event | None = None,
        interval: Callable[[], float] = lambda: 0.0,
        fetch: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__("decoding", stop)
        self._prepare = prepare
        self._interval = interval
        self._fetch = fetch

    def say(self, text: str) -> None:
        """Tell the page how far `fetch` or `prepare` is."""
        self._hand_over(text)

    def _work(self) -> None:
        self._fetch()
        with device:
            for events in record(self._prepare(), self.stop.is_set, interval_s=LEAST_INTERVAL_S):
                self._hand_over(events)

    def _followed(self) -> Iterator[list[Event] | str]:
        began, last = time.monotonic(), 0.0
        while (first := self._next_step()) is not None:
            if isinstance(first, str):
                yield first
                continue
            now = time.monotonic()
            interval = max(self._interval(), min(MOST_INTERVAL_S, max(LEAST_INTERVAL_S, SHARE * (now - began))))
            self.stop.wait(max(0.0, last + interval - now))  # The page's thread waits, and the models go on.
            batch, ended = self._drained(first)
            last = time.monotonic()
            if batch:
                yield batch
            if ended:
                return

    def _drained(self, batch: list[Event]) -> tuple[list[Event], bool]:
        """Return all results so far, and whether they are complete."""
        batch = list(batch)
        try:
            while (more := self._next_step(wait=False)) is not None:
                assert not isinstance(more, str), "a run has nothing more to say once it has begun"
                batch += more
            return batch, True
        except queue.Empty:
            return batch, False
        except Exception as error:  # shown behind what came before it
            self._queue.put(error)
            return batch, False
