"""Threads of ours that run a compiled program together; started once, and outside of torch."""

import os
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

import numpy as np

NUMBERS, LOST = 24, 16  # see `meeting`, which needs numba

Program = Callable[..., None]  # takes index, number and barrier before everything else


class Team:
    """The threads of this process beside the one that asks."""

    def __init__(self) -> None:
        self.number = 1  # This many run a pass; see `modes.use_threads`.
        self._queues: list[SimpleQueue[tuple[Program, tuple[Any, ...]]]] = []
        self._is_busy = threading.Lock()

    def run(self, program: Program, number: int, *arguments: Any) -> None:
        """Run a program on this many threads; on this one alone while the others work for somebody else.

        Raises:
            RuntimeError: if another thread failed.
        """
        if number == 1 or not self._is_busy.acquire(blocking=False):
            program(0, 1, np.zeros(NUMBERS, np.int64), *arguments)
            return
        barrier = np.zeros(NUMBERS, np.int64)
        try:
            while len(self._queues) < number - 1:
                self._start()
            for index in range(1, number):
                self._queues[index - 1].put((program, (index, number, barrier, *arguments)))
            program(0, number, barrier, *arguments)
        except BaseException:
            barrier[LOST] = 1
            raise
        finally:
            self._is_busy.release()
        if barrier[LOST]:
            raise RuntimeError("a thread of a compiled pass failed")

    def _start(self) -> None:
        queue: SimpleQueue[tuple[Program, tuple[Any, ...]]] = SimpleQueue()
        threading.Thread(target=_work, args=(queue,), name="compiled pass", daemon=True).start()
        self._queues.append(queue)


def _work(queue: "SimpleQueue[tuple[Program, tuple[Any, ...]]]") -> None:
    while True:
        program, arguments = queue.get()
        try:
            program(*arguments)
        except BaseException:  # whoever asked says so
            arguments[2][LOST] = 1
        del program, arguments  # They may hold a whole model.


team = Team()
if hasattr(os, "register_at_fork"):  # a forked process has none of the threads
    os.register_at_fork(after_in_child=lambda: team.__init__())
