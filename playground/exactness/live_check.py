"""A check to watch: growing counts, and at rising numbers of samples their distance from the exact distribution.

A check that is looked at many times must not alarm more often for it. So its p-value is valid at any
time, however often it is computed: a lossless method is called different at any look in at most `CAUGHT` of all
courses, from the first sample on.
"""

import time
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache

import torch

from playground.decoding.method import DecodingMethod
from playground.errors import PlaygroundError
from playground.exactness.badges import PLAIN
from playground.exactness.broken_rules import broken_rule
from playground.exactness.experiments import EXPERIMENTS, Condition, Outcome
from playground.exactness.goodness_of_fit import Comparison, anytime_p_value, compare_under_conditions
from playground.exactness.losslessness import (
    FALSE_ALARM,
    Counts,
    by_condition,
    count_runs,
    distribution_name,
    measured_method,
    reference_distribution,
    run_seeds,
)
from playground.words import Word, paragraph, word

MOST_SAMPLES = 1_000_000
FIRST_LOOK = 50
GROWTH = 1.25  # The samples grow by this from one look to the next.
NOISE_DRAWS = 500  # simulated experiments behind a look's band
CAUGHT = FALSE_ALARM  # The p-value of all looks together is held to it.


@dataclass(frozen=True, slots=True)
class Subject:
    """The method that is measured, and its experiment."""

    name: str  # a method's id, or that of a rule that is broken on purpose
    # They are those that are not at their defaults; a broken rule has its own.
    options: dict[str, int | float | str] = field(default_factory=dict)
    broken: bool = False

    def method(self) -> DecodingMethod:
        """Return the method, with the options of the experiment that it is measured by.

        Raises:
            PlaygroundError: on an unknown name, or an impossible option.
        """
        return broken_rule(self.name).make() if self.broken else measured_method((self.name, self.options))

    def reference(self) -> str:
        """Return the distribution that it is measured against.

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
        """Return a seed for each run; a method's are those of the command `check`."""
        return run_seeds((self.name, {"broken": 1} if self.broken else self.options), samples, seed)


# What a worker process does: the models are tables, which it makes itself


def count(subject: Subject, seeds: Sequence[int]) -> tuple[Counts, float]:
    """Return counts of each outcome, one run per seed, and the seconds they took."""
    torch.set_num_threads(1)
    started = time.perf_counter()
    counts = count_runs(subject.method(), seeds)
    return counts, time.perf_counter() - started


def look(claim: str, counts: Counts) -> Comparison:
    """Return the counts against the exact distribution."""
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
    """One check as far as it has come."""

    subject: Subject
    # counts, samples, seconds: of its runs so far
    counts: Counts = field(default_factory=Counter)
    samples: int = 0
    seconds: float = 0.0
    # Each look adds one: the samples and seconds by then, and the `Comparison`.
    points: list[dict[str, float]] = field(default_factory=list)
    # index of the first point that told the subject from the distribution; None while none has
    caught_at: int | None = None

    def add(self, counts: Counts, samples: int, seconds: float) -> None:
        """More runs."""
        self.counts.update(counts)
        self.samples += samples
        self.seconds += seconds

    def is_time_to_look(self) -> bool:
        """Return whether the samples have grown enough."""
        return self.samples >= (GROWTH * self.points[-1]["samples"] if self.points else FIRST_LOOK)

    def note(self, comparison: Comparison) -> None:
        """One more point."""
        self.points.append({"samples": self.samples, "seconds": self.seconds, **asdict(comparison)})
        if self.caught_at is None and comparison.p_value < CAUGHT:
            self.caught_at = len(self.points) - 1

    def verdict(self) -> Word:
        """Verdict of the samples so far, in a sentence or two."""
        if not self.points:
            return word("lossless_first_samples")
        last, claim = self.points[-1], self.subject.reference()
        claims = self.subject.method().reproduces != "none"
        name = distribution_name(claim)
        distribution = (
            word("lossless_target_distribution") if claim == PLAIN else word("lossless_distribution_of", reference=name)
        )
        if self.caught_at is not None:
            return paragraph(*self._caught(self.points[self.caught_at], claims=claims, distribution=distribution))
        if last["noise_upper"] == 0:
            return word("lossless_all_right", samples=f"{last['samples']:,}", reference=name)
        so_far = word(
            "lossless_so_far",
            samples=f"{last['samples']:,}",
            distribution=distribution,
            tv=f"{last['tv']:.4f}",
            low=f"{last['noise_lower']:.4f}",
            high=f"{last['noise_upper']:.4f}",
        )
        is_open = self.subject.broken or last["tv"] > last["noise_upper"]
        return paragraph(so_far, word("lossless_open") if is_open else word("lossless_like_exact"))

    def _caught(self, first: Mapping[str, float], *, claims: bool, distribution: Word) -> list[Word]:
        """Return the sentences on a sampler that was distinguished from the distribution at this point."""
        last, after = self.points[-1], {"samples": f"{first['samples']:,}", "seconds": f"{first['seconds']:.1f}"}
        distance = {"tv": f"{last['tv']:.3f}"}
        times = {"times": f"{last['tv'] / last['noise_floor']:.1f}"} if last["noise_floor"] else {}
        return [
            word("lossless_caught", **after) if claims else word("lossless_told", distribution=distribution, **after),
            word("lossless_distance_in_noise", **distance, **times) if times else word("lossless_distance", **distance),
            word("lossless_claim_broken") if claims else word("lossless_no_claim"),
        ]
