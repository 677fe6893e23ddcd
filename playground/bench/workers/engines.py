"""The engines by name, as a command or a call says them."""

from __future__ import annotations

from playground.bench.workers import Engine
from playground.bench.workers.pool import WorkerPool
from playground.bench.workers.processes import ProcessWorkers
from playground.bench.workers.ray_cluster import RayWorkers
from playground.errors import PlaygroundError

MOST_WORKERS = 1024


def worker_pool(engine: Engine, workers: int | None = None) -> WorkerPool | None:
    """Return the workers of an engine; None for "local", which has none.

    Args:
        engine: its name.
        workers: how many at a time; as many as there is room for when None.

    Raises:
        PlaygroundError: if there is no such engine here, or not with so many workers.
    """
    if workers is not None and not 1 <= workers <= MOST_WORKERS:
        raise PlaygroundError(f"{workers} workers is out of range. Choose 1 to {MOST_WORKERS}.")
    if engine == "local":
        if workers and workers > 1:
            raise PlaygroundError("The engine local makes one run at a time. Choose processes or ray for more workers.")
        return None
    return ProcessWorkers(workers) if engine == "processes" else RayWorkers(workers)
