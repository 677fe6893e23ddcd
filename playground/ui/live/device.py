"""The device, which one run at a time may use: a run holds it while it decodes, first come, first served."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from playground.ui.live import waits

Answer = TypeVar("Answer")

MOST_RACES = 4  # that go on at a time, and as many sweeps: run by run they take turns, and each holds its results


class Device:
    """A first-in, first-out lock."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._is_held = False
        self._waiting: deque[threading.Event] = deque()
        self._part_began = time.monotonic()
        # how long something long held it last between two chances for others; None before the first
        self.part_s: float | None = None
        self._aside_began: float | None = None

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Take it, as a lock is taken; whether that came to pass."""
        with self._mutex:
            if not self._is_held:
                self._is_held, self._part_began = True, time.monotonic()
                return True
            if not blocking:
                return False
            turn = threading.Event()
            self._waiting.append(turn)
        if not turn.wait(None if timeout < 0 else timeout):
            with self._mutex:
                if not turn.is_set():
                    self._waiting.remove(turn)
                    return False
        self._part_began = time.monotonic()  # handed over, perhaps just now
        return True

    def release(self) -> None:
        """Hand it to the next one who waits."""
        with self._mutex:
            assert self._is_held, "nobody has the device"
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._is_held = False

    def give_way(self) -> None:
        """Let all that wait now go first. Called between two runs, by its holder."""
        self.part_s = time.monotonic() - self._part_began
        self._part_began = time.monotonic()
        if self._waiting:
            self.release()
            self.acquire()

    def aside_left_s(self, usual_s: float) -> float:
        """Seconds left to its holder, if that is not a run and such work usually takes so long; else 0."""
        began = self._aside_began
        return 0.0 if began is None else max(0.0, usual_s - (time.monotonic() - began))

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Have it for something that is no run, and learn how long that takes."""
        with self:
            self._aside_began = began = time.monotonic()
            try:
                yield
            finally:
                self._aside_began = None
                waits.learn_aside(time.monotonic() - began)

    def locked(self) -> bool:
        """Return whether a run has it."""
        return self._is_held

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


device = Device()
sampling = threading.Lock()  # held beside it by a bench that has the device for a moment: no run is timed then


def a_run_is_timed() -> bool:
    """Return whether a run has the device, and so nothing else should take the processor from it."""
    return device.locked() and not sampling.locked()


def on_device(work: Callable[[], Answer]) -> Answer:
    """Do something with the models while no other run uses any; an exception in it is raised here."""
    with device.aside():
        return in_own_thread(work)


def in_own_thread(work: Callable[[], Answer]) -> Answer:
    """Run a function in a thread of its own and raise its exception here."""
    with ThreadPoolExecutor(1, thread_name_prefix="measuring") as worker:
        return worker.submit(work).result()
