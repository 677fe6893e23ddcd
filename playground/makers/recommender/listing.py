"""One list, made and timed: what evaluation and the check of exactness run, without a record of every step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from playground.decoding.decode import Finished, Request, Round, Started, decode
from playground.metrics.interval import bootstrap
from playground.recommender.shop import Shop
from playground.tree import TokenTree


@dataclass(frozen=True, slots=True)
class Listed:
    """A list and what it took.

    Attributes:
        items: the best first, none twice.
        log_probs: of each, under the confined target.
        target_calls, draft_calls: the models' calls, prefill excluded.
        seconds: decoding, prefill excluded.
        prefill_s: the models reading the prompt.
        unknown: token sequences that came out and are no item's: none, or the constraint is broken.
    """

    items: tuple[int, ...]
    log_probs: tuple[float, ...]
    target_calls: int
    draft_calls: int
    seconds: float
    prefill_s: float
    unknown: int


def make_list(shop: Shop, request: Request) -> Listed:
    """Run a request to its end."""
    prefill_s, clock_s, last = 0.0, 0.0, None
    for step in decode(request):
        match step:
            case Started():
                prefill_s = step.prefill_s
            case Round():
                clock_s, last = step.clock_s, step
            case Finished():
                assert last is not None and last.verdict.beams is not None, "a list needs beams"
                beams = [*last.verdict.beams.ended, *last.verdict.beams.live]
                scores: dict[int | None, float] = {}
                unknown = 0
                for beam in sorted(beams, key=lambda each: -each.log_prob):
                    item = _item(shop, last.tree, beam.node)
                    unknown += item is None
                    scores.setdefault(item, beam.log_prob)
                scores.pop(None, None)
                items = tuple(item for item in scores if item is not None)
                return Listed(
                    items, tuple(scores.values()), step.target_calls, step.draft_calls, clock_s, prefill_s, unknown
                )
    raise AssertionError("a run without an end")


def _item(shop: Shop, tree: TokenTree, node: int) -> int | None:
    """Return the item whose identifier ends at a node."""
    tokens = []
    for _ in range(shop.identifiers.length):
        tokens.append(tree.tokens[node])
        node = tree.parents[node]
    return shop.identifiers.item(tokens[::-1])


def mean(values: Sequence[float]) -> dict[str, float]:
    """With a 95 % bootstrap interval over the users."""
    known = np.array(values, dtype=float)
    low, high = bootstrap(lambda picks: known[picks].mean(1), len(known))
    return {"mean": float(known.mean()), "low": low, "high": high}


def spread(values: Sequence[float]) -> dict[str, float]:
    """Return the median, with the middle half."""
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
    return {"median": middle, "low": low, "high": high}
