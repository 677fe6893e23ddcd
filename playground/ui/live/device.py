"""The device, which one run at a time may use: a run holds it while it decodes, first come, first served."""

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Answer = TypeVar("Answer")

MOST_RACES = 4  # So many go on at a time, and as many sweeps: they take turns run by run, and each holds its results.


class Device:
    """A first-in, first-out lock."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._is_held = False
        self._waiting: deque[threading.Event] = deque()

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Take it, as a lock is taken; whether that came to pass."""
        with self._mutex:
            if not self._is_held:
                self._is_held = True
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
        if self._waiting:
            self.release()
            self.acquire()

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
    with device:
        return in_own_thread(work)


def in_own_thread(work: Callable[[], Answer]) -> Answer:
    """Run a function in a thread of its own and raise its exception here."""
    with ThreadPoolExecutor(1, thread_name_prefix="measuring") as worker:
        return worker.submit(work).result()
