"""Methods side by side: each runs alone, in shuffled order, several times on every prompt, through the same loop.

A ratio to the baseline is taken run by run, on the same prompt, seed and repeat; its interval is a bootstrap over the
prompts, each with all its pairs: repeats on one prompt are no news of others, at temperature 0 none at all. Beams have
a baseline of their own, see rating.py.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from statistics import mean, median
from typing import Any, NamedTuple

import numpy as np

from playground.bench.rating import PLAIN, carries_beams, missing_rival, rated_against
from playground.decoding.decode import Request
from playground.decoding.method import method_id
from playground.decoding.record import run
from playground.errors import PlaygroundError
from playground.meters.meter import Meter
from playground.metrics.comparison import run_numbers
from playground.metrics.interval import LEAST_PROMPTS, bootstrap
from playground.theory.roofline import Machine
from playground.trace.events import Trace

BASELINE = PLAIN
OF_PAPERS = (
    "tokens_per_s",
    "block_efficiency",
    "mbsu",
    "perplexity",
    "joules_per_token",
    "estimated_joules_per_token",
    "peak_cache_bytes",
)
_log = logging.getLogger(__name__)

WARM_UP = -1  # in place of a repeat: a run that is not counted


RunKey = tuple[str, int, int]  # a run of a race: its entry's label, the index of its prompt, and its repeat
RunResult = Trace | str | None  # a sentence where it failed, None where it was stopped
Elsewhere = Callable[[Sequence[RunKey], Callable[[], bool]], Iterator[tuple[RunKey, RunResult]]]


class Run(NamedTuple):
    """One measured run of a race."""

    label: str  # of its entry
    prompt: int  # its index
    repeat: int  # from 0
    trace: Trace


def race(
    requests: dict[str, list[Request]],
    *,
    repeats: int,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
    keep: Callable[[Run], None] = lambda run: None,
    stop: Callable[[], bool] = lambda: False,
    machine: Machine | None = None,
    elsewhere: Elsewhere | None = None,
) -> list[dict[str, Any]]:
    """One row per entry, with medians and spreads.

    Args:
        requests: by the entry's label, one request per prompt, the same prompts for all; a method may stand here more
            than once, under other labels. The baseline should be among them, under its id.
        repeats: runs of every request; repeat r uses seed + r, the same for every entry.
        seed: of the shuffling and the bootstrap.
        progress: called after every run, one warm-up of each entry included where they are made here: how many of how
            many are done.
        keep: given every measured run. Like `progress` it is called between runs, when no clock is read.
        stop: asked before every round; once it says True the race ends, and rows are made of the runs that are done.
        machine: whose constants the estimate of energy takes; those nearest to where the race is run when None.
        elsewhere: makes the runs where they are not made here, one after another; see workers/.

    Returns:
        Rows in the order of `requests`, each with its label, its method's id and its options. An entry that failed has
        beside them only its `failed` sentence, every other one in `against` the label of what its speed-up is over;
        where that is None for beams, `unrated` says what is missing. `by_prompt` has the means over a prompt's repeats
        of the numbers that papers report.
    """
    runs = [
        (name, prompt, repeat)
        for name, each in requests.items()
        for prompt in range(len(each))
        for repeat in range(repeats)
    ]
    random.Random(seed).shuffle(runs)
    done: dict[str, dict[tuple[int, int], dict[str, Any]]] = {name: {} for name in requests}
    failed: dict[str, str] = {}
    results = elsewhere(runs, stop) if elsewhere else _run_here(requests, runs, stop)
    total = len(runs) + (0 if elsewhere else len(requests))
    for number, (key, trace) in enumerate(results, 1):
        if isinstance(trace, str):
            failed.setdefault(key[0], trace)
        elif trace and key[2] != WARM_UP:
            done[key[0]][key[1:]] = run_numbers(trace, machine)
            keep(Run(*key, trace))
        progress(number, total)
    return [_row(name, requests, done, failed, seed) for name in requests]


def _row(
    name: str,
    requests: dict[str, list[Request]],
    done: dict[str, dict[tuple[int, int], dict[str, Any]]],
    failed: dict[str, str],
    seed: int,
) -> dict[str, Any]:
    """Return the row of an entry: its numbers over those of the entry that it is rated against, or its failure."""
    method = requests[name][0].method
    row = {"label": name, "method": method_id(method), "options": asdict(method.options)}
    if name in failed:
        return row | {"failed": failed[name]}
    against = rated_against(method, {label: each[0].method for label, each in requests.items()})
    unrated = missing_rival(method) if against is None and carries_beams(method) else None
    numbers = _numbers(done[name], done.get(against or "", {}), seed)
    return row | {"against": against, "unrated": unrated} | numbers


def _run_here(
    requests: dict[str, list[Request]], runs: Sequence[RunKey], stop: Callable[[], bool]
) -> Iterator[tuple[RunKey, RunResult]]:
    """Yield a warm-up of each entry, as the first passes of a shape are slow, and then each run alone."""
    failed: set[str] = set()
    for key in [*((name, 0, WARM_UP) for name in requests), *runs]:
        if stop():
            return
        trace = None if key[0] in failed else attempt(requests, key, stop)
        if isinstance(trace, str):
            failed.add(key[0])
        yield key, trace


def attempt(
    requests: dict[str, list[Request]], key: RunKey, stop: Callable[[], bool], meter: Meter | None = None
) -> RunResult:
    """One run. Whatever a method does wrong stops that method, not the race."""
    name, prompt, repeat = key
    request = requests[name][prompt]
    try:
        trace = run(replace(request, seed=request.seed + max(0, repeat)), stop, meter=meter)
    except PlaygroundError as error:
        return error.args[0]
    except Exception as error:
        _log.exception("A run of %s failed", name)
        return f"{type(error).__name__}: {error}"
    return None if trace.finished and trace.finished.finish_reason == "stopped" else trace


def _numbers(
    runs: dict[tuple[int, int], dict[str, Any]], baseline: dict[tuple[int, int], dict[str, Any]], seed: int
) -> dict[str, Any]:
    pairs = [key for key in runs if key in baseline and baseline[key]["tokens_per_s"]]
    ratios = {key: runs[key]["tokens_per_s"] / baseline[key]["tokens_per_s"] for key in pairs}
    row: dict[str, Any] = {"runs": len(runs), "speed_up": median_ratio(ratios, seed)}
    for field in (
        "tokens_per_s",
        "block_efficiency",
        "acceptance_per_position",
        "acceptance_per_draw",
        "draft_efficiency",
        "verified_nodes",
        "mbsu",
        "perplexity",
        "target_calls",
        "draft_calls",
        "peak_cache_bytes",
        "draft_s_per_token",
        "verify_s_per_token",
        "other_s_per_token",
        "joules_per_token",  # measured
        "estimated_joules_per_token",
        "estimated_rejected_joules_per_token",
    ):
        row[field] = spread([run[field] for run in runs.values() if run[field] is not None])
    row["by_prompt"] = {field: _by_prompt(runs, field) for field in OF_PAPERS}
    for field in ("energy_source", "energy_reason", "tests"):
        row[field] = next((run[field] for run in runs.values() if run[field] is not None), None)
    return row


def _by_prompt(runs: dict[tuple[int, int], dict[str, Any]], field: str) -> dict[str, float]:
    """Return the mean over the repeats of each prompt, by the prompt's index as JSON writes it."""
    values: dict[str, list[float]] = {}
    for (prompt, _), numbers in sorted(runs.items()):
        if numbers[field] is not None:
            values.setdefault(str(prompt), []).append(numbers[field])
    return {prompt: float(f"{mean(each):.6g}") for prompt, each in values.items()}


def spread(values: Sequence[float]) -> dict[str, float] | None:
    """Median, and the middle half."""
    if not values:
        return None
    low, high = np.quantile(values, [0.25, 0.75]).tolist()
    return {"median": median(values), "low": low, "high": high}


def median_ratio(ratios: dict[tuple[int, int], float], seed: int) -> dict[str, float | None] | None:
    """Median ratio and its interval; too few prompts have none, rather than one that claims too much.

    Args:
        ratios: by prompt and repeat.
        seed: of the bootstrap.
    """
    if not ratios:
        return None
    result = {"median": median(ratios.values()), "low": None, "high": None, "pairs": len(ratios)}
    prompts = sorted({prompt for prompt, _ in ratios})
    if len(prompts) < LEAST_PROMPTS:
        return result
    table = np.full((len(prompts), 1 + max(repeat for _, repeat in ratios)), np.nan)  # a race that was stopped has gaps
    for (prompt, repeat), ratio in ratios.items():
        table[prompts.index(prompt), repeat] = ratio
    low, high = bootstrap(lambda picks: np.nanmedian(table[picks].reshape(len(picks), -1), axis=1), len(prompts), seed)
    return result | {"low": low, "high": high}
