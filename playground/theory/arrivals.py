"""Latency under arrivals at a rate, simulated round by round: what a server publishes, where no closed form holds.

Requests arrive as a Poisson process and wait for a place in the batch. All that have one make a round
together, whose time depends on how many they are; each writes the tokens that it accepted and one more, and leaves
when its text is whole. A request that arrives during a round joins the next one. Prompts are taken to cost nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

import numpy as np


@dataclass(frozen=True, slots=True)
class Served:
    """Latency and goodput of a simulated server."""

    latencies_s: list[float]  # Each request waits from its arrival to its last token.
    tokens_per_s: float  # goodput, all tokens over the time from the first arrival to the last token
    mean_batch: float  # sequences of a round, on average


def serve(
    gaps_s: list[float],
    *,
    num_tokens: int,
    most_sequences: int,
    round_s: Callable[[int], float],
    emit: Callable[[], int],
) -> Served:
    """Serve requests in the order of their arrival.

    Args:
        gaps_s: seconds between arrivals, the first from time 0.
        num_tokens: of each text.
        most_sequences: of a round.
        round_s: seconds of a round by its sequences.
        emit: tokens that a sequence writes in a round.
    """
    arrivals = list(accumulate(gaps_s))
    now, waiting, running, rounds = 0.0, list(range(len(arrivals))), {}, []
    latencies = [0.0] * len(arrivals)
    while waiting or running:
        while waiting and len(running) < most_sequences and arrivals[waiting[0]] <= now:
            running[waiting.pop(0)] = num_tokens
        if not running:
            now = arrivals[waiting[0]]
            continue
        now += round_s(len(running))
        rounds.append(len(running))
        for request in list(running):
            running[request] -= emit()
            if running[request] <= 0:
                latencies[request] = now - arrivals[request]
                del running[request]
    return Served(latencies, num_tokens * len(arrivals) / (now - arrivals[0]), sum(rounds) / len(rounds))


def poisson_gaps(rate: float, count: int, rng: np.random.Generator) -> list[float]:
    """Draw the seconds between a number of arrivals at a rate per second."""
    return rng.exponential(1 / rate, count).tolist()


def accepted_and_one(acceptance: float, draft_length: int, rng: np.random.Generator) -> Callable[[], int]:
    """Return a draw of the tokens of one sequence's round: i.i.d. acceptance, and the correction or bonus token."""
    return lambda: int(np.append(rng.random(draft_length) < acceptance, False).argmin()) + 1
