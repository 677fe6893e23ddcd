"""Goodput of a draft length: emitted tokens over the cost of a round, from acceptance by position.

A round costs one plain step and as much again for every drafted token, for its draft call and its place in the
target's call together. Under load that cost rises, as a call over more tokens is no longer free; what a round costs
beside it does not. Sources: Liu et al. 2024, Optimizing Speculative Decoding for Serving Large Language Models Using
Goodput, arXiv 2406.14066; vLLM's proposals of moving means by position, github.com/vllm-project/vllm/pull/44336.
"""

from collections.abc import Sequence
from itertools import accumulate
from operator import mul
from typing import NamedTuple

PRIOR = 0.8  # acceptance while nothing is known of it
PRIOR_COUNT = 4.0  # tested tokens that a prior counts as
FADE = 0.98  # Every count shrinks so from one round to the next.


class Counts(NamedTuple):
    """Draft tokens of one position, each round's faded by its age."""

    accepted: float
    tested: float


def goodputs(rates: Sequence[float], token_cost: float, longest: int) -> list[float]:
    """Return expected tokens of a round per plain step, by draft length 0 .. `longest`; 1 is plain decoding.

    Args:
        rates: conditional acceptance by position, at least one; a later one takes the last.
        token_cost: of a drafted token, in plain steps.
        longest: draft length.
    """
    survival = accumulate((rates[min(position, len(rates) - 1)] for position in range(longest)), mul)
    emitted = accumulate(survival, initial=1.0)  # by length
    return [tokens / (1 + length * token_cost) for length, tokens in enumerate(emitted)]


def best_length(rates: Sequence[float], token_cost: float, longest: int) -> int:
    """Draft length of 0 .. `longest` with the largest goodput, the shortest on a tie; 0 where none pays."""
    by_length = goodputs(rates, token_cost, longest)
    return by_length.index(max(by_length))


def estimated_rates(counts: Sequence[Counts]) -> tuple[float, ...]:
    """Return acceptance by position, and of all further positions: the counts of each, with that of all as its prior.

    A chain of high acceptance is too short at first, and its later positions have few counts: what all positions have
    seen together lets it grow within a text of a hundred tokens. Counts fade, so an estimate that is not tested
    returns to its prior, and the position is drafted again. Means that move only when they are tested would leave a
    length behind for good after a few rejections.
    """
    tested = PRIOR_COUNT + sum(each.tested for each in counts)
    overall = (PRIOR_COUNT * PRIOR + sum(each.accepted for each in counts)) / tested
    prior = PRIOR_COUNT * overall
    return (*((accepted + prior) / (tested + PRIOR_COUNT) for accepted, tested in counts), overall)


def updated_counts(counts: Sequence[Counts], num_accepted: int, num_drafted: int) -> tuple[Counts, ...]:
    """Return counts after one more round: all fade, then the accepted positions and the rejected one count once."""
    num_tested = min(num_accepted + 1, num_drafted)
    known = [*counts, *[Counts(0.0, 0.0)] * (num_tested - len(counts))]
    return tuple(
        Counts(FADE * accepted + (position < min(num_accepted, num_tested)), FADE * tested + (position < num_tested))
        for position, (accepted, tested) in enumerate(known)
    )
