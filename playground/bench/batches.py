"""Speculation in batches, measured: tokens a second over plain decoding of the same batch, by batch size.

Plain and drafted batches of a size run one after the other, in an order that rotates, on the same prompts and seeds;
each repeat has others. Batches are packed; the largest also runs padded, which computes more positions for the same
tokens. Only decoding is timed, not the prompts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from playground.bench.prompts import read_prompts
from playground.decoding.batch import LARGEST_BATCH, Batch, run_batch
from playground.decoding.decode import Request
from playground.decoding.method import make_method
from playground.metrics.counts import count
from playground.metrics.interval import LEAST_PROMPTS, median_interval
from playground.metrics.load import MOST_COSTS
from playground.models.forward import Model
from playground.models.sampling import Sampling

SIZES = (1, 2, 4, LARGEST_BATCH)
PLAIN, PACKED, PADDED = "plain", "packed", "padded"
FEWEST = 3  # calls over as many tokens, for an entry in the table of costs


@dataclass(frozen=True, slots=True)
class Repeat:
    """One repeat of a size: the batches that ran in turns, by `PLAIN`, `PACKED` or `PADDED`."""

    size: int
    batches: dict[str, Batch]

    @property
    def speed_up(self) -> float:
        """Tokens a second with drafts over those without."""
        drafted, plain = self.batches[PACKED], self.batches[PLAIN]
        return drafted.num_emitted / drafted.seconds / (plain.num_emitted / plain.seconds)


def measure_batches(
    target: Model,
    draft_model: Model | None,
    draft_length: int,
    *,
    repeats: int = LEAST_PROMPTS,
    max_new_tokens: int = 32,
    prompts: Sequence[str] = (),
) -> Iterator[dict[str, Any]]:
    """Measure speculative sampling at temperature 1 in batches of each size, one batch a step.

    Args:
        target, draft_model: that read several sequences in one pass.
        repeats: fewer than `LEAST_PROMPTS` give no interval.
        prompts: of the sequences in turn; the preset of the bundled pair when empty.

    Yields:
        After each batch `done` of `total`, and once a repeat of every size is there what all whole repeats say.

    Raises:
        PlaygroundError: as `run_batch`, or if the draft length is out of range.
    """
    methods = {PLAIN: make_method("autoregressive")}
    methods |= dict.fromkeys((PACKED, PADDED), make_method("speculative_sampling", {"draft_length": draft_length}))
    prompts, sampling = prompts or read_prompts("bundled"), Sampling(1.0)

    def run(arm: str, size: int, repeat: int) -> Batch:
        numbers = range(repeat * LARGEST_BATCH, repeat * LARGEST_BATCH + size)
        requests = [
            Request(methods[arm], target, prompts[number % len(prompts)], draft_model, sampling, number, max_new_tokens)
            for number in numbers
        ]
        return run_batch(requests, padded=arm == PADDED)

    arms_of = {size: [*methods] if size == LARGEST_BATCH else [PLAIN, PACKED] for size in SIZES}
    known: dict[str, Any] = {"done": 0, "total": repeats * sum(map(len, arms_of.values()))}
    for arm in methods:
        run(arm, LARGEST_BATCH, repeats)  # warm-up
        yield known
    done, runs = 0, {size: list[Repeat]() for size in SIZES}
    for repeat in range(repeats):
        for size, arms in arms_of.items():
            first = repeat % len(arms)
            batches = {}
            for arm in arms[first:] + arms[:first]:
                batches[arm] = run(arm, size, repeat)
                done += 1
                if len(batches) < len(arms) or size < LARGEST_BATCH:
                    yield known | {"done": done}
            runs[size].append(Repeat(size, batches))
        about = {"draft_length": draft_length, "repeats": repeat + 1, "all_repeats": repeats}
        known = known | {"done": done} | about | _results(runs)
        yield known


def _results(runs: Mapping[int, Sequence[Repeat]]) -> dict[str, object]:
    """Return what the repeats of every size say."""
    drafted = [each.batches[PACKED] for size in SIZES for each in runs[size]]
    counts = [count(trace) for batch in drafted for trace in batch.traces]
    return {
        "rate": sum(each.num_accepted for each in counts) / max(1, sum(each.num_tested for each in counts)),
        "sizes": [_of_size(runs[size]) for size in SIZES],
        "padding": _padding(runs[LARGEST_BATCH]),
        "costs": _costs([batch for size in SIZES for each in runs[size] for batch in each.batches.values()]),
        "cost_ratio": median(_cost_ratio(each) for size in SIZES for each in runs[size]),
        "rows": _rows(runs[LARGEST_BATCH][-1].batches[PACKED]),
    }


def _of_size(repeats: Sequence[Repeat]) -> dict[str, object]:
    ratios = [each.speed_up for each in repeats]
    low, high = median_interval([[ratio] for ratio in ratios]) or (None, None)
    drafted = [each.batches[PACKED] for each in repeats]
    return {
        "size": repeats[0].size,
        "ratio": median(ratios),
        "low": low,
        "high": high,
        "plain_step_s": median(_step_s(each.batches[PLAIN]) for each in repeats),
        "drafted_step_s": median(_step_s(batch) for batch in drafted),
        "outside": median(1 - sum(call.seconds for call in batch.calls) / batch.seconds for batch in drafted),
        "idle": median(batch.num_idle / (len(batch.steps) * len(batch.traces)) for batch in drafted),
    }


def _step_s(batch: Batch) -> float:
    return batch.seconds / len(batch.steps)


def _padding(repeats: Sequence[Repeat]) -> dict[str, float]:
    """Positions that padding adds over those of tokens, and seconds of the padded batch over the packed one's."""
    calls = [call for each in repeats for call in each.batches[PADDED].calls]
    return {
        "positions": sum(call.padding for call in calls) / sum(sum(call.tokens) for call in calls),
        "seconds": median(each.batches[PADDED].seconds / each.batches[PACKED].seconds for each in repeats),
    }


def _costs(batches: Sequence[Batch]) -> str:
    """Lines of "tokens: milliseconds" of target calls, medians over calls that computed equally many positions."""
    seconds: dict[int, list[float]] = {}
    for call in (step for batch in batches for step in batch.steps):
        seconds.setdefault(sum(call.tokens) + call.padding, []).append(call.seconds)
    often = sorted(seconds, key=lambda size: -len(seconds[size]))[:MOST_COSTS]
    entries = [size for size in sorted(often) if len(seconds[size]) >= FEWEST]
    return ", ".join(f"{size}: {1000 * median(seconds[size]):.3g}" for size in entries)


def _cost_ratio(repeat: Repeat) -> float:
    """Seconds of a draft call over those of a plain step's target call."""
    draft_s = [call.seconds for call in repeat.batches[PACKED].calls if call.model]
    return median(draft_s) / median(call.seconds for call in repeat.batches[PLAIN].steps)


def _rows(batch: Batch) -> list[dict[str, object]]:
    """Return accepted drafts of each sequence by step, and its clock at its end."""
    return [
        {
            "accepted": [each.verified.outcomes.count("accepted") for each in trace.rounds],
            "clock_s": trace.rounds[-1].committed.clock_s,
        }
        for trace in batch.traces
    ]
