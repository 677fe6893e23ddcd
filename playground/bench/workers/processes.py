"""Workers that are processes of this machine, each with models of its own."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing import connection
from multiprocessing.connection import Connection
from typing import Any

import torch

from playground.bench.workers.pool import PATIENCE_S, JobRunner, LostError, Prepare, Worker


class ProcessWorkers:
    """One process for each processor that this program may use; one where there is a GPU, which they would share."""

    def __init__(self, number: int | None = None) -> None:
        processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self.number = number or (1 if torch.cuda.is_available() else processors)
        self.lost = 0

    def spawn(self, prepare: Prepare[Any, Any]) -> _Process:
        """Start a process."""
        return _Process(prepare)

    def wait(self, busy: Sequence[Worker]) -> list[Worker]:
        """Return the processes whose pipe has something to read, or its end."""
        by_pipe = {each.pipe: each for each in busy if isinstance(each, _Process)}
        ready = connection.wait(list(by_pipe), PATIENCE_S)
        return [worker for pipe, worker in by_pipe.items() if pipe in ready]


class _Process:
    """One process, seen from the program."""

    def __init__(self, prepare: Prepare[Any, Any]) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would copy torch's threads in whatever state they are
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, prepare), daemon=True)
        self.process.start()
        theirs.close()  # so that the pipe ends when the process does

    def begin(self, job: Any) -> None:
        """Give it a job."""
        with suppress(OSError):  # it is lost, and `answer` says so
            self.pipe.send(job)

    def answer(self) -> tuple[Any, str]:
        """Wait for the job that was begun, and return its answer."""
        try:
            return self.pipe.recv()
        except (EOFError, OSError):
            raise LostError from None

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _serve(pipe: Connection, prepare: Prepare[Any, Any]) -> None:
    """In the worker process: run jobs until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program, which then ends this
    runner: JobRunner[Any, Any] = JobRunner(prepare)
    with suppress(EOFError, OSError):
        while True:
            pipe.send(runner.do(pipe.recv()))
