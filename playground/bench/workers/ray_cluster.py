"""Workers of ray, on this machine or on all machines of a cluster. Ray is offered where it is installed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import torch

from playground.bench.workers.pool import PATIENCE_S, JobRunner, LostError, Prepare, Worker
from playground.errors import PlaygroundError


class RayWorkers:
    """One actor for each GPU of the cluster, or each processor where this machine has none.

    Args:
        number: of workers, if another.

    Raises:
        PlaygroundError: if ray is not here or does not start, or the cluster has no room for that many.
    """

    def __init__(self, number: int | None = None) -> None:
        self.ray = _ray(number)
        kind = "GPU" if torch.cuda.is_available() else "CPU"
        capacity = max(1, int(self.ray.cluster_resources().get(kind, 1)))
        if number and number > capacity:  # those beyond it would wait for ever, each with a run
            raise PlaygroundError(
                f"Ray has room for {capacity} workers, one for each {kind}, not {number}. Choose fewer."
            )
        self.number = number or capacity
        self.needs = {"num_gpus": 1} if kind == "GPU" else {"num_cpus": 1}
        self.lost = 0

    def spawn(self, prepare: Prepare[Any, Any]) -> _Actor:
        """Ask ray for an actor."""
        return _Actor(self.ray, self.ray.remote(**self.needs)(JobRunner).remote(prepare))

    def wait(self, busy: Sequence[Worker]) -> list[Worker]:
        """Return the actors that have answered, or are lost."""
        by_answer = {each.future: each for each in busy if isinstance(each, _Actor)}
        ready, _ = self.ray.wait(list(by_answer), num_returns=1, timeout=PATIENCE_S)
        return [by_answer[future] for future in ready]


class _Actor:
    """The program's handle of one Ray actor."""

    def __init__(self, ray: Any, actor: Any) -> None:
        self.ray, self.actor = ray, actor
        self.future: Any = None

    def begin(self, job: Any) -> None:
        """Give it a job."""
        self.future = self.actor.do.remote(job)

    def answer(self) -> tuple[Any, str]:
        """Wait for the job that was begun, and return its answer."""
        errors = self.ray.exceptions
        try:
            return self.ray.get(self.future)
        except errors.RayTaskError:  # raised by our own code: a bug
            raise
        except errors.RayError:
            raise LostError from None

    def close(self) -> None:
        """End it."""
        self.ray.kill(self.actor)


def _ray(number: int | None) -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would report its use to its makers
    try:
        import ray  # pyright: ignore[reportMissingImports]  # offered where it is installed, required nowhere
    except Exception as error:  # with other packages installed, importing has failed with a KeyError
        raise PlaygroundError(
            f"The engine ray cannot be used: importing ray fails ({type(error).__name__}). "
            "Install it with pip install ray, or choose the engine processes or local."
        ) from None
    if not ray.is_initialized():
        settings: dict[str, object] = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}
        if number and not os.environ.get("RAY_ADDRESS"):
            settings["num_cpus"] = max(number, os.cpu_count() or 1)
        try:
            ray.init(**settings)
        except Exception as error:
            raise PlaygroundError(f"ray does not start: {error} Choose the engine processes or local.") from None
    return ray
