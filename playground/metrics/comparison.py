"""Numbers that runs are compared by: one flat row per run for sweeps, and one per entry for races."""

from statistics import fmean
from typing import Any, NotRequired, TypedDict

from playground.metrics.acceptance import acceptance_by_depth
from playground.metrics.counts import count, ratio
from playground.metrics.summary import summarise
from playground.theory.roofline import Machine
from playground.trace.events import Facts, Trace

# A row leaves these out of a summary: long, nested, or said elsewhere.
LEFT_OUT = ("token_ids", "energy", "method", "options", "seed", "vllm")


class Labelled(TypedDict):
    """A run, or an entry of a race, by its method."""

    label: str  # the method, and what those beside it vary in
    method: str  # the method's id
    options: dict[str, float]
    failed: NotRequired[str]  # a sentence


class RunRow(Labelled):
    """A run of a race or a sweep, with its sampling and its `run_numbers`; one that failed lacks these."""

    run: int  # its number, from 1
    prompt: int  # from 1
    seed: int
    num_tokens: int
    seconds: float
    tokens_per_s: float | None
    repeat: int  # A race's run has it, from 1.
    energy: Facts  # A race's run has it, see energy.py.
    trace: NotRequired[str | None]  # A sweep's run has its file in the folder, and the size of that.
    trace_bytes: NotRequired[int]


class Spread(TypedDict):
    """A median, and where the middle half or an interval around it begins and ends."""

    median: float
    low: float | None
    high: float | None


class Ratio(Spread):
    """A speed-up, the median over pairs of runs, with its interval."""

    pairs: int


# The numbers of a race's row, each a spread over the runs of its entry; `run_numbers` says what they are.
SPREADS = (
    *("tokens_per_s", "block_efficiency", "acceptance_per_position", "acceptance_per_draw", "draft_efficiency"),
    *("verified_nodes", "accepted_width", "mbsu", "perplexity", "target_calls", "draft_calls", "peak_cache_bytes"),
    *("draft_s_per_token", "verify_s_per_token", "other_s_per_token"),
    *("joules_per_token", "estimated_joules_per_token", "estimated_rejected_joules_per_token"),
)


class RaceRow(Labelled, total=False):
    """An entry of a race, with all of `SPREADS`; one that failed has none of these fields."""

    against: str | None  # The speed-up is over the entry of this label.
    unrated: str | None  # the entry that is missing for a speed-up of beams
    speed_up: Ratio | None
    runs: int
    tokens_per_s: Spread | None
    block_efficiency: Spread | None
    draft_efficiency: Spread | None
    by_prompt: dict[str, dict[str, float]]  # the means over a prompt's repeats of the numbers that papers report
    energy_source: str | None
    energy_reason: str | None
    tests: str | None
    workers: int  # runs at a time, where they shared a machine


def run_numbers(trace: Trace, machine: Machine | None = None) -> dict[str, object]:
    """Return a run's summary without its nested parts, and the costs that only comparisons need.

    tests: what the rule tests, see `RunStarted`; it says why an acceptance may be blank.
    verified_nodes: drafted nodes that the target verified in a round, on average; the target's budget.
    accepted_width: accepted drafts at a tested depth, on average, where a rule fills depths with several texts.
    mbsu: memory-bound speed-up, see below.
    draft_s_per_token, verify_s_per_token, other_s_per_token: where the time of an emitted token went.
    joules_per_token: measured / emitted tokens; None where not measured, and energy_reason says why.
    estimated_joules_per_token, estimated_rejected_joules_per_token: a calculation, see energy.py.

    Args:
        machine: whose constants the estimate of energy takes.
    """
    summary: dict[str, Any] = summarise(trace, machine)
    energy, num_tokens = summary["energy"], summary["num_tokens"]

    def per_token(value: float | None) -> float | None:
        return None if value is None else ratio(value, num_tokens)

    return {name: value for name, value in summary.items() if name not in LEFT_OUT} | {
        "tests": trace.started.tests,
        "verified_nodes": verified_nodes(trace),
        "accepted_width": accepted_width(trace),
        "mbsu": memory_bound_speed_up(trace),
        "draft_s_per_token": per_token(summary["draft_s"]),
        "verify_s_per_token": per_token(summary["verify_s"]),
        "other_s_per_token": per_token(summary["other_s"]),
        "joules": energy["joules"],
        "joules_per_token": per_token(energy["joules"]),
        "energy_source": energy["source"],
        "energy_reason": energy["reason"],
        "estimated_joules_per_token": per_token(energy["estimated_joules"]),
        "estimated_rejected_joules_per_token": per_token(energy["estimated_rejected_joules"]),
    }


def verified_nodes(trace: Trace) -> float | None:
    """Drafted nodes the target was asked about in a round, on average; None before the first round."""
    drafted = [set(each.depth_of) & set(each.scored.nodes) for each in trace.rounds]
    return fmean(map(len, drafted)) if drafted else None


def accepted_width(trace: Trace) -> float | None:
    """Return the accepted beams of a tested depth, on average; None of a rule that does not fill depths with texts.

    Qin et al. 2024, Dynamic-Width Speculative Beam Decoding, arXiv 2409.16560, Figure 7: its average accepted width.
    """
    if not trace.events or trace.started.tests != "layers":
        return None
    tested = [each for each in acceptance_by_depth(trace) if each.num_tested]
    return ratio(sum(each.num_accepted for each in tested), len(trace.rounds) * sum(each.reach for each in tested))


def memory_bound_speed_up(trace: Trace) -> float | None:
    """MBSU: block efficiency / (1 + r L), r = draft / target parameters, L draft calls a round; None before the first.

    With several draft models r L is summed over them, with the forward passes of each as its calls.

    Jeon et al. 2024: the speed-up if time were only the reading of weights. Block efficiency counts the correction or
    bonus token.
    """
    cost, totals = drafting_cost(trace) if trace.rounds else None, count(trace)
    return None if cost is None else totals.num_emitted / totals.target_calls / (1 + cost)


def drafting_cost(trace: Trace) -> float | None:
    """r L: what a draft's calls read of weights in each round of a trace that has one, in calls of the target.

    None where the trace does not say how large its models are.
    """
    if (sizes := draft_sizes(trace)) is None:
        return None
    calls = [count(trace).draft_calls] if len(sizes) == 1 else _passes(trace)
    return sum(size * number for size, number in zip(sizes, calls, strict=False)) / len(trace.rounds)


def draft_sizes(trace: Trace) -> list[float] | None:
    """Return each draft model's parameters over the target's; None where the trace lacks them."""
    started = trace.started
    models = [facts for facts in (started.target, started.draft, *started.other_drafts) if facts]
    sizes = [size for facts in models if isinstance(size := facts.get("parameters"), int | float) and size > 0]
    return [size / sizes[0] for size in sizes[1:]] if len(sizes) == len(models) else None


def _passes(trace: Trace) -> list[int]:
    """Forward passes of each draft model."""
    works = [each.committed.draft_work[::3] for each in trace.rounds]
    return [sum(each) for each in zip(*works, strict=True)]
