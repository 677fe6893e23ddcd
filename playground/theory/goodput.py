"""Goodput of a draft length: emitted tokens over the cost of a round, from acceptance by position.

A round costs one plain step and as much again for every drafted token, for its draft call and its place in the
target's call together. Under load that cost rises, as a call over more tokens is no longer free; what a round costs
beside it does not. Sources: Liu et al. 2024, Optimizing Speculative Decoding for Serving Large Language Models Using
Goodput, arXiv 2406.14066; vLLM's proposals of moving means by position, github.com/vllm-project/vllm/pull/44336.
"""

from __future__ import annotations

from collections.abc import Sequence

PRIOR = 0.7  # acceptance of a position of which nothing is known, and of none before it either


def goodput(rates: Sequence[float], draft_length: int, token_cost: float) -> float:
    """Expected tokens of a round in the time of a plain step, so that 1 is plain decoding.

    Args:
        rates: conditional acceptance by position; a later one takes the last.
        draft_length: gamma; 0 is a plain step.
        token_cost: of a drafted token, in plain steps.
    """
    emitted, survives = 1.0, 1.0
    for position in range(draft_length):
        survives *= rate_at(rates, position)
        emitted += survives
    return emitted / (1 + draft_length * token_cost)


def best_length(rates: Sequence[float], token_cost: float, longest: int) -> int:
    """Draft length of 0 .. `longest` with the largest goodput, the shortest on a tie; 0 where none pays."""
    return max(range(longest + 1), key=lambda length: (goodput(rates, length, token_cost), -length))


def perfect_drafter_pays(token_cost: float, longest: int) -> bool:
    """True if a drafter whose every token is accepted gains at some length: below one plain step a token."""
    return best_length((1.0,), token_cost, longest) > 0


def rate_at(rates: Sequence[float], position: int) -> float:
    """Acceptance of a position from 0, or of the last known one before it."""
    return rates[min(position, len(rates) - 1)] if rates else PRIOR


def moved(rates: Sequence[float], num_accepted: int, num_drafted: int, weight: float) -> tuple[float, ...]:
    """Moving means after one more round: the accepted positions and the rejected one move, those behind it do not."""
    means = list(rates)
    for position in range(min(num_accepted + 1, num_drafted)):
        before = rate_at(means, position)
        mean = before + weight * (float(position < num_accepted) - before)
        means[position : position + 1] = [mean]
    return tuple(means)
