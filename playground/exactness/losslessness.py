"""Is a method lossless? Outcomes of many seeded runs against the distribution it claims, which is exact on tables.

What a run's outcome is, and which distribution it should have, depends on the claim and is in experiments.py. Every run
goes through `decode`, with the method's default options but for the few that a row names. Counting is never exact: the
same number of samples drawn from the true distribution would be some distance away too, and that noise floor is shown
next to every distance. A method that claims no distribution is measured all the same, against the distribution that it
is nearest to.
"""

import multiprocessing
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
import torch

from playground.bench.entry import Choice
from playground.decoding.method import DecodingMethod, claims, find_method, make_method, methods, option_key
from playground.errors import PlaygroundError
from playground.exactness.experiments import EXPERIMENTS, FOREIGN, WARPED, Condition, Experiment, Outcome
from playground.exactness.goodness_of_fit import (
    FALSE_ALARM,
    anytime_p_value,
    compare_under_conditions,
    visible_distance,
)
from playground.words import Word, in_sentence, named

FEW = 1_000  # samples under which the chi-square distribution's tail accuses more often than it promises
MAX_SAMPLES = 10_000_000
CHUNK = 2_500  # runs per task of a worker process

LOSSLESS = "lossless within noise"
DIFFERS = "differs from the distribution it claims"
NOT_MEASURED = "not measured: no experiment has this distribution"


Counts = Counter[tuple[Condition, Outcome]]


@dataclass(frozen=True, slots=True)
class Losslessness:
    """One claim's result."""

    method: str  # id
    options: dict[str, float]  # those that are not at their defaults
    reproduces: str  # the distribution it claims
    law: str  # the distribution it was measured against: that one, or where it claims none the one it is nearest to
    compared: str  # It says which part of each run was compared.
    # tv, noise_floor, noise_upper, p_value: see `Comparison`; None where nothing was measured
    tv: float | None
    noise_floor: float | None
    noise_upper: float | None
    p_value: float | None
    # `LOSSLESS` or `DIFFERS` on a claim; without one, whether it can be told from the distribution; `NOT_MEASURED`
    verdict: str
    samples: int  # number of runs
    # vocab_size, num_tokens: of the toy models, and of the texts that are compared
    vocab_size: int | None
    num_tokens: int | None
    seed: int  # Every run gets its own seed from it.
    visible: float | None = None  # see `visible_distance`; None with so few samples that another test was made


# A kind of runs: as by default, with drafts of another tokenizer, or with end tokens, temperature, top-k and top-p
KINDS: dict[str, dict[str, Experiment]] = {"plain": EXPERIMENTS, "foreign": FOREIGN, "warped": WARPED}


def every_claim() -> list[Choice]:
    """All methods, each with the options for every distribution that it claims."""
    return [(name, options) for name in methods() for options in claims(name)]


def check(
    choices: Sequence[Choice], *, samples: int = 20_000, seed: int = 0, workers: int = 1, kind: str = "plain"
) -> Iterator[Losslessness]:
    """Check claims one after the other; each result is yielded when it is there.

    Args:
        choices: methods, with the options that are not left at their defaults.
        samples: runs per claim.
        seed: the result is the same for the same seed, however many workers there are.
        workers: processes; 1 stays in this one.
        kind: of runs, see `KINDS`.

    Raises:
        PlaygroundError: on an unknown method or option, a distribution that has no experiment of this kind, or a number
            out of range. Nothing has run then.
    """
    if not 100 <= samples <= MAX_SAMPLES:
        raise PlaygroundError(f"{samples} samples is out of range. Choose 100 to {MAX_SAMPLES}.")
    if not 0 <= seed < 2**63:
        raise PlaygroundError(f"Seed {seed} is out of range. Choose a whole number from 0.")
    for choice in choices:
        method = measured_method(choice)
        if kind != "plain" and reference_distribution(method) not in KINDS[kind]:
            what = "drafts of another tokenizer" if kind == "foreign" else "runs with end tokens, top-k and top-p"
            raise PlaygroundError(
                f"{method.title} is measured against {reference_distribution(method) or 'no distribution'}, and {what} "
                f"are checked for {', '.join(KINDS[kind])}. Choose a method that claims it."
            )
    return _results(choices, samples, seed, workers, kind)


def _results(choices: Sequence[Choice], samples: int, seed: int, workers: int, kind: str) -> Iterator[Losslessness]:
    with _mapping(workers) as mapped:
        for choice in choices:
            counts: Counts = Counter()
            if reference_distribution(measured_method(choice)) in EXPERIMENTS:
                seeds = run_seeds(choice, samples, seed)
                chunks = [seeds[start : start + CHUNK] for start in range(0, samples, CHUNK)]
                for part in mapped(count, repeat(choice), chunks, repeat(kind)):
                    counts.update(part)
            yield conclude(choice, counts, samples if counts else 0, seed, kind=kind)


@contextmanager
def _mapping(workers: int) -> Iterator[Callable[..., Iterator[Any]]]:
    """Yield a `map` over this many processes."""
    if workers == 1:
        yield map
        return
    spawn = multiprocessing.get_context("spawn")  # a fork would copy torch's threads in whatever state they are
    with ProcessPoolExecutor(workers, mp_context=spawn) as pool:
        yield pool.map


def reference_distribution(method: DecodingMethod) -> str:
    """Return the distribution to measure against: the claim, the claim of its class, or the nearest one it names."""
    for claim in (method.reproduces, type(method).reproduces):
        if claim != "none":
            return claim
    return method.approximates


def distribution_name(claim: str) -> Word:
    """Return the name of a distribution that methods claim."""
    return named(f"claim.{claim}", claim)


def option_name(method_id: str, name: str) -> Word:
    """Return the label of an option within a sentence, by its name in code."""
    item = find_method(method_id).Options.__dataclass_fields__[name]
    return in_sentence(named(f"option.{option_key(method_id, item)}", item.metadata["label"]))


def fixed_options(choice: Choice) -> dict[str, float]:
    """Return the options that the experiment decides: it knows the distribution for these values only."""
    method = make_method(choice[0], dict(choice[1]))
    experiment = EXPERIMENTS.get(reference_distribution(method))
    fixed = experiment.options if experiment else {}
    return {option: value for option, value in fixed.items() if option in method.options.__dataclass_fields__}


def measured_method(choice: Choice) -> DecodingMethod:
    """Return the method as it is measured: with the options of the experiment, as far as it has them.

    Raises:
        PlaygroundError: if another value is given: the method would be compared with a distribution that it does not
            claim.
    """
    name, options = choice
    for option, value in unmeasured_options(choice).items():
        title = make_method(name, dict(options)).title
        raise PlaygroundError(
            f"{title} is measured with {option_name(name, option)} = {value:g}: its exact distribution is known for "
            f"that value only. Leave {option_name(name, option)} at {value:g}."
        )
    return make_method(name, {**options, **fixed_options(choice)})


def unmeasured_options(choice: Choice) -> dict[str, float]:
    """Return the given options for which the experiment's distribution is unknown, with the values it is known for."""
    name, options = choice
    options_of = make_method(name, dict(options)).options
    fixed = fixed_options(choice)
    return {name: value for name, value in fixed.items() if name in options and getattr(options_of, name) != value}


def changed_options(choice: Choice) -> dict[str, float]:
    """Return the options that are not at their defaults when this is measured."""
    return measured_method(choice).options.changed


def run_seeds(choice: Choice, samples: int, seed: int) -> list[int]:
    """One seed per run; those of two claims are unrelated, so that no two rows of a table share their luck."""
    name, options = choice
    text = " ".join([name, *(f"{option}={value}" for option, value in options.items())])
    source = np.random.SeedSequence([seed, *text.encode()])
    return (source.generate_state(samples, np.uint64) >> np.uint64(1)).tolist()


def count(choice: Choice, seeds: Sequence[int], kind: str = "plain") -> Counts:
    """Return counts of each outcome under its condition, one run per seed."""
    torch.set_num_threads(1)  # with more, threads wait for each other over rows of five numbers
    return count_runs(measured_method(choice), seeds, kind=kind)


def count_runs(method: DecodingMethod, seeds: Sequence[int], *, kind: str = "plain") -> Counts:
    """Those counts for a method object."""
    observe = KINDS[kind][reference_distribution(method)].observe
    return Counter(seen for seed in seeds for seen in observe(method, seed))


def conclude(choice: Choice, counts: Counts, samples: int, seed: int, *, kind: str = "plain") -> Losslessness:
    """Return the verdict on a claim's counts in this many runs."""
    method = measured_method(choice)
    claim = reference_distribution(method)
    experiment = KINDS[kind].get(claim)
    conditions = by_condition(counts).items()
    pairs = [(outcomes, experiment.distribution(condition)) for condition, outcomes in conditions] if experiment else []
    is_small = sum(counts.values()) < FEW
    comparison = compare_under_conditions(pairs, test=anytime_p_value if is_small else None) if experiment else None
    if comparison is None:
        verdict = NOT_MEASURED
    elif method.reproduces != "none":
        verdict = LOSSLESS if comparison.p_value >= FALSE_ALARM else DIFFERS
    else:
        other = "the target" if claim == "target sampling" else claim
        verdict = f"{'not ' if comparison.p_value >= FALSE_ALARM else ''}distinguishable from {other}"
    return Losslessness(
        method=choice[0],
        options=changed_options(choice),
        reproduces=method.reproduces,
        law=claim,
        compared=experiment.compared if experiment else "nothing",
        **{name: getattr(comparison, name, None) for name in ("tv", "noise_floor", "noise_upper", "p_value")},
        verdict=verdict,
        samples=samples,
        **{name: getattr(experiment, name, None) for name in ("vocab_size", "num_tokens")},
        seed=seed,
        visible=visible_distance(pairs) if comparison and not is_small else None,
    )


def by_condition(counts: Counts) -> dict[Condition, dict[Outcome, int]]:
    """Return the counts under each condition."""
    seen: dict[Condition, dict[Outcome, int]] = {}
    for (condition, outcome), number in counts.items():
        seen.setdefault(condition, {})[outcome] = number
    return seen
