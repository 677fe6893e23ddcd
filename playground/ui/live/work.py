"""Work in a thread of its own, the same one from the first call to the last, and a page that follows it.

Both are threads of one process: a page that drew while a run is timed would take the interpreter from it, and the time
would be in the run's clock. So what is there to be measured hands its steps over by `_tell`, which waits for the page;
what is there to be watched, by `_hand_over`, which does not.
"""

import asyncio
import queue
import threading
import time
from collections.abc import Iterator
from typing import Generic, TypeVar

from playground.errors import is_panic

PATIENCE_S = 0.2  # Work that waits for the page looks so often whether it was stopped.

Step = TypeVar("Step")


class LiveWork(Generic[Step]):
    """Some work, from asking for it to its end; `_work` does it.

    Args:
        name: of the thread.
        stop: set it to end the work before its next round; what is done is kept.
    """

    def __init__(self, name: str, stop: threading.Event | None) -> None:
        self.stop = stop or threading.Event()
        self.seconds = 0.0  # The work took so long.
        self.was_stopped = False  # True where it was ended early
        self._queue: queue.SimpleQueue[Step | BaseException | None] = queue.SimpleQueue()
        self._page_is_ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._last_step_at = 0.0

    def steps(self) -> Iterator[Step]:
        """Start the work and yield how far it is, until it ends.

        Leaving the iteration early stops it; an exception in it is raised here. Its end is waited for, but not in an
        event loop, where Gradio leaves what a closed page asked for: the work may wait for other work, whose page waits
        for that loop.
        """
        self._thread.start()
        try:
            yield from self._followed()
        finally:
            self.stop.set()
            if not _in_event_loop():
                self._thread.join()

    def _followed(self) -> Iterator[Step]:
        while (step := self._next_step()) is not None:
            yield step
            self._page_is_ready.set()

    def _next_step(self, *, wait: bool = True) -> Step | None:
        """Return the next step, None at the end; raises `queue.Empty` where none is there and it is not waited for."""
        item = self._queue.get(block=wait)
        if isinstance(item, BaseException):
            if is_panic(item):  # A panic would end the page's event without an answer.
                raise RuntimeError(str(item)) from item
            raise item
        return item

    def _run(self) -> None:
        try:
            self._work()
            self._queue.put(None)
        except BaseException as error:  # handed to the page's thread, which knows what to show
            self._queue.put(error)

    def _work(self) -> None:
        raise NotImplementedError

    def _is_due(self, interval_s: float) -> bool:
        """Return whether enough time has passed since the page's last message for another."""
        return time.monotonic() - self._last_step_at >= interval_s

    def _hand_over(self, step: Step) -> None:
        """Give a step to the page and go on."""
        self._queue.put(step)

    def _tell(self, step: Step) -> None:
        """Give a step to the page, and wait until it has been shown. Called between runs."""
        self._page_is_ready.clear()
        self._hand_over(step)
        while not self._page_is_ready.wait(PATIENCE_S) and not self.stop.is_set():
            pass
        self._last_step_at = time.monotonic()


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
