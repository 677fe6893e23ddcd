"""One low-priority process for whatever the Lab simulates: the page stays quick, and the interpreter is not shared."""

import multiprocessing
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

import torch

NICE = 10

Answer = TypeVar("Answer")

_pool: ProcessPoolExecutor | None = None
_opening = threading.Lock()


def warm_up() -> None:
    """Start the process before anybody waits for it."""
    submit(os.getpid)


def apart(work: Callable[..., Answer], *args: Any, **kwargs: Any) -> Answer:
    """Do something in the process; an exception in it is raised here.

    Raises:
        BrokenProcessPool: if the process was killed meanwhile. The next work gets another one.
    """
    return submit(work, *args, **kwargs).result()


def submit(work: Callable[..., Answer], *args: Any, **kwargs: Any) -> Future[Answer]:
    """Line something up for the process."""
    try:
        return _open().submit(work, *args, **kwargs)
    except BrokenProcessPool:  # The process was killed before.
        _close()
        return _open().submit(work, *args, **kwargs)


def _open() -> ProcessPoolExecutor:
    global _pool
    with _opening:
        if _pool is None:
            spawn = multiprocessing.get_context("spawn")  # a fork would copy torch's threads in whatever state they are
            _pool = ProcessPoolExecutor(1, mp_context=spawn, initializer=_settle_in, initargs=(os.getpid(),))
        return _pool


def _close() -> None:
    global _pool
    with _opening:
        if _pool is not None:
            _pool.shutdown(wait=False)
        _pool = None


def _settle_in(parent: int) -> None:
    """In the process: give way to everything else, and end when the page's process has ended, however that came."""
    if hasattr(os, "nice"):
        os.nice(NICE)
    torch.set_num_threads(1)

    def leave_with_parent() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(0)

    threading.Thread(target=leave_with_parent, daemon=True).start()
