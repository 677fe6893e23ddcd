"""The lab of load: goodput of a batch by draft length and by batch size, on costs that were measured or typed in.

Published costs are named examples here, with their address; what follows from them is arithmetic.
"""

from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

import numpy as np
from msgspec import Meta

from playground.errors import PlaygroundError
from playground.files import read_json
from playground.lab.expected_speed import Share
from playground.metrics.load import (
    LARGEST_BATCH,
    LONGEST,
    StepCosts,
    best_length,
    expected_rounds,
    experts_touched,
    perfect_drafter_loses,
    read_costs,
    speed_ups,
    sweep,
    tokens_per_s,
    unpaid_from,
)
from playground.paths import ASSETS
from playground.theory.arrivals import accepted_and_one, poisson_gaps, serve
from playground.theory.roofline import MACHINES, crossover_batch
from playground.theory.speculation import expected_emitted
from playground.words import day, listed, word

TYPED, MEASURED, ON_GPU = "typed", "measured", "h100"
BATCHES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128)
MOST_EXPERTS = 4096
MOST_ARRIVALS = 10_000  # requests a second
# Each text has 64 tokens, a simulation 500 texts, and a batch 32 at most.
SIMULATED_TOKENS, SIMULATED_REQUESTS, MOST_AT_ONCE = 64, 500, 32
BYTES_PER_PARAMETER = 2.0  # A roofline machine reads weights of 16 bits.


@dataclass(frozen=True, slots=True)
class Example:
    """Published costs of a step: "tokens: milliseconds", and where they were published."""

    costs: str
    source: str


PUBLISHED = {
    "mi50": Example(
        "1: 47.6, 2: 57.0, 4: 63.7, 8: 94.5, 9: 152.9, 13: 156.2, 16: 158.6, 32: 168.5, 33: 270.8, 64: 290.1, "
        "128: 425.3",
        word("lab_source_mi50"),
    ),
    "deepseek": Example(
        "1: 100, 2: 121, 3: 141.9, 4: 163.2, 6: 210.6, 8: 256, 12: 344.4, 16: 432, 24: 595.2, 32: 777.6, 48: 1113.6, "
        "64: 1459.2",
        word("lab_source_deepseek"),
    ),
}


def under_load(
    rate: Share,
    *,
    batch: Annotated[int, Meta(ge=1, le=LARGEST_BATCH)],
    draft_length: Annotated[int, Meta(ge=1, le=LONGEST)],
    table: str,
    costs: str,
    cost_ratio: float,
    round_ms: float,
    num_experts: Annotated[int, Meta(ge=0, le=MOST_EXPERTS)],
    per_token: int,
    expert_share: Share = 0.0,
    arrivals_per_s: Annotated[float, Meta(ge=0, le=MOST_ARRIVALS)] = 0.0,
    reads_again: bool = False,
) -> dict[str, object]:
    """Goodput by draft length at a batch size, and by batch size at the best draft length.

    Args:
        rate: alpha of a single draft.
        draft_length: at which the experts touched are computed.
        table: `MEASURED`, `ON_GPU`, one of `PUBLISHED`, or `TYPED`.
        costs: lines of "tokens: milliseconds" where they are typed in.
        cost_ratio: c, a draft call over a target call, both for the batch.
        round_ms: of a round that drafts, in addition to both models' calls.
        num_experts, per_token, expert_share, reads_again: see `StepCosts`.
        arrivals_per_s: requests a second, which are simulated; 0 for none.

    Raises:
        PlaygroundError: on costs that cannot be read, or a table that is unknown. Whether numbers are in the ranges
            that stand beside them, the page's question is asked.
    """
    example = _example(table, costs)
    costs_of_step = read_costs(example.costs)
    step = StepCosts(*costs_of_step, cost_ratio, round_ms, num_experts, per_token, expert_share, reads_again)
    values, best = speed_ups(rate, batch, step), best_length(rate, batch, step)
    drafted = max(range(1, LONGEST + 1), key=values.__getitem__)
    return {
        "costs": example.costs,
        "source": example.source,
        "lengths": list(range(LONGEST + 1)),
        "speed_up": values,
        "perfect": speed_ups(1.0, batch, step),
        "tokens_per_s": [tokens_per_s(rate, batch, length, step) for length in range(LONGEST + 1)],
        "best": best,
        "drafted": drafted,
        "perfect_loses": perfect_drafter_loses(batch, step),
        "unpaid_from": unpaid_from(rate, step),
        "batches": list(BATCHES),
        "by_batch": sweep(rate, BATCHES, step),
        "of_length_by_batch": [speed_ups(rate, size, step)[draft_length] for size in BATCHES],
        "perfect_by_batch": sweep(1.0, BATCHES, step),
        "last_tokens": step.tokens[-1],
        "written_past_the_end": _written_past_the_end(rate, best or drafted),
        "free_up_to": _free_up_to(draft_length),
        "served": [
            under_arrivals(rate, length, arrivals_per_s, step) for length in (0, draft_length) if arrivals_per_s
        ],
        "experts": _experts(num_experts, per_token, batch, draft_length) if num_experts else None,
    }


def _free_up_to(draft_length: int) -> list[dict[str, object]]:
    return [
        {"machine": machine.title, "sequences": crossover_batch(machine, BYTES_PER_PARAMETER, draft_length)}
        for machine in MACHINES.values()
    ]


def _written_past_the_end(rate: float, draft_length: int) -> float:
    """Return the share by which goodput is too high for texts of `SIMULATED_TOKENS`, which end within a round."""
    emitted = float(expected_emitted(rate, draft_length))
    return expected_rounds(rate, draft_length, SIMULATED_TOKENS) * emitted / SIMULATED_TOKENS - 1


def _experts(num_experts: int, per_token: int, batch: int, draft_length: int) -> dict[str, float]:
    plain = experts_touched(num_experts, per_token, batch)
    drafted = experts_touched(num_experts, per_token, batch * (draft_length + 1))
    return {"plain": plain, "drafted": drafted, "growth": drafted / plain}


def _example(table: str, costs: str) -> Example:
    if table == TYPED:
        return Example(costs, "")
    if table == MEASURED:
        return _measured()
    if table == ON_GPU:
        return _measured_on_gpu()
    if table not in PUBLISHED:
        raise PlaygroundError(f"Unknown table of costs {table!r}. Choose one of {', '.join(PUBLISHED)}.")
    return PUBLISHED[table]


@cache
def _measured() -> Example:
    """Costs of the bundled target as the makers' machine has them: calls over tokens in a row."""
    engine = read_json(ASSETS / "engine.json")
    machine = engine["conditions"]["machine"]
    number_format = listed(engine["conditions"]["dtype"].split(" and "))
    where = {"processor": machine["processor"], "threads": machine["threads"], "dtype": number_format}
    where |= {"day": day(read_json(ASSETS / "renewed.json")["engine"]["on"])}
    return Example(_costs(engine), word("lab_source_measured", **where))


@cache
def _measured_on_gpu() -> Example:
    """Costs of the bundled target, enlarged to the size of a real one, on a GPU."""
    report = read_json(ASSETS / "gpu.json")
    deep, shallow, _ = report["reports"]
    conditions, billions = deep["conditions"], deep["conditions"]["parameters"][0] / 1e9
    ratios = [
        each["draft_tree_cost"]["chain_one_node_s"] / deep["tree_cost"]["chain_one_node_s"] for each in (deep, shallow)
    ]
    source = word(
        "lab_source_gpu",
        billions=f"{billions:.1f}",
        gpu=conditions["machine"]["gpu"],
        dtype=conditions["dtype"],
        day=day(report["on"]),
        deep=f"{ratios[0]:.2f}",
        shallow=f"{ratios[1]:.2f}",
    )
    return Example(_costs(deep), source)


def _costs(report: dict[str, Any]) -> str:
    """Lines of "tokens: milliseconds" from a report of the benchmark."""
    chain, one_s = report["tree_cost"]["chain"], report["tree_cost"]["chain_one_node_s"]
    return ", ".join(f"{size}: {1000 * one_s * growth:.3g}" for size, growth in chain.items())


def measured_step(cost_ratio: float) -> StepCosts:
    """Return the costs of the bundled target's steps as measured, with a draft call of c target calls."""
    return StepCosts(*read_costs(_measured().costs), cost_ratio)


def capacity(rate: float, draft_length: int, step: StepCosts) -> float:
    """Return the requests a second that a full batch serves: where more arrive, the queue grows without end."""
    rounds = expected_rounds(rate, draft_length, SIMULATED_TOKENS)
    return 1000 * MOST_AT_ONCE / (rounds * step.batch_ms(MOST_AT_ONCE, draft_length, rate))


def under_arrivals(
    rate: float, draft_length: int, arrivals_per_s: float, step: StepCosts, num_requests: int = SIMULATED_REQUESTS
) -> dict[str, float | None]:
    """Simulate requests of 64 tokens, at most 32 at a time; seeded.

    Args:
        rate: alpha of a single draft.
        draft_length: 0 for plain decoding.
        arrivals_per_s: requests a second, a Poisson process.
        num_requests: of a simulation.

    Returns:
        Latencies, goodput and batch. Past `capacity` there is no latency: each request waits longer than the one before
        it, so a number would tell how many were simulated; goodput and batch are then those of a full batch.
    """
    most = capacity(rate, draft_length, step)
    if arrivals_per_s >= most:
        full = {"tokens_per_s": most * SIMULATED_TOKENS, "mean_batch": float(MOST_AT_ONCE)}
        return {"capacity_per_s": most, "median_s": None, "slowest_in_20_s": None, **full}
    rng = np.random.default_rng(0)
    served = serve(
        poisson_gaps(arrivals_per_s, num_requests, rng),
        num_tokens=SIMULATED_TOKENS,
        most_sequences=MOST_AT_ONCE,
        round_s=lambda batch: step.batch_ms(batch, draft_length, rate) / 1000,
        emit=accepted_and_one(rate, draft_length, rng),
    )
    middle, slow = np.quantile(served.latencies_s, [0.5, 0.95]).tolist()
    return {
        "capacity_per_s": most,
        "median_s": middle,
        "slowest_in_20_s": slow,
        "tokens_per_s": served.tokens_per_s,
        "mean_batch": served.mean_batch,
    }
