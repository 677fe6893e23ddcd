"""Do the papers' orderings hold here? Each claim says that one method has more of something than another.

Both sides of a claim decode the same prompts with the same seeds, sampling as the paper does where it says how. What is
compared is no time, so neither the machine nor its load has a say in it. Where a paper leaves the shape of the drafts
open, both sides have equally many, and each side's is chosen on one prompt in three, on which nothing is compared: the
best of many on the prompts compared would be better there than it is. The interval is a bootstrap over the prompts
compared, each with its seeds, both sides drawn together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from playground.bench.entry import Choice, Entry, enter
from playground.bench.results import Results, open_results
from playground.decoding.methods.importance_sampling import CLASSES
from playground.decoding.record import run
from playground.errors import PlaygroundError
from playground.makers.studies.budgets import BUDGETS, CHAINS, TREES, chains, tree
from playground.metrics.counts import count
from playground.metrics.interval import Difference, paired_difference
from playground.models.loading import LoadedPair
from playground.models.sampling import Sampling
from playground.papers.presets import find_preset
from playground.trace.events import Trace
from playground.trace.texts import best_text

Kind = Literal["paper", "ours", "definition"]

ONE_IN = 3  # of the prompts chooses shapes
WIDTH = 4  # of the trees and chains that are compared at one length; the RSD paper's were not at hand


@dataclass(frozen=True, slots=True)
class Claim:
    """One side has more of `measure` than the other.

    Attributes:
        name: what is claimed, as the field says it.
        source: who claims it, and where.
        setting: at what budget, number of drafts or width.
        measure: a name in `MEASURES`.
        higher, lower: the choices on the two sides, equally many.
        sampling: of both sides; temperature 1 where the source does not say.
        kind: a paper's claim that can fail, one about a rule of ours, or one that holds by definition.
    """

    name: str
    source: str
    setting: str
    measure: str
    higher: tuple[Choice, ...]
    lower: tuple[Choice, ...]
    sampling: Sampling = field(default_factory=Sampling)
    kind: Kind = "paper"


EFFICIENCY, LIKELIHOOD = "block efficiency", "log-likelihood per token"

# measure -> (numerator, denominator) of a run; runs are pooled before the one is divided by the other
MEASURES: dict[str, Callable[[Trace], tuple[float, float]]] = {
    EFFICIENCY: lambda trace: (count(trace).num_emitted, count(trace).target_calls),
    LIKELIHOOD: lambda trace: (
        sum(word.log_prob for word in best_text(trace)),
        len(best_text(trace)),
    ),
}


def claims() -> list[Claim]:
    """Return the papers' claims that can be counted on any pair, with the options of the presets."""
    return [*_rsd(), *_importance(), *_block(), *_mtad(), *_dsbd()]


def _rsd() -> Iterator[Claim]:
    """RSD-S above three others: always at equal length, mostly at equal budget. Of RSD-C the captions claim nothing."""
    paper = "Jeon et al. 2024, Figure {}"
    for length in (2, 3, 4, 5):
        ours = (chains("rsd_s", WIDTH, length),)
        for title, rival in (
            ("RSD-C", tree(WIDTH, *[1] * (length - 1))),
            ("SpecTr", chains("spectr", WIDTH, length)),
            ("speculative sampling", ("speculative_sampling", {"draft_length": length})),
        ):
            yield Claim(f"RSD-S above {title}", paper.format(4), f"draft length {length}", EFFICIENCY, ours, (rival,))
    for budget in BUDGETS:
        ours = tuple(chains("rsd_s", *shape) for shape in CHAINS[budget])
        for title, rivals in (
            ("RSD-C", tuple(tree(*shape) for shape in TREES[budget])),
            ("SpecTr", tuple(chains("spectr", *shape) for shape in CHAINS[budget])),
            (
                "speculative sampling",
                tuple(("speculative_sampling", {"draft_length": length}) for length in (budget, budget // 2)),
            ),
        ):
            yield Claim(f"RSD-S above {title}", paper.format(5), f"{budget} nodes", EFFICIENCY, ours, rivals)


def _importance() -> Iterator[Claim]:
    """By the paper's rule for the tokens that its linear program does not see, and by ours."""
    kinds: tuple[tuple[str, dict[str, Any], str, Kind], ...] = (
        ("Importance sampling", {}, "Khisti et al. 2025, Table 1", "paper"),
        (
            "Importance sampling with our classes",
            {"num_classes": CLASSES},
            "ours, beside Khisti et al. 2025, Table 1",
            "ours",
        ),
    )
    sampling = find_preset("importance-table1").sampling
    for title, options, source, kind in kinds:
        for number in range(2, 7):
            method, shape = chains("importance_sampling", number, 5)
            for rival in ("SpecInfer", "SpecTr"):
                yield Claim(
                    f"{title} above {rival}",
                    source,
                    f"K = {number}",
                    EFFICIENCY,
                    ((method, {**shape, **options}),),
                    (chains(rival.lower(), number, 5),),
                    sampling,
                    kind,
                )


def _block() -> Iterator[Claim]:
    for length in (4, 8):
        block, token = (
            ((method, {"draft_length": length}),) for method in ("block_verification", "speculative_sampling")
        )
        source = "Sun et al. 2024, Block Verification"
        yield Claim("Block above token verification", source, f"draft length {length}", EFFICIENCY, block, token)


def _mtad() -> Iterator[Claim]:
    paper, setting = "Qin et al. 2024, MTAD, Table {}", "draft length 4"
    mtad, single = ("mtad", {"tau": 0.1}), ("speculative_sampling", {"draft_length": 4})
    sampling = find_preset("mtad-table4").sampling
    yield Claim(
        "MTAD's text likelier than speculative sampling's",
        paper.format(4),
        setting,
        LIKELIHOOD,
        (mtad,),
        (single,),
        sampling,
    )
    for title, rival in (
        ("speculative sampling", single),
        ("SpecTr", chains("spectr", 4, 4)),
        ("SpecInfer", chains("specinfer", 4, 4)),
    ):
        name = f"MTAD above {title}"
        yield Claim(name, paper.format(5), setting, EFFICIENCY, (mtad,), (rival,), sampling)


def _dsbd() -> Iterator[Claim]:
    """Yield the paper's claims; the text's likelihood under the target stands for the paper's task score.

    Beam sampling emits one token a call, and less at a text's end; DSBD emits as many or more, whatever is accepted.
    """
    paper, draws, sampling = "Qin et al. 2024, DSBD, {}", 6, find_preset("dsbd-table1").sampling
    for width in (1, 2, 3):
        narrow, wide = ((("dsbd", {"num_draws": draws, "width": width, "threshold": t}),) for t in (0.9, 0.7))
        plain, setting = (("beam_sampling", {"width": width}),), f"least width {width}"
        for name, section, measured, higher, lower in (
            ("DSBD above beam sampling", "section 4.2", EFFICIENCY, wide, plain),
            ("DSBD: likelier text at threshold 0.7 than at 0.9", "appendix C.3", LIKELIHOOD, wide, narrow),
            ("DSBD: more tokens a call at threshold 0.9 than at 0.7", "appendix C.3", EFFICIENCY, narrow, wide),
        ):
            kind: Kind = "definition" if lower is plain else "paper"
            yield Claim(name, paper.format(section), setting, measured, higher, lower, sampling, kind)


class _Runs:
    """Runs of a pair on prompts, each made once, and what was counted of them; in a folder, where there is one."""

    def __init__(
        self, pair: LoadedPair, prompts: Sequence[str], max_new_tokens: int, seeds: int, results: Results | None
    ) -> None:
        self.pair, self.prompts, self.max_new_tokens, self.seeds = pair, prompts, max_new_tokens, seeds
        self._results = results
        self._counted = {(row["choice"], row["place"]): row["counts"] for row in results.rows} if results else {}

    def counted(self, choice: Choice, sampling: Sampling, measured: str, indices: Sequence[int]) -> np.ndarray:
        """Numerator and denominator on each of these prompts, the seeds' sums. (prompts, 2)"""
        entry = enter([choice])[0]
        key = f"{entry.method} {sorted(entry.options.items())} {sampling}"
        for index in indices:
            if (key, index) not in self._counted:
                counts = self._counted[key, index] = self._count(entry, sampling, index)
                if self._results:
                    run = len(self._results.rows) + 1
                    self._results.append({"run": run, "choice": key, "place": index, "counts": counts})
        return np.array([self._counted[key, index][measured] for index in indices])

    def _count(self, entry: Entry, sampling: Sampling, index: int) -> dict[str, list[float]]:
        total = {measured: np.zeros(2) for measured in MEASURES}
        for number in range(self.seeds):
            settings = {"sampling": sampling, "seed": number * len(self.prompts) + index}
            request = entry.request(self.pair, self.prompts[index], max_new_tokens=self.max_new_tokens, **settings)
            trace = run(request)
            for measured, counts in MEASURES.items():
                total[measured] += counts(trace)
        return {measured: sums.tolist() for measured, sums in total.items()}


def measure(
    pair: LoadedPair,
    prompts: Sequence[str],
    *,
    wanted: Sequence[Claim],
    max_new_tokens: int = 64,
    seeds: int = 1,
    kept: Path | None = None,
) -> Iterator[dict[str, Any]]:
    """One row per claim, as soon as both its sides are there; a choice that stands in several claims runs once.

    Args:
        pair: the models.
        prompts: every third chooses shapes where there are several, and the others compare; else all compare.
        wanted: the claims.
        max_new_tokens: of each run.
        seeds: runs of each side on each prompt.
        kept: a folder for what was counted of each run, from which another call goes on.

    Raises:
        PlaygroundError: if there are too few prompts to choose on some and compare on others, or the folder holds
            something else.
    """
    choosing = range(0, len(prompts), ONE_IN)
    comparing = [index for index in range(len(prompts)) if index % ONE_IN]
    if not comparing and any(len(claim.higher) > 1 for claim in wanted):
        raise PlaygroundError("One prompt cannot choose a shape and compare it too. Give two or more.")
    with nullcontext() if kept is None else open_results(kept, _plan(pair, prompts, max_new_tokens, seeds)) as results:
        runs = _Runs(pair, prompts, max_new_tokens, seeds, results)
        for claim in wanted:
            several = len(claim.higher) > 1
            compared = comparing if several else range(len(prompts))
            sides = []
            for side in (claim.higher, claim.lower):
                ratios = [_ratio(runs.counted(choice, claim.sampling, claim.measure, choosing)) for choice in side]
                best = side[int(np.argmax(ratios))]
                sides.append((best, runs.counted(best, claim.sampling, claim.measure, compared)))
            yield _row(claim, *sides) | {
                "prompts": len(compared),
                "seeds": seeds,
                "chosen_on": len(choosing) * several,
            }


def _plan(pair: LoadedPair, prompts: Sequence[str], max_new_tokens: int, seeds: int) -> dict[str, Any]:
    """All that decides what is counted of a choice."""
    models = [model.facts() for model in (pair.target, pair.draft) if model]
    settings = {"prompts": list(prompts), "max_new_tokens": max_new_tokens, "seeds": seeds}
    return {"kind": "directions", "models": models, **settings}


def _row(claim: Claim, higher: tuple[Choice, np.ndarray], lower: tuple[Choice, np.ndarray]) -> dict[str, Any]:
    (one, ours), (other, theirs) = higher, lower
    difference = paired_difference(_ratio, ours, theirs)
    return {
        "claim": claim.name,
        "source": claim.source,
        "setting": claim.setting,
        "measure": claim.measure,
        "sampling": claim.sampling.as_dict(),
        "higher": {"method": one[0], "options": dict(one[1]), "value": float(_ratio(ours))},
        "lower": {"method": other[0], "options": dict(other[1]), "value": float(_ratio(theirs))},
        "difference": difference.value,
        "low": difference.low,
        "high": difference.high,
        "verdict": _verdict(difference),
    }


def _verdict(difference: Difference) -> str:
    """Verdict on the claim: whether it holds, and whether by chance."""
    if math.isclose(difference.value, 0, abs_tol=1e-12):
        return "equal"
    word = "holds" if difference.value > 0 else "does not hold"
    if difference.low is None:
        return f"{word}, on too few prompts to tell it from chance"
    return f"{word}, within chance" if difference.is_within_chance else word


def _ratio(runs: np.ndarray) -> np.ndarray:
    """All numerators over all denominators. (..., prompts, 2) -> (...)"""
    total = runs.sum(-2)
    return total[..., 0] / total[..., 1]
