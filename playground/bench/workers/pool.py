"""Jobs of a worker pool whose workers may die: a lost worker costs time, and no job.

The workers themselves are in processes.py and ray_cluster.py; this file has their queue.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, Protocol, TypeVar

import torch

from playground.errors import PlaygroundError

Job = TypeVar("Job")
Answer = TypeVar("Answer")
Prepare = Callable[[], Callable[[Job], Answer]]  # called in the worker before its first job: reads the models there

PATIENCE_S = 0.2  # between two looks at `stop`
MOST_LOST = 3  # workers that one job may cost


class LostError(Exception):
    """A worker has died."""


class Worker(Protocol):
    """A process that does one job at a time."""

    def begin(self, job: Any) -> None:
        """Give it a job."""
        ...

    def answer(self) -> tuple[Any, str]:
        """Return the result of the job: (answer, reason why the worker can do none).

        Raises:
            LostError: if the worker was lost over it.
        """
        ...

    def close(self) -> None:
        """End it, whatever it does."""
        ...


class WorkerPool(Protocol):
    """Starts workers, and waits for them."""

    number: int  # One worker fewer goes on after each that could do nothing, as where memory holds no more.
    lost: int  # workers that have died

    def spawn(self, prepare: Prepare[Any, Any]) -> Worker:
        """Start a worker."""
        ...

    def wait(self, busy: Sequence[Worker]) -> list[Worker]:
        """Return the workers that have an answer or are lost; none after `PATIENCE_S`."""
        ...


class JobRunner(Generic[Job, Answer]):
    """The worker's side, in its own process."""

    def __init__(self, prepare: Prepare[Job, Answer]) -> None:
        self._prepare = prepare
        self._work: Callable[[Job], Answer] | None = None

    def do(self, job: Job) -> tuple[Answer | None, str]:
        """(answer, "") or (None, reason why no job can be done here)."""
        if self._work is None:
            torch.set_num_threads(1)  # one worker per processor
            try:
                self._work = self._prepare()
            except PlaygroundError as error:
                return None, str(error)
        return self._work(job), ""


def share_out(
    pool: WorkerPool, prepare: Prepare[Job, Answer], jobs: Sequence[Job], stop: Callable[[], bool] = lambda: False
) -> Iterator[tuple[Job, Answer | None]]:
    """Yield each job with its answer, in the order in which they end.

    A job whose worker was lost is done by another one, after those in the queue. One that has cost three workers has
    None for an answer: it is what kills them, by the memory that it takes or otherwise. A worker that can do nothing,
    as memory does not hold its models, leaves its job to the others.

    Args:
        prepare: called in each worker before its first job.
        stop: called a few times a second; once it says True the jobs in progress are dropped.

    Raises:
        PlaygroundError: if no worker can do any job.
    """
    queue = deque((job, 0) for job in jobs)
    busy: dict[Worker, tuple[Job, int]] = {}  # with the number of workers that the job has cost
    idle: list[Worker] = []
    has_answered = False
    try:
        while (queue or busy) and not stop():
            while queue and len(busy) < pool.number:
                worker = idle.pop() if idle else pool.spawn(prepare)
                busy[worker] = queue.popleft()
                worker.begin(busy[worker][0])
            for worker in pool.wait(list(busy)):
                job, lost = busy.pop(worker)
                try:
                    answer, refusal = worker.answer()
                except LostError:
                    _lose(pool, worker, has_answered)
                    if lost + 1 < MOST_LOST:
                        queue.append((job, lost + 1))
                    else:
                        yield job, None
                    continue
                if refusal:
                    _shrink(pool, worker, refusal)
                    queue.appendleft((job, lost))
                    continue
                has_answered = True
                if queue:
                    idle.append(worker)
                else:
                    worker.close()  # another one may need its memory
                yield job, answer
    finally:
        for worker in [*busy, *idle]:
            worker.close()


def _lose(pool: WorkerPool, worker: Worker, has_answered: bool) -> None:
    """Count a dead worker; give up where many died before any had answered."""
    worker.close()
    pool.lost += 1
    if not has_answered and pool.lost >= MOST_LOST * pool.number:
        raise PlaygroundError(
            f"{pool.lost} workers were lost before any had made a run. Try fewer workers, as each needs memory for its "
            "own models, or the engine local."
        ) from None


def _shrink(pool: WorkerPool, worker: Worker, refusal: str) -> None:
    """Go on with one worker fewer; give up where it was the last."""
    worker.close()
    pool.number -= 1
    if not pool.number:
        raise PlaygroundError(refusal)
