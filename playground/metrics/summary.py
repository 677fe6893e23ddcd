"""A run in one JSON object: what `python -m playground run --json` prints."""

from math import exp
from statistics import fmean

from playground.metrics.acceptance import accepted_per_round
from playground.metrics.counts import count
from playground.metrics.energy import energy
from playground.metrics.speed import speed
from playground.theory.roofline import Machine
from playground.trace.events import Trace
from playground.trace.texts import best_text, written

_OF_COUNTS = (
    *("target_calls", "draft_calls"),
    *("acceptance_per_position", "acceptance_per_draw", "draft_efficiency", "block_efficiency"),
)
_OF_TIMES = ("seconds", "prefill_s", "draft_s", "verify_s", "other_s", "tokens_per_s")


def summarise(trace: Trace, machine: Machine | None = None) -> dict[str, object]:
    """Summarise the run: outcome, counts, times and costs; an undefined or unmeasured value is None.

    num_tokens: emitted tokens, the correction or bonus token of every round included.
    acceptance_per_position: positions with an accepted draw / positions reached; None where the rule tests none.
    acceptance_per_draw: accepted / tested draws; None where the rule tests none by itself. Both are without the
        correction or bonus token; where a position has a single draft they are one number.
    draft_efficiency: accepted / drafted draws, without the correction or bonus token.
    block_efficiency: emitted tokens / target calls, prefill excluded, with the correction or bonus token.
    seconds: draft_s + verify_s + other_s; prefill_s is not in it.
    tokens_per_s: emitted tokens / seconds, with the correction or bonus token.
    perplexity: of the emitted tokens, with the correction or bonus token, under the unwarped target.
    vllm: counts under the names of vLLM's metrics, see `vllm_counts`.
    energy: `joules` was measured by `source`, or is None for a `reason`; everything called estimated is the figure of
        a model with the constants of a machine, and never fills in for it. See energy.py.

    An interrupted trace is summed up to its last complete round; what only the end of a run knows (finish_reason,
    joules, peak_cache_bytes) is then None.

    Args:
        machine: whose constants the estimate of energy takes; those nearest to where the run was made when None.
    """
    start = trace.started
    end = trace.finished
    words = best_text(trace)
    counts, times = count(trace), speed(trace)
    perplexity = exp(-fmean(word.log_prob for word in words)) if words else None
    return {
        "method": start.method,
        "text": end.text if end else written(trace),
        "token_ids": [word.token for word in words],
        "num_tokens": counts.num_emitted,
        "rounds": counts.num_rounds,
        **{name: getattr(counts, name) for name in _OF_COUNTS},
        **{name: getattr(times, name) for name in _OF_TIMES},
        "perplexity": end.perplexity if end else perplexity,
        "energy": energy(trace, machine),
        "peak_cache_bytes": end.peak_cache_bytes if end else None,
        "options": dict(start.options),
        "seed": start.seed,
        "finish_reason": end.finish_reason if end else None,
        "vllm": vllm_counts(trace),
    }


def vllm_counts(trace: Trace) -> dict[str, object] | None:
    """Count drafts as vLLM's metrics name them; None for rules that accept several texts at one depth.

    num_drafts: rounds that drafted something.
    num_draft_tokens, num_accepted_tokens: draws, without the correction or bonus token.
    num_accepted_tokens_per_pos: rounds that accepted at least 1, 2, ... draws; of a tree, along the accepted path.
    mean_acceptance_length: 1 + accepted / drafts, so the correction or bonus token is counted.
    """
    if trace.events and trace.started.tests == "layers":
        return None
    drafts = [each for each in accepted_per_round(trace) if each.num_drafted]
    accepted = [each.num_accepted for each in drafts]
    deepest = max((event.depth for each in trace.rounds for event in each.drafted), default=0)
    return {
        "num_drafts": len(drafts),
        "num_draft_tokens": sum(each.num_drafted for each in drafts),
        "num_accepted_tokens": sum(accepted),
        "num_accepted_tokens_per_pos": [sum(count >= depth for count in accepted) for depth in range(1, deepest + 1)],
        "mean_acceptance_length": 1 + sum(accepted) / len(drafts) if drafts else None,
    }
