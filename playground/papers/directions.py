"""Do the papers' orderings hold here? Each claim says that one method has more of something than another.

Both sides of a claim decode the same prompts with the same seeds. What is compared is no time, so neither the machine
nor its load has a say in it. The interval is a bootstrap over the prompts, both sides drawn together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from playground.bench.entry import Choice, Entry, enter
from playground.decoding.record import run
from playground.decoding.sampling import Sampling
from playground.metrics.counts import count
from playground.metrics.interval import bootstrap
from playground.models.loading import LoadedPair
from playground.papers.presets import BUDGETS, CHAINS, TREES, chains, tree
from playground.trace.events import Trace
from playground.trace.texts import best_text


@dataclass(frozen=True, slots=True)
class Claim:
    """One side has more of `measure` than the other; of several choices on a side the best one counts.

    Attributes:
        name: what is claimed, as the field says it.
        setting: at what budget, number of drafts or width.
        measure: a name in `MEASURES`.
        higher, lower: the choices on the two sides.
    """

    name: str
    setting: str
    measure: str
    higher: tuple[Choice, ...]
    lower: tuple[Choice, ...]


# measure -> (numerator, denominator) of a run; runs are pooled before the one is divided by the other
MEASURES: dict[str, Callable[[Trace], tuple[float, float]]] = {
    "block efficiency": lambda trace: (count(trace).num_emitted, count(trace).target_calls),
    "log-likelihood per token": lambda trace: (
        sum(word.log_prob for word in best_text(trace)),
        len(best_text(trace)),
    ),
}


def claims() -> list[Claim]:
    """What the papers claim that can be counted on any pair, with the options of the presets."""
    efficiency, likelihood = "block efficiency", "log-likelihood per token"
    found = []
    for budget in BUDGETS:
        rsd_s, rsd_c, specinfer = (
            tuple(chains("rsd_s", *shape) for shape in CHAINS[budget]),
            tuple(tree(*shape) for shape in TREES[budget]),
            tuple(chains("specinfer", *shape) for shape in CHAINS[budget]),
        )
        found += [
            Claim("RSD-S above RSD-C", f"{budget} nodes", efficiency, rsd_s, rsd_c),
            Claim("RSD-C above SpecInfer", f"{budget} nodes", efficiency, rsd_c, specinfer),
        ]
    for number in range(2, 7):
        importance, specinfer, spectr = (
            (chains(method, number, 5),) for method in ("importance_sampling", "specinfer", "spectr")
        )
        found += [
            Claim("Importance sampling above SpecInfer", f"K = {number}", efficiency, importance, specinfer),
            Claim("Importance sampling above SpecTr", f"K = {number}", efficiency, importance, spectr),
        ]
    for length in (4, 8):
        block, token = (
            ((method, {"draft_length": length}),) for method in ("block_verification", "speculative_sampling")
        )
        found.append(Claim("Block above token verification", f"draft length {length}", efficiency, block, token))
    found.append(
        Claim(
            "MTAD's text likelier than speculative sampling's",
            "draft length 4",
            likelihood,
            (("mtad", {}),),
            (("speculative_sampling", {}),),
        )
    )
    for width in (1, 2, 3):
        fixed = ("dsbd", {"num_draws": 6, "width": width, "threshold": 0})
        chosen = ("dsbd", {"num_draws": 6, "width": width, "threshold": 0.7})
        plain = ("beam_sampling", {"width": width})
        found += [
            Claim("DSBD above beam sampling", f"width {width}", efficiency, (fixed,), (plain,)),
            Claim("DSBD: likelier text at a chosen width than at a fixed one", f"least width {width}", likelihood,
                  (chosen,), (fixed,)),
            Claim("DSBD: more tokens a call at a fixed width than at a chosen one", f"least width {width}", efficiency,
                  (fixed,), (chosen,)),
        ]  # fmt: skip
    return found


def measure(
    pair: LoadedPair,
    prompts: Sequence[str],
    *,
    wanted: Sequence[Claim],
    sampling: Sampling | None = None,
    max_new_tokens: int = 64,
    seeds: int = 1,
) -> Iterator[dict[str, Any]]:
    """One row per claim, as soon as both its sides are there; a choice that stands in several claims runs once.

    Args:
        pair: the models.
        prompts: a pair of runs for each, and for each seed.
        wanted: the claims.
        sampling: temperature 1 if None.
        max_new_tokens: of each run.
        seeds: from 0.
    """
    runs: dict[str, list[Trace]] = {}

    def pooled(choice: Choice, measured: str) -> np.ndarray:  # (runs, 2)
        entry = enter([choice])[0]
        key = f"{entry.method} {sorted(entry.options.items())}"
        if key not in runs:
            runs[key] = list(_runs(entry, pair, prompts, sampling or Sampling(), max_new_tokens, seeds))
        return np.array([MEASURES[measured](trace) for trace in runs[key]], dtype=float)

    for claim in wanted:
        higher, lower = (
            _best([(choice, pooled(choice, claim.measure)) for choice in side]) for side in (claim.higher, claim.lower)
        )
        yield _row(claim, higher, lower)


def _runs(
    entry: Entry, pair: LoadedPair, prompts: Sequence[str], sampling: Sampling, max_new_tokens: int, seeds: int
) -> Iterator[Trace]:
    for seed in range(seeds):
        for place, prompt in enumerate(prompts):
            asked = {"sampling": sampling, "seed": seed * len(prompts) + place, "max_new_tokens": max_new_tokens}
            yield run(entry.request(pair, prompt, **asked))


def _best(side: list[tuple[Choice, np.ndarray]]) -> tuple[Choice, np.ndarray]:
    return max(side, key=lambda each: _ratio(each[1]))


def _row(claim: Claim, higher: tuple[Choice, np.ndarray], lower: tuple[Choice, np.ndarray]) -> dict[str, Any]:
    low, high = bootstrap(
        lambda picks: np.array([_ratio(higher[1][pick]) - _ratio(lower[1][pick]) for pick in picks]), len(higher[1])
    )
    difference = _ratio(higher[1]) - _ratio(lower[1])
    return {
        "claim": claim.name,
        "setting": claim.setting,
        "measure": claim.measure,
        "higher": {"method": higher[0][0], "options": dict(higher[0][1]), "value": _ratio(higher[1])},
        "lower": {"method": lower[0][0], "options": dict(lower[0][1]), "value": _ratio(lower[1])},
        "difference": difference,
        "low": low,
        "high": high,
        "runs": len(higher[1]),
        "verdict": _verdict(difference, low, high),
    }


def _verdict(difference: float, low: float, high: float) -> str:
    """Whether the claim holds, and whether chance could have made it so."""
    if math.isclose(difference, 0, abs_tol=1e-12):
        return "equal"
    word = "holds" if difference > 0 else "does not hold"
    return word if low > 0 or high < 0 else f"{word}, within chance"


def _ratio(runs: np.ndarray) -> float:
    total = runs.sum(0)
    return float(total[0] / total[1])
