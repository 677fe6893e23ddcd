"""One target, many drafters: how often each one's drafts are kept, on which kind of text, and what they cost.

Everything here is counted from runs with the target's own law, so it is the same on a slow machine as on a fast one.
Times are not among it: `compare` takes them, with the same entries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from playground.bench.entry import Entry
from playground.bench.race import LEAST_PROMPTS
from playground.decoding.decode import Request
from playground.decoding.record import run
from playground.metrics.comparison import drafting_cost
from playground.metrics.counts import count
from playground.metrics.interval import bootstrap
from playground.models.loading import LoadedPair

# a drafter of every sort below one rule, and the two that hang what they copied
METHODS = ",".join(
    [
        *(f"speculative_sampling:drafter={each}" for each in ("draft", "other", "exit2", "exit4", "exit6", "exit8")),
        *(f"speculative_sampling:drafter={each}" for each in ("exit10", "suffix")),
        *("prompt_lookup", "suffix_decoding", "hybrid"),
    ]
)
ALL = "all"  # kinds of text together


@dataclass(frozen=True, slots=True)
class Tally:
    """What one prompt's runs come to.

    Attributes:
        passed, reached: drafted positions at which a draw was accepted, and at which one was tested.
        emitted, calls: tokens, the correction or bonus of each round among them, and calls of the target.
        cost: of all rounds together, the draft calls in target calls, by the weights that they read.
        drafted: draws.
    """

    passed: int
    reached: int
    emitted: int
    calls: int
    cost: float
    drafted: int


def drafter_table(
    pair: LoadedPair,
    entries: Sequence[Entry],
    prompts: Sequence[tuple[str, str]],
    *,
    seeds: Sequence[int],
    asked: Mapping[str, Any],
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[dict[str, Any]]:
    """A row for each entry and kind of text, and one for all kinds together.

    acceptance is passed / reached, block_efficiency emitted / target calls with the extra token counted; both over all
    runs of the kind, with a 95 % bootstrap interval over its prompts. draft_cost is the draft calls of a round in
    calls of the target, by the weights that each reads: an estimate of their time, which holds where reading weights
    is what takes it.

    Args:
        pair: the target, and its drafts.
        entries: methods and drafters.
        prompts: kind and text of each.
        seeds: of every prompt's runs.
        asked: sampling and max_new_tokens.
        progress: told after every run: how many of how many are done.
    """
    total, done = len(entries) * len(prompts) * len(seeds), 0
    rows: list[dict[str, Any]] = []
    for entry in entries:
        tallies: list[tuple[str, Tally]] = []
        for kind, text in prompts:
            requests = [entry.request(pair, text, seed=seed, **asked) for seed in seeds]
            tallies.append((kind, _tally(requests)))
            done += len(seeds)
            progress(done, total)
        for kind in (ALL, *dict.fromkeys(kind for kind, _ in prompts)):
            of_kind = [tally for each, tally in tallies if kind in (ALL, each)]
            about = {"label": entry.label, "method": entry.method, "drafter": entry.drafter, "kind": kind}
            rows.append(about | _numbers(of_kind) | {"prompts": len(of_kind), "runs": len(of_kind) * len(seeds)})
    return rows


def _tally(requests: Sequence[Request]) -> Tally:
    """Of one prompt's runs together."""
    counted = [(count(trace), drafting_cost(trace)) for trace in map(run, requests)]
    return Tally(
        passed=sum(each.num_passed for each, _ in counted),
        reached=sum(each.num_reached for each, _ in counted),
        emitted=sum(each.num_emitted for each, _ in counted),
        calls=sum(each.target_calls for each, _ in counted),
        cost=sum(cost * each.num_rounds for each, cost in counted),
        drafted=sum(each.num_drafted for each, _ in counted),
    )


def _numbers(tallies: Sequence[Tally]) -> dict[str, Any]:
    calls = sum(tally.calls for tally in tallies)
    return {
        **_ratio("acceptance", [tally.passed for tally in tallies], [tally.reached for tally in tallies]),
        **_ratio("block_efficiency", [tally.emitted for tally in tallies], [tally.calls for tally in tallies]),
        "draft_cost": sum(tally.cost for tally in tallies) / calls if calls else None,
        "drafted": sum(tally.drafted for tally in tallies) / calls if calls else None,
    }


def _ratio(name: str, over: Sequence[int], under: Sequence[int]) -> dict[str, Any]:
    """The ratio of two sums over prompts, with its interval; None where there is nothing to divide by."""
    above, below = np.array(over, dtype=float), np.array(under, dtype=float)
    if not below.sum():
        return {name: None, f"{name}_interval": None}

    def ratios(picks: np.ndarray) -> np.ndarray:
        sums = below[picks].sum(-1)
        return np.divide(above[picks].sum(-1), sums, out=np.zeros_like(sums), where=sums > 0)

    interval = bootstrap(ratios, len(above)) if len(above) >= LEAST_PROMPTS else None
    return {name: float(above.sum() / below.sum()), f"{name}_interval": interval and list(interval)}
