"""Numbers that runs are compared by: one flat row per run, for races and sweeps."""

from statistics import fmean
from typing import Any

from playground.metrics.acceptance import acceptance_by_depth
from playground.metrics.counts import ratio
from playground.metrics.summary import summarise
from playground.theory.roofline import Machine
from playground.trace.events import Trace

# A row leaves these out of a summary: long, nested, or said elsewhere.
LEFT_OUT = ("token_ids", "energy", "method", "options", "seed", "vllm")


def run_numbers(trace: Trace, machine: Machine | None = None) -> dict[str, Any]:
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
    summary = summarise(trace, machine)
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
    cost = drafting_cost(trace) if trace.rounds else None
    return None if cost is None else summarise(trace)["block_efficiency"] / (1 + cost)


def drafting_cost(trace: Trace) -> float | None:
    """r L: what a draft's calls read of weights in each round of a trace that has one, in calls of the target.

    None where the trace does not say how large its models are.
    """
    if (sizes := draft_sizes(trace)) is None:
        return None
    summary = summarise(trace)
    calls = [summary["draft_calls"]] if len(sizes) == 1 else _passes(trace)
    return sum(size * number for size, number in zip(sizes, calls, strict=False)) / summary["rounds"]


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
