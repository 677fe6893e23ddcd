"""Choice of how compiled products read their matrices, by times taken on this machine.

A product asks the memory for weights before it multiplies by them, and takes as many rows through a block of weights
together as registers hold sums of. How far ahead and how many rows are best depends on the processor and its memory,
so both are timed once for a kind of weights, on matrices of the model at hand, and kept beside what is compiled. They
change no number: a row's sum is the same, term after term.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from playground.files import CannotWriteError, read_json, write_file
from playground.models.passes.records import LANES, group_of
from playground.models.products import compiled_kernel

AHEAD = 8192  # bytes between what is multiplied and what is asked of the memory, where nothing was timed
DISTANCES = (0, 2048, 4096, AHEAD, 16384)  # 0 asks for what is multiplied at once
FEW, MANY = (1, 5), 16  # rows by which distances are compared, and sizes of groups
TURNS = 4  # All candidates take so many; the fastest of each counts, as a turn may be disturbed.
LEAST_GAIN = 0.03  # a smaller one is within what two timings of the same differ by
ENOUGH_BYTES, MOST_BYTES = 2**25, 2**27  # less stays in a processor's cache; more takes longer and says the same
MOST_S = 2.0  # All timings take no longer; turns that do not fit are left out.
FILE = "readings.json"
HOW = slice(5, 7)  # This part of a matrix's position is its reading.

Matrix = tuple[tuple[np.ndarray, ...], np.ndarray]  # weights and position, as `compiled.product` takes them
Multiply = Callable[[tuple[np.ndarray, ...], np.ndarray, np.ndarray, np.ndarray], None]


class Reading(NamedTuple):
    """Distance and group with which a product reads its matrix."""

    ahead: int  # bytes
    rows: int  # So many go through a block of weights together, at most.


def tune(multiply: Multiply, matrices: Sequence[Matrix], most_rows: int, folder: Path, key: str) -> None:
    """Write the best reading into the positions of these matrices: a saved one, or one that is timed now.

    Args:
        multiply: takes weights, a position, rows and an output.
        matrices: of one kind of weights, in the order in which a pass reads them.
        most_rows: that are compiled to go through a block together.
        folder: of what is compiled.
        key: processor and kind of weights.
    """
    if sum(num_bytes(*each) for each in matrices) < ENOUGH_BYTES:
        return
    timed = saved_readings(folder)
    if key not in timed:
        timed[key] = _timed(multiply, _some(matrices), most_rows)
        with contextlib.suppress(CannotWriteError):  # it is timed again in the next process
            write_file(folder / FILE, lambda file: file.write(json.dumps(timed, indent=1).encode()))
    ahead, rows = (int(timed[key][name]) for name in Reading._fields)
    for _, position in matrices:
        position[HOW] = ahead, min(rows, most_rows)


def chosen_readings() -> dict[str, dict[str, float]]:
    """Return what was chosen on this machine so far; see `saved_readings`."""
    compiled = compiled_kernel().module
    return saved_readings(Path(compiled.CACHE_FOLDER)) if compiled else {}


@lru_cache(maxsize=1)
def saved_readings(folder: Path) -> dict[str, dict[str, float]]:
    """Return what was chosen on this machine, by processor and kind of weights, with the times it was chosen by."""
    try:
        readings = read_json(folder / FILE)
    except (OSError, ValueError):
        return {}
    return readings if isinstance(readings, dict) else {}


def sentence(readings: dict[str, dict[str, float]]) -> str:
    """Say what was chosen and by which times."""
    if not readings:
        return "nothing timed yet; it is with the first model of 32 MB or more"
    return "; ".join(
        f"{key}: asks {each['ahead']:.0f} bytes ahead ({each['chosen_ms']:.2f} ms for {FEW[0]} and {FEW[1]} rows, "
        f"{each['default_ms']:.2f} with {AHEAD}, {each['at_once_ms']:.2f} without), {each['rows']:.0f} rows together"
        for key, each in readings.items()
    )


def _timed(multiply: Multiply, matrices: Sequence[Matrix], most_rows: int) -> dict[str, float]:
    """Return the fastest reading of these candidates, with its milliseconds and those of others."""
    end = time.perf_counter() + MOST_S
    distances = [Reading(ahead, most_rows) for ahead in DISTANCES]
    by_distance = _milliseconds(multiply, matrices, distances, FEW, end)
    default = Reading(AHEAD, most_rows)
    ahead = _best(by_distance, default).ahead
    groups = [Reading(ahead, rows) for rows in sorted({most_rows, *range(max(1, most_rows // 2), most_rows)})]
    by_group = _milliseconds(multiply, matrices, groups, (MANY,), end)
    return {
        "ahead": ahead,
        "rows": _best(by_group, groups[-1]).rows,
        "chosen_ms": by_distance[Reading(ahead, most_rows)],
        "default_ms": by_distance[default],
        "at_once_ms": by_distance[distances[0]],
    }


def _best(times: dict[Reading, float], default: Reading) -> Reading:
    """Return the fastest, or the default where that is about as fast."""
    fastest = min(times, key=times.__getitem__)
    return fastest if times[fastest] < (1 - LEAST_GAIN) * times[default] else default


def _milliseconds(
    multiply: Multiply, matrices: Sequence[Matrix], readings: Sequence[Reading], counts: Iterable[int], end: float
) -> dict[Reading, float]:
    """Return the time of all these products, each product's fastest turn, by how they read.

    A long walk is always interrupted on a busy machine, and one product seldom is.
    """
    trials = [
        (
            weights,
            position.copy(),
            np.ones((count, position[1]), np.float32),
            np.empty((count, position[2]), np.float32),
        )
        for count in counts
        for weights, position in matrices
    ]
    fastest = np.full((len(readings), len(trials)), np.inf)
    for turn in range(TURNS):
        for times, reading in zip(fastest, readings, strict=True):
            for number, (weights, position, given, output) in enumerate(trials):
                position[HOW] = reading
                start = time.perf_counter()
                multiply(weights, position, given, output)
                times[number] = min(times[number], time.perf_counter() - start)
        if turn and time.perf_counter() > end:
            break
    return {reading: float(times.sum()) * 1e3 for reading, times in zip(readings, fastest, strict=True)}


def _some(matrices: Sequence[Matrix]) -> Sequence[Matrix]:
    """Return the first matrices, as many as there is time for."""
    ends = np.cumsum([num_bytes(*each) for each in matrices])
    return matrices[: max(1, int(np.searchsorted(ends, MOST_BYTES)))]


def num_bytes(weights: tuple[np.ndarray, ...], position: np.ndarray) -> int:
    """Bytes of a matrix."""
    kind = weights[position[4]].dtype
    block = LANES * group_of(kind) if kind.names else 1  # weights in a record or number
    return int(position[1] * position[2]) // block * kind.itemsize
