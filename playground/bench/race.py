"""Methods side by side: each runs alone, in shuffled order, several times on every prompt, through the same loop.

A ratio to the baseline is taken run by run, on the same prompt, seed and repeat; its interval is a bootstrap over those
pairs.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from statistics import median
from typing import Any

import numpy as np

from playground.decoding.decode import Request
from playground.decoding.method import method_id
from playground.decoding.record import record
from playground.errors import PlaygroundError
from playground.metrics.comparison import run_numbers
from playground.trace.events import Trace

BASELINE = "autoregressive"
NUM_RESAMPLES = 2000


def race(
    requests: dict[str, list[Request]],
    *,
    repeats: int,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[dict[str, Any]]:
    """One row per entry, with medians and spreads.

    Args:
        requests: by the entry's label, one request per prompt, the same prompts for all; a method may stand here more
            than once, under other labels. The baseline should be among them, under its id.
        repeats: runs of every request; repeat r uses seed + r, the same for every entry.
        seed: of the shuffling and the bootstrap.
        progress: told after every run.

    Returns:
        Rows in the order of `requests`, each with its label, its method's id and its options. An entry that failed has
        beside them only its `failed` sentence.
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
    for name in requests:
        _attempt(name, requests[name][0], failed)  # warm up: the first passes of a shape are slow
    for number, (name, place, repeat) in enumerate(runs, 1):
        if name not in failed:
            asked = requests[name][place]
            measured = _attempt(name, replace(asked, seed=asked.seed + repeat), failed)
            if measured:
                done[name][place, repeat] = measured
        progress(number, len(runs))
    baseline = done.get(BASELINE, {})
    return [
        _who(name, asked[0]) | ({"failed": failed[name]} if name in failed else _numbers(done[name], baseline, seed))
        for name, asked in requests.items()
    ]


def _who(label: str, request: Request) -> dict[str, Any]:
    return {"label": label, "method": method_id(request.method), "options": asdict(request.method.options)}


def _attempt(name: str, request: Request, failed: dict[str, str]) -> dict[str, Any] | None:
    """One run's numbers. Whatever a method does wrong stops that method, not the race."""
    try:
        trace = Trace(tuple(event for events in record(request) for event in events))
    except PlaygroundError as error:
        failed[name] = str(error)
    except Exception as error:
        failed[name] = f"{type(error).__name__}: {error}"
    else:
        return run_numbers(trace)
    return None


def _numbers(
    runs: dict[tuple[int, int], dict[str, Any]], baseline: dict[tuple[int, int], dict[str, Any]], seed: int
) -> dict[str, Any]:
    pairs = [key for key in runs if key in baseline and baseline[key]["tokens_per_s"]]
    ratios = [runs[key]["tokens_per_s"] / baseline[key]["tokens_per_s"] for key in pairs]
    row: dict[str, Any] = {"runs": len(runs), "speed_up": _interval(ratios, seed)}
    for field in (
        "tokens_per_s",
        "block_efficiency",
        "acceptance_rate",
        "draft_efficiency",
        "verified_nodes",
        "mbsu",
        "perplexity",
        "target_calls",
        "draft_calls",
        "peak_cache_bytes",
        "joules_per_token",  # measured
        "estimated_joules_per_token",
        "estimated_rejected_joules_per_token",
    ):
        row[field] = _spread([run[field] for run in runs.values() if run[field] is not None])
    for field in ("energy_source", "energy_reason"):
        row[field] = next((run[field] for run in runs.values() if run[field] is not None), None)
    return row


def _spread(values: Sequence[float]) -> dict[str, float] | None:
    """Median, and the middle half."""
    if not values:
        return None
    low, high = np.quantile(values, [0.25, 0.75]).tolist()
    return {"median": median(values), "low": low, "high": high}


def _interval(ratios: Sequence[float], seed: int) -> dict[str, float] | None:
    """Median ratio and its 95 % bootstrap interval over the pairs."""
    if not ratios:
        return None
    rng = np.random.default_rng(seed)
    medians = np.median(rng.choice(ratios, size=(NUM_RESAMPLES, len(ratios))), axis=1)
    low, high = np.quantile(medians, [0.025, 0.975]).tolist()
    return {"median": median(ratios), "low": low, "high": high}
