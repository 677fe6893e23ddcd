"""Jobs shared out among workers that may die: whoever is lost costs time, and no job.

What a worker is, processes.py and ray_cluster.py say. This file says who does what next.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, Protocol, TypeVar

import torch

from playground.errors import PlaygroundError

Job = TypeVar("Job")
Answer = TypeVar("Answer")
Prepare = Callable[[], Callable[[Job], Answer]]  # made in the worker, before its first job: reads the models there

PATIENCE_S = 0.2  # how often it is looked whether to stop
MOST_LOST = 3  # workers that one job may cost


class LostError(Exception):
    """A worker is there no more."""


class Worker(Protocol):
    """One that does a job at a time."""

    def begin(self, job: Any) -> None:
        """Give it a job."""
        ...

    def answer(self) -> tuple[Any, str]:
        """What came of the job: (answer, why the worker cannot do any).

        Raises:
            LostError: if the worker was lost over it.
        """
        ...

    def dismiss(self) -> None:
        """End it, whatever it does."""
        ...


class Crew(Protocol):
    """Those who can be hired.

    Attributes:
        number: of workers at a time; one fewer after each that could do nothing, as where there is room for no more.
        lost: how many were lost by now.
    """

    number: int
    lost: int

    def hire(self, prepare: Prepare[Any, Any]) -> Worker:
        """One more worker."""
        ...

    def wait(self, busy: Sequence[Worker]) -> list[Worker]:
        """Those of them who have an answer or are lost; after a while nobody."""
        ...


class Hand(Generic[Job, Answer]):
    """What a worker is in its own process."""

    def __init__(self, prepare: Prepare[Job, Answer]) -> None:
        self._prepare = prepare
        self._work: Callable[[Job], Answer] | None = None

    def do(self, job: Job) -> tuple[Answer | None, str]:
        """(answer, "") or (None, why no job can be done here)."""
        if self._work is None:
            torch.set_num_threads(1)  # as many workers as processors
            try:
                self._work = self._prepare()
            except PlaygroundError as error:
                return None, str(error)
        return self._work(job), ""


def share_out(
    crew: Crew, prepare: Prepare[Job, Answer], jobs: Sequence[Job], stop: Callable[[], bool] = lambda: False
) -> Iterator[tuple[Job, Answer | None]]:
    """Each job with its answer, in the order in which they end.

    A job whose worker was lost is done by another one, after those that wait. One that has cost three workers has None
    for an answer: it is what kills them, by the memory that it takes or otherwise. A worker that can do nothing, as it
    has no room for its models, leaves its job to the others.

    Args:
        crew: who does them.
        prepare: called in each worker before its first job.
        jobs: to be done.
        stop: asked a few times a second; once it says True the jobs in hand are dropped.

    Raises:
        PlaygroundError: if no worker can do any job.
    """
    waiting = deque((job, 0) for job in jobs)
    busy: dict[Worker, tuple[Job, int]] = {}  # with how many workers the job has cost
    idle: list[Worker] = []
    has_answered = False
    try:
        while (waiting or busy) and not stop():
            while waiting and len(busy) < crew.number:
                worker = idle.pop() if idle else crew.hire(prepare)
                busy[worker] = waiting.popleft()
                worker.begin(busy[worker][0])
            for worker in crew.wait(list(busy)):
                job, lost = busy.pop(worker)
                try:
                    answer, refusal = worker.answer()
                except LostError:
                    worker.dismiss()
                    crew.lost += 1
                    if not has_answered and crew.lost >= MOST_LOST * crew.number:
                        raise PlaygroundError(
                            f"{crew.lost} workers were lost before any had made a run. Try fewer workers, as each "
                            "needs memory for its own models, or the engine local."
                        ) from None
                    if lost + 1 < MOST_LOST:
                        waiting.append((job, lost + 1))
                    else:
                        yield job, None
                    continue
                if refusal:
                    worker.dismiss()
                    crew.number -= 1
                    if not crew.number:
                        raise PlaygroundError(refusal)
                    waiting.appendleft((job, lost))
                    continue
                has_answered = True
                if waiting:
                    idle.append(worker)
                else:
                    worker.dismiss()  # another one may wait for its place
                yield job, answer
    finally:
        for worker in [*busy, *idle]:
            worker.dismiss()
