"""The price of verification: a call over several tokens over a call over one, measured here and published elsewhere.

The bundled target's rows are those of the makers' benchmark, the chat model's those of `costs --json`; other engines'
are in assets/verification_costs.json, with the address and the day of what is cited.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from playground.files import read_json
from playground.metrics.load import LONGEST, StepCosts
from playground.paths import ASSETS
from playground.theory.speculation import expected_emitted
from playground.theory.tree_speed_up import Growth, round_cost

FILE = ASSETS / "verification_costs.json"
BENCHMARKED_CONTEXT = 128  # The makers' benchmark calls the target after so many tokens, see its `by_tree`.
THREADS = {"smollm2": 1, "smollm2_two_threads": 2}  # The chat model's rows have so many.
MOST_SHOWN = 32  # Larger calls of the benchmark are left out.


class CostRow(msgspec.Struct, frozen=True, kw_only=True):
    """One model on one machine."""

    id: str
    engine: str
    model: str  # with the number format of its weights
    machine: str
    threads: int | None = None
    context: int | None = None  # cached tokens before those of the call
    on: str  # day of the measurement, or of its publication
    source: str = ""  # address of what is cited; empty for a row that was measured here
    costs: dict[int, float]  # T(n) / T(1) by n

    def title(self) -> str:
        """Engine, model, machine and conditions."""
        threads = "" if self.threads is None else f", {self.threads} thread{'s' * (self.threads > 1)}"
        context = "" if self.context is None else f", after {self.context} tokens"
        return f"{self.engine}, {self.model}, {self.machine}{threads}{context}"

    def growth(self) -> Growth:
        """T(n) / T(1): straight between the sizes that were measured, and straight on after the last."""
        sizes = {1: 1.0} | self.costs
        return np.vectorize(StepCosts(tuple(sizes), tuple(sizes.values())).step_ms, otypes=[float])

    def longest_paying(self, rates: ArrayLike, cost_ratio: float = 0.0) -> list[int]:
        """Longest draft that is faster than plain decoding, by acceptance rate, among the sizes that were measured.

        Args:
            rates: alpha; i.i.d., as in Leviathan et al. 2023, Eq. 1.
            cost_ratio: c, a draft call over a target call on one token.
        """
        lengths = np.arange(min(LONGEST, max(self.costs) - 1) + 1)
        emitted = np.stack([expected_emitted(rates, length) for length in lengths.tolist()], -1)
        return longest_paying(emitted / round_cost(lengths, lengths, cost_ratio, self.growth()))


@cache
def cost_rows() -> dict[str, CostRow]:
    """Return the rows by their ids: those of the makers' benchmark, then those of the file."""
    engine, on = "this playground", read_json(ASSETS / "renewed.json")
    reports = {
        id: (read_json(ASSETS / f"{id}.json"), on[piece]["on"])
        for id, piece in (("engine", "engine"), ("engine_float32", "engine in float32"))
    }
    rows = [
        CostRow(
            id=id,
            engine=engine,
            model=f"bundled target, {report['conditions']['dtype']}",
            machine=report["conditions"]["machine"]["processor"],
            threads=report["conditions"]["machine"]["threads"],
            context=BENCHMARKED_CONTEXT,
            on=day,
            costs={int(size): cost for size, cost in report["tree_cost"]["chain"].items() if int(size) <= MOST_SHOWN},
        )
        for id, (report, day) in reports.items()
    ]
    for id in THREADS:
        own = msgspec.json.decode(costs_file(id).read_bytes(), type=CostRow)
        rows.append(msgspec.structs.replace(own, id=id))
    return {row.id: row for row in [*rows, *msgspec.json.decode(FILE.read_bytes(), type=list[CostRow])]}


def costs_file(id: str) -> Path:
    """Return the file of a row that `costs --json` wrote."""
    return ASSETS / f"costs_{id}.json"


def longest_paying(speed_ups: np.ndarray) -> list[int]:
    """Return the longest draft with a speed-up above 1 by acceptance rate; 0 where none has.

    Args:
        speed_ups: (rates, lengths from 0) over plain decoding.
    """
    return ((speed_ups > 1) * np.arange(speed_ups.shape[-1])).max(-1).tolist()


def as_markdown(rows: Sequence[CostRow], rates: Sequence[float], cost_ratio: float) -> str:
    """Return the rows as a table for a document: costs, then the longest draft that pays at each acceptance rate."""
    sizes = sorted({size for row in rows for size in row.costs if size > 1})
    head = ["engine, model, machine", *map(str, sizes), *(f"α {rate:g}" for rate in rates), "source"]
    lines = [head, ["---"] * len(head), *(_cells(row, sizes, rates, cost_ratio) for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _cells(row: CostRow, sizes: Sequence[int], rates: Sequence[float], cost_ratio: float) -> list[str]:
    costs = [f"{row.costs[size]:.2f}" if size in row.costs else "" for size in sizes]
    last = min(LONGEST, max(row.costs) - 1)
    lengths = [f"{length}{'+' * (length == last)}" for length in row.longest_paying(rates, cost_ratio)]
    source = f"[published]({row.source}), {row.on}" if row.source else f"measured, {row.on}"
    return [row.title(), *costs, *lengths, source]
