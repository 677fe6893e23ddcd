"""Methods side by side: each runs alone, in shuffled order, several times on every prompt, through the same loop.

A ratio to the baseline is taken run by run, on the same prompt, seed and repeat; its interval is a bootstrap over the
prompts, each with all its pairs: repeats on one prompt are no news of others, at temperature 0 none at all. The
intervals of a race hold all at once, so that a race of many methods names no winner by chance. Beams have a baseline
of their own, see rating.py.
"""

import random
from collections.abc import Callable, Generator, Mapping, Sequence
from statistics import mean, median
from typing import Any

import numpy as np

from playground.bench.entry import enter
from playground.bench.grid import Grid, Point, points
from playground.bench.rating import PLAIN, carries_beams, missing_rival, rated_against
from playground.bench.results import RunRows
from playground.bench.sweep import Progress, sweep
from playground.decoding.method import make_method
from playground.metrics.comparison import SPREADS, RaceRow, Ratio, RunRow, Spread
from playground.metrics.interval import joint_median_intervals
from playground.trace.events import Trace

BASELINE = PLAIN
_Runs = Mapping[tuple[int, int], RunRow]  # by prompt and repeat
OF_PAPERS = (
    "tokens_per_s",
    "block_efficiency",
    "mbsu",
    "perplexity",
    "joules_per_token",
    "estimated_joules_per_token",
    "peak_cache_bytes",
)


def race(
    grid: Grid,
    *,
    progress: Callable[[Progress], None] = lambda at: None,
    keep: Callable[[int, Trace], None] = lambda run, trace: None,
    **settings: Any,
) -> list[RaceRow]:
    """Return the rows of a race, see `race_rows`.

    Args:
        grid: methods, prompts and seeds; the baseline should be among the methods.
        progress: called at the start and after every run.
        keep: given the number and the trace of every run. Like `progress` it is called when no clock is read.
        settings: of the runs, see `race_runs`.
    """
    runs = RunRows(keep=keep)
    for at in race_runs(grid, runs, **settings):
        progress(at)
    return race_rows(grid, runs.rows)


def race_runs(grid: Grid, store: RunRows, **settings: Any) -> Generator[Progress, None, None]:
    """Make the runs of a race: a sweep in shuffled order, in which every entry's warm-up is a whole run.

    Args:
        grid: what races; its first seed shuffles.
        settings: see `sweep`.
    """
    return sweep(grid, store, order=in_turns(grid), warm_up_tokens=grid.max_new_tokens, **settings)


def in_turns(grid: Grid) -> list[Point]:
    """Return the runs of a grid in shuffled order."""
    labels = [entry.label for entry in enter(grid.choices)]
    runs = sorted(points(grid), key=lambda point: (labels.index(point.entry.label), point.prompt, point.seed))
    random.Random(grid.seeds[0]).shuffle(runs)
    return runs


def race_rows(grid: Grid, runs: Sequence[RunRow]) -> list[RaceRow]:
    """Return one row per entry, with medians and spreads.

    Returns:
        Rows in the order of the entries.
    """
    entries = enter(grid.choices)
    methods = {entry.label: make_method(entry.method, entry.options) for entry in entries}
    done: dict[str, dict[tuple[int, int], RunRow]] = {label: {} for label in methods}
    failed: dict[str, str] = {}
    for run in runs:
        if "failed" in run:
            failed.setdefault(run["label"], run["failed"])
        else:
            done[run["label"]][run["prompt"] - 1, grid.seeds.index(run["seed"])] = run
    rivals = {entry.label: rated_against(methods[entry.label], methods) for entry in entries}
    speed_ups = _speed_ups({label: each for label, each in done.items() if label not in failed}, rivals, grid.seeds[0])
    rows: list[RaceRow] = []
    for entry in entries:
        row = {"label": entry.label, "method": entry.method, "options": entry.options}
        if entry.label in failed:
            rows.append(RaceRow(**row, failed=failed[entry.label]))
            continue
        method, against = methods[entry.label], rivals[entry.label]
        unrated = missing_rival(method) if against is None and carries_beams(method) else None
        speed_up, numbers = speed_ups.get(entry.label), _numbers(done[entry.label])
        rows.append(RaceRow(**row, against=against, unrated=unrated, speed_up=speed_up, **numbers))
    return rows


def _speed_ups(done: Mapping[str, _Runs], rivals: Mapping[str, str | None], seed: int) -> dict[str, Ratio]:
    """Return the speed-up of every entry over its rival; a baseline's is over itself and is not among those tested."""
    ratios = {label: _ratios(runs, done.get(rivals[label] or "", {})) for label, runs in done.items()}
    speed_ups = median_ratios({label: each for label, each in ratios.items() if label != rivals[label]}, seed)
    for label in ratios.keys() - speed_ups.keys():
        speed_ups |= median_ratios({label: ratios[label]}, seed)
    return speed_ups


def _ratios(runs: _Runs, baseline: _Runs) -> dict[tuple[int, int], float]:
    """Return the quotient of tokens/s of every run that has a partner in the baseline."""
    pairs = ((key, run["tokens_per_s"], baseline[key]["tokens_per_s"]) for key, run in runs.items() if key in baseline)
    return {key: rate / plain for key, rate, plain in pairs if plain and rate is not None}


def _numbers(runs: _Runs) -> dict[str, Any]:
    return {
        "runs": len(runs),
        **{
            field: spread([value for run in runs.values() if (value := run.get(field)) is not None])
            for field in SPREADS
        },
        "by_prompt": {field: _by_prompt(runs, field) for field in OF_PAPERS},
        **{
            field: next((value for run in runs.values() if (value := run.get(field)) is not None), None)
            for field in ("energy_source", "energy_reason", "tests")
        },
    }


def _by_prompt(runs: _Runs, field: str) -> dict[str, float]:
    """Return the mean over the repeats of each prompt, by the prompt's index as JSON writes it."""
    values: dict[str, list[float]] = {}
    for (prompt, _), numbers in sorted(runs.items()):
        if numbers[field] is not None:
            values.setdefault(str(prompt), []).append(numbers[field])
    return {prompt: float(f"{mean(each):.6g}") for prompt, each in values.items()}


def spread(values: Sequence[float]) -> Spread | None:
    """Return the median with the middle half; None without values."""
    if not values:
        return None
    low, high = np.quantile(values, [0.25, 0.75]).tolist()
    return {"median": median(values), "low": low, "high": high}


def median_ratios(ratios: Mapping[str, Mapping[tuple[int, int], float]], seed: int) -> dict[str, Ratio]:
    """Median ratio of every entry that has one, with intervals that hold for all entries at once.

    Too few prompts for so many entries have no interval, rather than one that claims too much.

    Args:
        ratios: of each entry, by prompt and repeat.
        seed: of the bootstrap.
    """
    ratios = {label: each for label, each in ratios.items() if each}
    prompts = sorted({prompt for each in ratios.values() for prompt, _ in each})
    by_prompt = [
        [[ratio for (of, _), ratio in each.items() if of == prompt] for prompt in prompts] for each in ratios.values()
    ]
    intervals = joint_median_intervals(by_prompt, seed) if ratios else []
    ends = [interval or (None, None) for interval in intervals]
    return {
        label: {"median": median(each.values()), "low": low, "high": high, "pairs": len(each)}
        for (label, each), (low, high) in zip(ratios.items(), ends, strict=True)
    }
