"""Is a method lossless? Its output's law, counted over many seeded runs, against the law it claims, which is exact.

The models are tables of probabilities, so the law of the first three tokens is a product of table entries. Every run
goes through `decode`, with the method's default options. Counting is never exact: the same number of samples drawn from
the true law would be some distance away too, and that noise floor stands beside every distance.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from playground.decoding.decode import Request, Round, decode
from playground.decoding.method import find_method, make_method
from playground.decoding.sampling import Sampling
from playground.errors import PlaygroundError
from playground.models.table_model import TableModel

VOCAB_SIZE = 5
NUM_TOKENS = 3  # emitted tokens whose joint law is compared
BUDGET = 5  # tokens a run may emit: a whole draft of four fits into the first round
TARGET = TableModel.random(VOCAB_SIZE, order=2, seed=5)
DRAFT = TableModel.random(VOCAB_SIZE, order=1, seed=6)
PROMPT = (0, 1, 2, 0, 1)  # repeats itself, so that prompt lookup finds something to copy

FALSE_ALARM = 1e-4  # how often a lossless method would be called different
MAX_SAMPLES = 10_000_000
NOISE_DRAWS = 2_000  # simulated experiments behind the noise floor
NOISE_SEED = 0
CHUNK = 2_500  # runs per task of a worker process

LOSSLESS = "lossless within noise"
DIFFERS = "differs from the target"
NO_CLAIM = "claims no law"
NOT_MEASURED = "not measured: its claim is no law of tokens drawn in turn"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Counts against a law.

    Attributes:
        tv: total variation distance between the frequencies and the law, 0 to 1.
        noise_floor: what `tv` is on average when the counts do come from the law.
        noise_upper: what it then exceeds in 1 of 100 experiments.
        p_value: of Pearson's chi-square test; 0 when something came out that the law excludes.
    """

    tv: float
    noise_floor: float
    noise_upper: float
    p_value: float


@dataclass(frozen=True, slots=True)
class Losslessness:
    """One method's result. The numbers compare with sampling from the target, also for a method that claims no law.

    Attributes:
        method: id.
        reproduces: the law it claims.
        tv, noise_floor, noise_upper, p_value: see `Comparison`; None where nothing was measured.
        verdict: `LOSSLESS` or `DIFFERS`; `NO_CLAIM` for a method that claims no law, `NOT_MEASURED` for beams.
        samples: number of runs.
        vocab_size, num_tokens: the law has vocab_size ** num_tokens sequences.
        seed: of the whole check; every run gets its own from it.
    """

    method: str
    reproduces: str
    tv: float | None
    noise_floor: float | None
    noise_upper: float | None
    p_value: float | None
    verdict: str
    samples: int
    vocab_size: int
    num_tokens: int
    seed: int


def check(
    method_ids: Sequence[str], *, samples: int = 20_000, seed: int = 0, workers: int = 1
) -> Iterator[Losslessness]:
    """Check methods one after the other; each result is yielded when it is there.

    Args:
        method_ids: which.
        samples: runs per method.
        seed: the result is the same for the same seed, however many workers there are.
        workers: processes; 1 stays in this one.

    Raises:
        PlaygroundError: on an unknown method or a number out of range. Nothing has run then.
    """
    if not 100 <= samples <= MAX_SAMPLES:
        raise PlaygroundError(f"{samples} samples is out of range. Choose 100 to {MAX_SAMPLES}.")
    if not 0 <= seed < 2**63:
        raise PlaygroundError(f"Seed {seed} is out of range. Choose a whole number from 0.")
    for method_id in method_ids:
        find_method(method_id)
    return _results(method_ids, samples, seed, workers)


def _results(method_ids: Sequence[str], samples: int, seed: int, workers: int) -> Iterator[Losslessness]:
    with _mapping(workers) as mapped:
        for method_id in method_ids:
            counts = np.zeros((VOCAB_SIZE,) * NUM_TOKENS, dtype=np.int64)
            if is_measurable(method_id):
                seeds = run_seeds(method_id, samples, seed)
                chunks = [seeds[start : start + CHUNK] for start in range(0, samples, CHUNK)]
                counts += sum(mapped(count, repeat(method_id), chunks))
            yield conclude(method_id, counts, seed)


@contextmanager
def _mapping(workers: int) -> Iterator[Callable[..., Iterator[Any]]]:
    """A `map` over so many processes."""
    if workers == 1:
        yield map
        return
    spawn = multiprocessing.get_context("spawn")  # a fork would copy torch's threads in whatever state they are
    with ProcessPoolExecutor(workers, mp_context=spawn) as pool:
        yield pool.map


def is_measurable(method_id: str) -> bool:
    """Whether a law of tokens drawn in turn is what to compare with: for beams it is not."""
    return find_method(method_id).reproduces in ("target sampling", "none")


def run_seeds(method_id: str, samples: int, seed: int) -> list[int]:
    """One seed per run; those of two methods are unrelated, so that no two rows of a table share their luck."""
    source = np.random.SeedSequence([seed, *method_id.encode()])
    return (source.generate_state(samples, np.uint64) >> np.uint64(1)).tolist()


def count(method_id: str, seeds: Sequence[int]) -> NDArray[np.int64]:
    """How often each sequence of first tokens came out, one run per seed. (V,) * NUM_TOKENS"""
    torch.set_num_threads(1)  # with more, threads wait for each other over rows of five numbers
    counts = np.zeros((VOCAB_SIZE,) * NUM_TOKENS, dtype=np.int64)
    asked = Request(make_method(method_id), TARGET, "", DRAFT, Sampling(), 0, BUDGET, PROMPT)
    for seed in seeds:
        counts[first_tokens(replace(asked, seed=seed))] += 1
    return counts


def first_tokens(request: Request) -> tuple[int, ...]:
    """The first tokens of a run; it is left as soon as they are there."""
    emitted: list[int] = []
    for item in decode(request):
        if isinstance(item, Round):
            emitted += [item.tree.tokens[node] for node in item.nodes]
            if len(emitted) >= NUM_TOKENS:
                break
    return tuple(emitted[:NUM_TOKENS])


def conclude(method_id: str, counts: NDArray[np.int64], seed: int) -> Losslessness:
    """The verdict on a method's counts."""
    claim = find_method(method_id).reproduces
    found = compare(counts, TARGET.law(list(PROMPT), NUM_TOKENS)) if is_measurable(method_id) else None
    if found is None:
        verdict = NOT_MEASURED
    elif claim == "none":
        verdict = NO_CLAIM
    else:
        verdict = LOSSLESS if found.p_value >= FALSE_ALARM else DIFFERS
    return Losslessness(
        method=method_id,
        reproduces=claim,
        tv=found and found.tv,
        noise_floor=found and found.noise_floor,
        noise_upper=found and found.noise_upper,
        p_value=found and found.p_value,
        verdict=verdict,
        samples=int(counts.sum()),
        vocab_size=VOCAB_SIZE,
        num_tokens=NUM_TOKENS,
        seed=seed,
    )


def compare(counts: NDArray[np.int64], law: NDArray[np.float64]) -> Comparison:
    """Distance of counts from a law of the same shape, the noise in it, and a test of their equality."""
    counts, law = counts.ravel(), law.ravel() / law.sum()
    samples = counts.sum()
    noise = distance(np.random.default_rng(NOISE_SEED).multinomial(samples, law, NOISE_DRAWS) / samples, law)
    return Comparison(
        tv=float(distance(counts / samples, law)),
        noise_floor=float(noise.mean()),
        noise_upper=float(np.quantile(noise, 0.99)),
        p_value=chi_square_p_value(counts, law),
    )


def distance(frequencies: NDArray[np.float64], law: NDArray[np.float64]) -> NDArray[np.float64]:
    """Total variation distance along the last axis: half the sum of the absolute differences."""
    return np.abs(frequencies - law).sum(-1) / 2


def chi_square_p_value(counts: NDArray[np.int64], law: NDArray[np.float64]) -> float:
    """Pearson's test of counts (n,) against a law (n,); cells with less than 5 expected are thrown together."""
    if counts[law == 0].any():
        return 0.0
    expected = law * counts.sum()
    rare = expected < 5
    observed, expected = (np.append(values[~rare], values[rare].sum()) for values in (counts, expected))
    observed, expected = observed[expected > 0], expected[expected > 0]
    statistic = ((observed - expected) ** 2 / expected).sum()
    halves = torch.tensor([(len(expected) - 1) / 2, statistic / 2], dtype=torch.float64)
    return float(torch.special.gammaincc(halves[0], halves[1])) if len(expected) > 1 else 1.0
