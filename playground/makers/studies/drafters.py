"""One target, many drafters: how often each one's drafts are kept, on which kind of text, and what they cost.

Counts come from runs with the target's own distribution, so they are the same on a slow machine as on a fast one. The
runs are taken in turns with plain decoding, so their times can be compared too, where nothing else runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from playground.bench.entry import DRAFTER, Entry
from playground.bench.grid import Grid, points
from playground.bench.race import BASELINE, median_ratio, race, spread
from playground.errors import PlaygroundError
from playground.metrics.comparison import drafting_cost
from playground.metrics.counts import count
from playground.metrics.interval import LEAST_PROMPTS, bootstrap
from playground.metrics.speed import speed
from playground.models.drafters.choice import BLOCKS
from playground.models.loading import LoadedPair
from playground.trace.events import Trace

# a drafter of every sort below one rule, those that hang what they copied, two other rules for the draft model, and
# the tree of EAGLE-2 with the draft model and with a head
METHODS = ",".join(
    [
        *(f"speculative_sampling:drafter={each}" for each in ("draft", "other", "foreign", "exit2", "exit4", "exit6")),
        *(f"speculative_sampling:drafter={each}" for each in ("exit8", "exit10", "head", *BLOCKS, "suffix")),
        *("prompt_lookup", "suffix_decoding", "hybrid", "greedy_draft", "sample_and_match"),
        *("dynamic_tree", "dynamic_tree:drafter=head"),
    ]
)
ALL = "all"  # kinds of text together


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of a run.

    Attributes:
        passed, reached: drafted positions at which a draw was accepted, and at which one was tested.
        emitted, calls: tokens, the correction or bonus of each round among them, and calls of the target.
        cost: of all rounds together, the draft calls in target calls, by the weights that they read.
        drafted: draws.
        seconds: of all rounds.
    """

    passed: int
    reached: int
    emitted: int
    calls: int
    cost: float
    drafted: int
    seconds: float


# by the entry's label, and by prompt and seed, both from 0
Tallies = dict[str, dict[tuple[int, int], Tally]]


def run_drafters(
    pair: LoadedPair,
    entries: Sequence[Entry],
    prompts: Sequence[tuple[str, str]],
    *,
    seeds: Sequence[int],
    settings: Mapping[str, Any],
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Tallies:
    """Every entry on every prompt with every seed, plain decoding among them; in shuffled turns, each alone.

    Args:
        pair: the target, and its drafts.
        entries: methods and drafters.
        prompts: kind and text of each.
        seeds: of every prompt's runs.
        settings: sampling and max_new_tokens.
        progress: called at the start and after every run: how many of how many are done.

    Raises:
        PlaygroundError: if one of them cannot run.
    """
    tallies: Tallies = {}
    grid = Grid(
        choices=((BASELINE, {}), *((each.method, {**each.options, DRAFTER: each.drafter}) for each in entries)),
        axes={},
        prompts=tuple(text for _, text in prompts),
        seeds=tuple(seeds),
        **settings,
    )
    by_run = {point.run: point for point in points(grid)}

    def keep(run: int, trace: Trace) -> None:
        point = by_run[run]
        tallies.setdefault(point.label, {})[point.prompt - 1, grid.seeds.index(point.seed)] = _tally(trace)

    for row in race(grid, pair=pair, progress=lambda at: progress(at.done, at.total), keep=keep):
        if "failed" in row:
            raise PlaygroundError(f"{row['label']}: {row['failed']}")
    return tallies


def drafter_table(
    tallies: Tallies, entries: Sequence[Entry], prompts: Sequence[tuple[str, str]]
) -> list[dict[str, Any]]:
    """Return a row for each entry and kind of text, and one for all kinds together.

    acceptance is passed / reached, block_efficiency emitted / target calls with the extra token counted; both over all
    runs of the kind, with a 95 % bootstrap interval over its prompts. draft_cost is the draft calls of a round in
    calls of the target, by the weights that each reads: an estimate of their time, which holds where reading weights
    is what takes it. All that is counted.

    What the clock says means something only if nothing else ran: ms_per_token has the median over runs and their
    middle half, prefill excluded; speed_up the median of the ratios to plain decoding on the same prompt and seed, with
    a 95 % bootstrap interval over prompts.

    Args:
        tallies: of these entries and of plain decoding on these prompts.
        entries: as they ran.
        prompts: likewise.
    """
    return [
        {"label": entry.label, "method": entry.method, "drafter": entry.drafter, "kind": kind}
        | _numbers(_by_prompt(tallies[entry.label], indices))
        | {"prompts": len(indices), "runs": sum(prompt in indices for prompt, _ in tallies[entry.label])}
        | _times(tallies[entry.label], tallies[BASELINE], indices)
        for entry in entries
        for kind, indices in _kinds(prompts).items()
    ]


def _times(
    runs: Mapping[tuple[int, int], Tally], plain: Mapping[tuple[int, int], Tally], indices: set[int]
) -> dict[str, Any]:
    times = {at: _ms_per_token(each) for at, each in runs.items() if at[0] in indices}
    ratios = {at: _ms_per_token(plain[at]) / ms for at, ms in times.items()}
    return {"ms_per_token": spread(list(times.values())), "speed_up": median_ratio(ratios, seed=0)}


def _kinds(prompts: Sequence[tuple[str, str]]) -> dict[str, set[int]]:
    """Places of the prompts of each kind, all together first."""
    kinds = {kind: {index for index, (each, _) in enumerate(prompts) if each == kind} for kind, _ in prompts}
    return {ALL: set(range(len(prompts))), **kinds}


def _by_prompt(tallies: Mapping[tuple[int, int], Tally], prompts: set[int]) -> list[list[Tally]]:
    """Return the runs on each of these prompts."""
    return [[tally for (prompt, _), tally in tallies.items() if prompt == wanted] for wanted in sorted(prompts)]


def _ms_per_token(tally: Tally) -> float:
    return 1000 * tally.seconds / tally.emitted


def _tally(trace: Trace) -> Tally:
    counts = count(trace)
    # not of a rule that tests prefixes, or fills a depth with several texts
    has_acceptance = counts.acceptance_per_position is not None
    return Tally(
        passed=counts.num_passed if has_acceptance else 0,
        reached=counts.num_reached if has_acceptance else 0,
        emitted=counts.num_emitted,
        calls=counts.target_calls,
        cost=(drafting_cost(trace) or 0.0) * counts.num_rounds,
        drafted=counts.num_drafted,
        seconds=speed(trace).seconds,
    )


def _numbers(prompts: Sequence[Sequence[Tally]]) -> dict[str, Any]:
    """Return the numbers of some prompts, each with its runs."""

    def sums(name: str) -> list[float]:
        return [sum(getattr(tally, name) for tally in runs) for runs in prompts]

    calls = sum(sums("calls"))
    return {
        **_ratio("acceptance", sums("passed"), sums("reached")),
        **_ratio("block_efficiency", sums("emitted"), sums("calls")),
        "draft_cost": sum(sums("cost")) / calls if calls else None,
        "drafted": sum(sums("drafted")) / calls if calls else None,
    }


def _ratio(name: str, over: Sequence[float], under: Sequence[float]) -> dict[str, Any]:
    """Return the ratio of two sums over prompts, with its interval; None where there is nothing to divide by."""
    above, below = np.array(over, dtype=float), np.array(under, dtype=float)
    if not below.sum():
        return {name: None, f"{name}_interval": None}

    def ratios(picks: np.ndarray) -> np.ndarray:
        sums = below[picks].sum(-1)
        return np.divide(above[picks].sum(-1), sums, out=np.zeros_like(sums), where=sums > 0)

    interval = bootstrap(ratios, len(above)) if len(above) >= LEAST_PROMPTS else None
    return {name: float(above.sum() / below.sum()), f"{name}_interval": interval and list(interval)}
