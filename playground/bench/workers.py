"""Where the runs of a sweep happen: here, one after another, or in the workers of ray, several at a time.

Runs that share a machine slow each other down, so their times compare only among themselves. A sweep's plan therefore
names its engine and its number of workers, and results of different ones never stand in one folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch

from playground.bench.grid import Grid, Point, requests
from playground.decoding.decode import Request, decode
from playground.decoding.record import run
from playground.errors import PlaygroundError
from playground.metrics.comparison import run_numbers
from playground.models.loading import LoadedPair, load_pair
from playground.theory.roofline import Machine
from playground.trace import Trace, from_json, to_json
from playground.trace.texts import best_text

WARM_UP_TOKENS = 8

Outcome = tuple[dict[str, Any], Trace | None]  # a row, and its trace unless the run failed


class Runner:
    """Makes runs in one process. The first run of a setting is preceded by a short one that is not counted."""

    def __init__(self, asked: dict[int, Request], machine: Machine | None) -> None:
        self.asked = asked
        self.machine = machine
        self.warm: set[str] = set()

    def run(self, point: Point, stop: Callable[[], bool] = lambda: False) -> Outcome | None:
        """One run; None if it was stopped. A run that fails is a row with its `failed` sentence."""
        request = self.asked[point.run]
        if point.entry.label not in self.warm:
            self.warm.add(point.entry.label)
            _warm_up(request)
        try:
            trace = run(request, stop)
        except PlaygroundError as error:
            return point.as_dict() | {"failed": str(error)}, None
        except Exception as error:  # whatever a method does wrong fails its run, not the sweep
            return point.as_dict() | {"failed": f"{type(error).__name__}: {error}"}, None
        if trace.finished and trace.finished.reason == "stopped":
            return None
        token_ids = [word.token for word in best_text(trace)]  # so that a run made again can be told to be the same
        return point.as_dict() | run_numbers(trace, self.machine) | {"token_ids": token_ids}, trace


def run_here(runner: Runner, missing: Sequence[Point], stop: Callable[[], bool]) -> Iterator[Outcome]:
    """One run after another. The run in flight is dropped when `stop` says True."""
    for point in missing:
        outcome = None if stop() else runner.run(point, stop)
        if outcome is None:
            return
        yield outcome


class RayWorkers:
    """Workers of ray: one per GPU, or per processor where there is none, each with models of its own.

    Raises:
        PlaygroundError: if ray is not here or does not start.
    """

    def __init__(self) -> None:
        self.ray = _ray()
        resources = self.ray.cluster_resources()
        on_gpu = torch.cuda.is_available()
        self.number = max(1, int(resources.get("GPU" if on_gpu else "CPU", 1)))
        self.needs = {"num_gpus": 1} if on_gpu else {"num_cpus": 1}

    def run(
        self,
        grid: Grid,
        missing: Sequence[Point],
        machine: Machine | None,
        pair: LoadedPair | None,
        stop: Callable[[], bool],
    ) -> Iterator[Outcome]:
        """Runs in the order in which they end. Those in flight are dropped when `stop` says True."""
        ray = self.ray
        worker = ray.remote(**self.needs)(_Worker)
        workers = [worker.remote(grid, machine, pair) for _ in range(min(self.number, len(missing)))]
        waiting = list(reversed(missing))
        busy = {each.run.remote(waiting.pop()): each for each in workers}
        try:
            while busy and not stop():
                ready, _ = ray.wait(list(busy), num_returns=1, timeout=0.2)
                for done in ready:
                    each = busy.pop(done)
                    row, trace = ray.get(done)
                    if waiting:
                        busy[each.run.remote(waiting.pop())] = each
                    yield row, from_json(trace) if trace else None
        finally:
            for each in workers:
                ray.kill(each)


class _Worker:
    """What runs in another process."""

    def __init__(self, grid: Grid, machine: Machine | None, pair: LoadedPair | None) -> None:
        torch.set_num_threads(1)
        self.runner = Runner(requests(grid, pair or load_pair(grid.pair)), machine)

    def run(self, point: Point) -> tuple[dict[str, Any], str | None]:
        """A row, and its trace as it would be in a file."""
        outcome = self.runner.run(point)
        assert outcome is not None, f"run {point.run} was stopped, and nothing here asks for that"
        row, trace = outcome
        return row, to_json(trace) if trace else None


def _ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would report its use to its makers
    try:
        import ray  # pyright: ignore[reportMissingImports]  # offered where it is installed, required nowhere
    except Exception as error:  # with other packages beside it, importing has failed with a KeyError
        raise PlaygroundError(
            f"The engine ray cannot be used: importing ray fails ({type(error).__name__}). "
            "Install it with pip install ray, or choose the engine local."
        ) from None
    if not ray.is_initialized():
        try:
            ray.init(include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        except Exception as error:
            raise PlaygroundError(f"ray does not start: {error} Choose the engine local.") from None
    return ray


def _warm_up(request: Request) -> None:
    """The first passes of a shape are slow; spend them outside a run. A method that fails here fails in its run."""
    try:
        for _ in decode(replace(request, max_new_tokens=min(WARM_UP_TOKENS, request.max_new_tokens))):
            pass
    except Exception:
        return
