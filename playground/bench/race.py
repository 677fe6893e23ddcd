"""Methods side by side: each runs alone, in shuffled order, several times on every prompt, through the same loop.

A ratio to the baseline is taken run by run, on the same prompt, seed and repeat; its interval is a bootstrap over the
prompts, each with all its pairs: repeats on one prompt are no news of others, at temperature 0 none at all. Beams have
a baseline of their own, see rating.py.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from playground.bench.rating import PLAIN, carries_beams, missing_rival, rated_against
from playground.decoding.decode import Request
from playground.decoding.method import method_id
from playground.decoding.record import run
from playground.errors import PlaygroundError
from playground.metrics.comparison import run_numbers
from playground.metrics.interval import bootstrap
from playground.theory.roofline import Machine
from playground.trace.events import Trace

BASELINE = PLAIN
LEAST_PROMPTS = 5  # for an interval: of 3 it would hold the true median 3 times in 4, of 5 or more 93 in 100 times


class Run(NamedTuple):
    """One measured run of a race."""

    label: str  # of its entry
    place: int  # of its prompt, from 0
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
) -> list[dict[str, Any]]:
    """One row per entry, with medians and spreads.

    Args:
        requests: by the entry's label, one request per prompt, the same prompts for all; a method may stand here more
            than once, under other labels. The baseline should be among them, under its id.
        repeats: runs of every request; repeat r uses seed + r, the same for every entry.
        seed: of the shuffling and the bootstrap.
        progress: told after every run, one warm-up of each entry included: how many of how many are done.
        keep: given every measured run. Like `progress` it is called between runs, when no clock is read.
        stop: asked before every round; once it says True the race ends, and rows are made of the runs that are done.
        machine: whose constants the estimate of energy takes; those nearest to where the race is run when None.

    Returns:
        Rows in the order of `requests`, each with its label, its method's id and its options. An entry that failed has
        beside them only its `failed` sentence, every other one in `against` the label of what its speed-up is over;
        where that is None for beams, `unrated` says what is missing.
    """
    runs = [
        (name, place, repeat)
        for name, asked in requests.items()
        for place in range(len(asked))
        for repeat in range(repeats)
    ]
    random.Random(seed).shuffle(runs)
    done: dict[str, dict[tuple[int, int], dict[str, Any]]] = {name: {} for name in requests}
    failed: dict[str, str] = {}
    total = len(requests) + len(runs)
    for number, name in enumerate(requests, 1):
        if stop():
            break
        _attempt(name, requests[name][0], failed, stop)  # warm up: the first passes of a shape are slow
        progress(number, total)
    for number, (name, place, repeat) in enumerate(runs, len(requests) + 1):
        if stop():
            break
        if name not in failed:
            asked = requests[name][place]
            trace = _attempt(name, replace(asked, seed=asked.seed + repeat), failed, stop)
            if trace:
                done[name][place, repeat] = run_numbers(trace, machine)
                keep(Run(name, place, repeat, trace))
        progress(number, total)
    entered = {name: asked[0].method for name, asked in requests.items()}
    rows = []
    for name, asked in requests.items():
        row = _who(name, asked[0])
        if name in failed:
            rows.append(row | {"failed": failed[name]})
            continue
        against = rated_against(asked[0].method, entered)
        unrated = missing_rival(asked[0].method) if against is None and carries_beams(asked[0].method) else None
        row |= {"against": against, "unrated": unrated}
        rows.append(row | _numbers(done[name], done.get(against or "", {}), seed))
    return rows


def _who(label: str, request: Request) -> dict[str, Any]:
    return {"label": label, "method": method_id(request.method), "options": asdict(request.method.options)}


def _attempt(name: str, request: Request, failed: dict[str, str], stop: Callable[[], bool]) -> Trace | None:
    """One run, or None where it failed or was stopped. Whatever a method does wrong stops that method, not the race."""
    try:
        trace = run(request, stop)
    except PlaygroundError as error:
        failed[name] = str(error)
    except Exception as error:
        failed[name] = f"{type(error).__name__}: {error}"
    else:
        return None if trace.finished and trace.finished.reason == "stopped" else trace
    return None


def _numbers(
    runs: dict[tuple[int, int], dict[str, Any]], baseline: dict[tuple[int, int], dict[str, Any]], seed: int
) -> dict[str, Any]:
    pairs = [key for key in runs if key in baseline and baseline[key]["tokens_per_s"]]
    ratios = {key: runs[key]["tokens_per_s"] / baseline[key]["tokens_per_s"] for key in pairs}
    row: dict[str, Any] = {"runs": len(runs), "speed_up": _interval(ratios, seed)}
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
        row[field] = _spread([run[field] for run in runs.values() if run[field] is not None])
    for field in ("energy_source", "energy_reason", "tests"):
        row[field] = next((run[field] for run in runs.values() if run[field] is not None), None)
    return row


def _spread(values: Sequence[float]) -> dict[str, float] | None:
    """Median, and the middle half."""
    if not values:
        return None
    low, high = np.quantile(values, [0.25, 0.75]).tolist()
    return {"median": median(values), "low": low, "high": high}


def _interval(ratios: dict[tuple[int, int], float], seed: int) -> dict[str, float | None] | None:
    """Median ratio and its interval; too few prompts have none, rather than one that claims too much.

    Args:
        ratios: by prompt and repeat.
        seed: of the bootstrap.
    """
    if not ratios:
        return None
    found = {"median": median(ratios.values()), "low": None, "high": None, "pairs": len(ratios)}
    prompts = sorted({place for place, _ in ratios})
    if len(prompts) < LEAST_PROMPTS:
        return found
    table = np.full((len(prompts), 1 + max(repeat for _, repeat in ratios)), np.nan)  # a race that was stopped has gaps
    for (place, repeat), ratio in ratios.items():
        table[prompts.index(place), repeat] = ratio
    low, high = bootstrap(lambda picks: np.nanmedian(table[picks].reshape(len(picks), -1), axis=1), len(prompts), seed)
    return found | {"low": low, "high": high}
