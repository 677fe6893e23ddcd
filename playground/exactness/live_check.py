"""A check to watch: growing counts, and at rising numbers of samples their distance from the exact distribution.

A check that is looked at many times must not alarm more often for it. So its p-value is one that may be asked for at
any time, and as often as one likes: a lossless method is called different at any look in at most `CAUGHT` of all
courses, from the first sample on.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any

import torch

from playground.decoding.method import DecodingMethod
from playground.errors import PlaygroundError
from playground.exactness.broken_rules import broken_rule
from playground.exactness.experiments import EXPERIMENTS, Condition, Outcome
from playground.exactness.goodness_of_fit import Comparison, anytime_p_value, compare_under_conditions
from playground.exactness.losslessness import (
    FALSE_ALARM,
    Counts,
    by_condition,
    count_runs,
    measured_method,
    reference_distribution,
    run_seeds,
)

MOST_SAMPLES = 1_000_000
FIRST_LOOK = 50
GROWTH = 1.25  # of the samples from one look to the next
NOISE_DRAWS = 500  # simulated experiments behind a look's band
CAUGHT = FALSE_ALARM  # of the p-value; over all looks together


@dataclass(frozen=True, slots=True)
class Subject:
    """The method that is measured, and its experiment.

    Attributes:
        name: a method's id, or that of a rule that is broken on purpose.
        options: of the method, those that are not at their defaults; a broken rule has its own.
        broken: which of the two it is.
    """

    name: str
    options: dict[str, Any] = field(default_factory=dict)
    broken: bool = False

    def method(self) -> DecodingMethod:
        """The method, with the options of the experiment that it is measured by.

        Raises:
            PlaygroundError: on an unknown name, or an impossible option.
        """
        return broken_rule(self.name).make() if self.broken else measured_method((self.name, self.options))

    def reference(self) -> str:
        """The distribution that it is measured against.

        Raises:
            PlaygroundError: if there is no experiment for that.
        """
        reference = reference_distribution(self.method())
        if reference not in EXPERIMENTS:
            raise PlaygroundError(
                "No experiment measures the distribution that this method claims. Choose another method."
            )
        return reference

    def seeds(self, samples: int, seed: int) -> list[int]:
        """A seed for each run; a method's are those of the command `check`."""
        return run_seeds((self.name, {"broken": 1} if self.broken else self.options), samples, seed)


# What a worker process does: the models are tables, which it makes itself


def count(subject: Subject, seeds: Sequence[int]) -> tuple[Counts, float]:
    """Counts of each outcome, one run per seed, and the seconds they took."""
    torch.set_num_threads(1)
    started = time.perf_counter()
    counts = count_runs(subject.method(), seeds)
    return counts, time.perf_counter() - started


def look(claim: str, counts: Counts) -> Comparison:
    """The counts against the exact distribution."""
    pairs = by_condition(counts).items()
    return compare_watched([(outcomes, _distribution(claim, condition)) for condition, outcomes in pairs])


def compare_watched(pairs: Sequence[tuple[Mapping[Hashable, int], Mapping[Hashable, float]]]) -> Comparison:
    """For each condition, counts that are looked at again and again, and their distribution."""
    return compare_under_conditions(pairs, NOISE_DRAWS, anytime_p_value)


@lru_cache(maxsize=4096)
def _distribution(claim: str, condition: Condition) -> dict[Outcome, float]:
    return EXPERIMENTS[claim].distribution(condition)


@dataclass(slots=True)
class Watched:
    """One check as far as it has come.

    Attributes:
        subject: what is measured.
        counts, samples, seconds: of its runs so far.
        points: what each look found: the samples and seconds by then, and the `Comparison`.
        caught_at: the place of the first point that told it from the distribution; None as long as none has.
    """

    subject: Subject
    counts: Counts = field(default_factory=Counter)
    samples: int = 0
    seconds: float = 0.0
    points: list[dict[str, float]] = field(default_factory=list)
    caught_at: int | None = None

    def add(self, counts: Counts, samples: int, seconds: float) -> None:
        """More runs."""
        self.counts.update(counts)
        self.samples += samples
        self.seconds += seconds

    def is_time_to_look(self) -> bool:
        """True if the samples have grown enough."""
        return self.samples >= (GROWTH * self.points[-1]["samples"] if self.points else FIRST_LOOK)

    def note(self, comparison: Comparison) -> None:
        """One more point."""
        self.points.append({"samples": self.samples, "seconds": self.seconds, **asdict(comparison)})
        if self.caught_at is None and comparison.p_value < CAUGHT:
            self.caught_at = len(self.points) - 1

    def verdict(self) -> str:
        """Verdict of the samples so far, in a sentence or two."""
        if not self.points:
            return "The first samples are being drawn."
        method, claim, last = self.subject.method(), self.subject.reference(), self.points[-1]
        claims = method.reproduces != "none"
        other = "the target's distribution" if claim == "target sampling" else f"the distribution of {claim}"
        if self.caught_at is not None:
            first = self.points[self.caught_at]
            times = f", {last['tv'] / last['noise_floor']:.1f} times what chance makes" if last["noise_floor"] else ""
            what = "Caught" if claims else f"Told from {other}"
            ending = (
                "It breaks its claim to be lossless."
                if claims
                else "It claims no distribution: this is how far its texts are from it."
            )
            return (
                f"{what} after {first['samples']:,} samples ({first['seconds']:.1f} s). "
                f"Its distance is {last['tv']:.3f} by now{times}. {ending}"
            )
        if last["noise_upper"] == 0:
            return f"All {last['samples']:,} runs came out as {claim} says; its distribution leaves chance no room."
        band = f"{last['noise_lower']:.4f} to {last['noise_upper']:.4f}"
        inside = last["tv"] <= last["noise_upper"]
        sentence = (
            f"After {last['samples']:,} samples its distance from {other} is {last['tv']:.4f}; "
            f"that of an exact sampler is {band} in 98 of 100 cases. "
        )
        if not inside:
            return sentence + "It is above that now, which alone proves nothing: more samples will tell."
        if self.subject.broken:
            return sentence + "So the mistake is not caught yet: more samples will tell."
        return sentence + (
            "Nothing tells it from an exact sampler." if claims else "Nothing tells it from the target yet."
        )
