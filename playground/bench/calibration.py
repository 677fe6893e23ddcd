"""Seconds of a call of either model on this machine: a short measurement, before anything is predicted.

Calls are timed where they happen, in rounds of speculative sampling of every draft length: a model that takes turns
with another, and whose cache is cut back between its calls, is slower than one that is called over and over. Times of
other moments or machines do not carry over, so nothing here is stored.
"""

import random
import statistics
import time
from collections.abc import Sequence
from dataclasses import replace

from playground.decoding.decode import Request, Round, decode
from playground.decoding.method import make_method
from playground.errors import PlaygroundError
from playground.models.forward import Model
from playground.models.reading import synchronise
from playground.theory.cost_model import Costs
from playground.trace.events import Trace
from playground.tree import TokenTree

CONTEXT = 128  # cached tokens before the nodes
SIZES = (1, 2, 3, 4, 5, 7, 9, 13, 17)  # nodes in a row: the draft and the token before it
STARS = (1, 2, 4, 8, 16, 32, 64)  # sibling nodes
COST_SIZES = (1, 2, 3, 4, 5, 8, 12, 16, 32)  # tokens of a call, in a table of the costs of verification
STEPS = 24  # tokens of plain decoding
ROUNDS = 5  # Each draft length is timed over so many rounds.
REPEATS = 5  # Each star is timed so many times.
COST_REPEATS = 150  # Each size in a table of costs is timed so many times.


def calibrate(target: Model, draft_model: Model | None) -> Costs:
    """Measure both models behind a cached context; some seconds with the bundled pair.

    The fastest reading of each kind counts, for whatever else the machine does only adds time.

    Args:
        target: its curves over numbers of nodes.
        draft_model: its time on one node; may be None.
    """
    context = min(CONTEXT, target.max_positions // 2)
    plain = Request(
        make_method("autoregressive"), target, "", max_new_tokens=STEPS + 1, prompt_ids=tuple(_prompt(target, context))
    )
    steps = _rounds(plain)
    chain_s: dict[int, float] = {}
    draft_s: list[float] = []
    if draft_model is not None:
        for size in SIZES[1:]:
            method = make_method("speculative_sampling", {"draft_length": size - 1})
            rounds = _rounds(replace(plain, method=method, draft_model=draft_model, max_new_tokens=ROUNDS * size))
            full = [item for item in rounds if len(item.draft.depths) == size - 1]
            chain_s[size] = min(item.verify_s for item in full)
            draft_s.append(min(item.draft_s for item in full) / (size - 1))
    star_s = _stars(target, context)
    steps += _rounds(plain)  # before and after all others: a load that comes or goes must not bend the curve
    chain_s = {1: min(item.verify_s for item in steps)} | chain_s
    return Costs(
        step_s=min(item.seconds for item in steps),
        sizes=tuple(chain_s),
        chain_s=tuple(chain_s.values()),
        tree_sizes=tuple(star_s),
        tree_s=tuple(star_s.values()),
        draft_s=statistics.median(draft_s) if draft_s else None,
    )


def expected_s(trace: Trace) -> float:
    """Seconds that `calibrate` is expected to take, by what calls took in a run of these models.

    Its calls are counted as if each took as long as the run's: an estimate, for a reader who waits.
    """
    rounds = trace.rounds
    if not rounds:
        return 0.0
    verify_s = statistics.median(each.committed.verify_s for each in rounds)
    drafted = [each.committed.draft_s / len(each.drafted) for each in rounds if each.drafted]
    lengths = [size - 1 for size in SIZES[1:]] if drafted else []
    calls = 2 * STEPS + len(lengths) * (ROUNDS + 1) + 2 * (REPEATS + 1) * len(STARS)
    return calls * verify_s + sum(lengths) * (ROUNDS + 1) * (statistics.median(drafted) if drafted else 0.0)


def fastest_of(costs: Sequence[Costs]) -> Costs:
    """Return the fastest reading of each kind over several calibrations of one machine."""
    return Costs(
        step_s=min(each.step_s for each in costs),
        sizes=costs[0].sizes,
        chain_s=tuple(map(min, zip(*(each.chain_s for each in costs), strict=True))),
        tree_sizes=costs[0].tree_sizes,
        tree_s=tuple(map(min, zip(*(each.tree_s for each in costs), strict=True))),
        draft_s=min((each.draft_s for each in costs if each.draft_s is not None), default=None),
    )


def plain_step_s(request: Request) -> float:
    """Seconds per token of plain decoding of the same prompt at this moment: the mean over `STEPS` rounds."""
    steps = replace(request, method=make_method("autoregressive"), max_new_tokens=min(STEPS, request.max_new_tokens))
    return statistics.fmean(item.seconds for item in _rounds(steps))


def _rounds(request: Request) -> list[Round]:
    """Return all rounds but the slow first one, unless there is no other."""
    rounds = [item for item in decode(request) if isinstance(item, Round)]
    return rounds[1:] or rounds


def verification_costs(target: Model, context: int) -> dict[int, float]:
    """Seconds of one call over this many tokens in a row behind `context` cached ones, by their number.

    Raises:
        PlaygroundError: if the model cannot read that many tokens.
    """
    most = target.max_positions - COST_SIZES[-1]
    if not 1 <= context <= most:
        raise PlaygroundError(f"A context of {context} tokens is out of range. Choose 1 to {most} for this model.")
    return _fastest(call_seconds(target, context, COST_SIZES, COST_REPEATS))


def _stars(target: Model, context: int) -> dict[int, float]:
    """Seconds of one call over this many siblings, which need a mask; there are as many as there are tokens."""
    sizes = tuple(dict.fromkeys(min(size, target.vocab_size) for size in STARS))
    return _fastest(call_seconds(target, context, sizes, REPEATS, in_a_row=False))


def call_seconds(
    target: Model, context: int, sizes: Sequence[int], repeats: int, *, in_a_row: bool = True
) -> dict[int, list[float]]:
    """Seconds of each call over this many nodes, in a row or siblings. Sizes take turns, shuffled."""
    readings: dict[int, list[float]] = {size: [] for size in sizes}
    tree = TokenTree(_prompt(target, context))
    target.forward(tree, [context - 1])
    for turn in range(repeats + 1):
        for size in random.Random(turn).sample(sizes, len(sizes)):  # a call is slower after a large one
            tree.retain([context - 1])
            nodes: list[int] = []
            for token in range(size):
                parent = nodes[-1] if nodes and in_a_row else context - 1
                nodes.append(tree.add(parent, token % target.vocab_size))
            synchronise(target.device)
            started = time.perf_counter()
            target.forward(tree, nodes)
            synchronise(target.device)
            readings[size].append(time.perf_counter() - started)
    return {size: seconds[1:] for size, seconds in readings.items()}  # the first pass of a shape is slow


def _fastest(readings: dict[int, list[float]]) -> dict[int, float]:
    return {size: min(seconds) for size, seconds in readings.items()}


def _prompt(model: Model, context: int) -> list[int]:
    """Return arbitrary tokens: which they are does not change the time."""
    return [token % model.vocab_size for token in range(1, context + 1)]
