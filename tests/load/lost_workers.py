"""64 runs on two workers, one of which is killed: `python -m tests.load.lost_workers --engine ray`

The rows are those of the local engine, with the same tokens, and nothing is lost. Told is also how much sooner two
workers are done than none, each with the bundled pair, both counted from the first run that is there to the last.
"""

from __future__ import annotations

import argparse
import os
import signal
import tempfile
import time
from pathlib import Path

import psutil
import torch

from playground.bench.grid import Grid
from playground.bench.sweep import Progress, sweep
from tests.bench.test_sweep import untimed, without_energy

GRID = Grid(
    choices=(("speculative_sampling", {}), ("rsd_s", {})),
    axes={"draft_length": (2, 4)},
    prompts=("Once upon a time", "Tom had a red ball", "It was a dark night", "The door opened"),
    seeds=(0, 1, 2, 3),
    max_new_tokens=48,
)
KILLED_AFTER = 10  # runs
WORKERS = ("ray::JobRunner", "multiprocessing.spawn")  # how a worker calls itself


def swept(folder: Path, engine: str, workers: int, *, kill: bool = False) -> tuple[float, Progress]:
    """(seconds from the first run to the last, the end)."""
    began, at = 0.0, None
    for at in sweep(GRID, folder, engine=engine, workers=workers):  # pyright: ignore[reportArgumentType]
        if at.done == 1:
            began = time.perf_counter()
        if kill and at.done == KILLED_AFTER:
            _kill_one()
    assert at is not None
    return time.perf_counter() - began, at


def _kill_one() -> None:
    """A worker that is at work, without warning."""
    below = psutil.Process().children(recursive=True)
    workers = [each for each in below if any(name in " ".join(each.cmdline()) for name in WORKERS)]
    os.kill(workers[0].pid, signal.SIGKILL)


def main() -> None:
    """Read the flags, run three times, compare."""
    parser = argparse.ArgumentParser(description="A sweep on workers, one of which is killed.")
    parser.add_argument("--engine", choices=("processes", "ray"), default="processes")
    parser.add_argument("--workers", type=int, default=2)
    flags = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        alone, _ = swept(place / "alone", "local", 1)
        shared, _ = swept(place / "shared", flags.engine, flags.workers)
        _, end = swept(place / "killed", flags.engine, flags.workers, kill=True)
        rows = {each: without_energy(untimed(place / each)) for each in ("alone", "shared", "killed")}
    assert end.lost == 1, f"{end.lost} workers were lost"
    assert rows["alone"] == rows["shared"] == rows["killed"], "the rows differ"
    print(
        f"{len(rows['alone'])} runs on {flags.workers} workers of {flags.engine}: the rows of the local engine, also "
        f"with a worker killed.\nOne after another {alone:.1f} s, shared {shared:.1f} s: {alone / shared:.2f} times as "
        f"fast, at a load of {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors."
    )


if __name__ == "__main__":
    main()
