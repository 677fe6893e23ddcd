"""The K, N and draft length at which speculation pays: strict verification against beam search, measured here.

Strict verification gives beam search's own list, so that seconds are all that sets them apart. It pays where a target
call over all drafts is not much dearer than one over K beams: on a processor that is so for short lists and few drafts.
"""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import NamedTuple

import numpy as np

from playground.metrics.interval import LEAST_PROMPTS, bootstrap
from playground.models.loading import LoadedPair
from playground.recommender.recommend import DRAFTS, recommend
from playground.recommender.shop import Shop
from playground.trace.events import Trace

LISTS = (1, 3, 5, 10)  # K
LENGTHS = (1, 2, 3)  # depths drafted in a round
REPEATS = 3  # The fastest of them counts: whatever else the machine does only adds time.


class Paying(NamedTuple):
    """One K and N, at the draft length that is fastest there."""

    top_k: int
    drafts: int
    draft_length: int
    ratio: float  # seconds of beam search / seconds of strict verification, the median over histories
    # low, high: 95 % interval of the ratio; None where there are too few histories
    low: float | None
    high: float | None
    target_calls: float  # the mean of a list, of 4 with beam search

    @property
    def pays(self) -> bool:
        """True if the whole interval is above 1."""
        return self.low is not None and self.low > 1


def offered_drafts(top_k: int) -> list[int]:
    """N for a list of K: no spare draft, twice that, and the paper's 40."""
    return sorted({top_k, 2 * top_k, DRAFTS})


def paying(shop: Shop, pair: LoadedPair, histories: Sequence[Sequence[int]], top_k: int) -> Iterator[Paying]:
    """Measure a list of K items at each N, and yield each result. The first run warms up."""

    def seconds(history: Sequence[int], drafts: int, length: int) -> tuple[float, float, int]:
        """Return the fastest seconds of beam search and of strict verification, in turns, and calls of the latter."""
        own, plain = [], []
        for _ in range(REPEATS):
            plain.append(recommend(history, verification="none", top_k=top_k, shop=shop, pair=pair).trace)
            how = {"verification": "strict", "top_k": top_k, "drafts": drafts, "draft_length": length}
            own.append(recommend(history, **how, shop=shop, pair=pair).trace)
        calls = own[0].finished.target_calls if own[0].finished else 0
        return min(map(_seconds, plain)), min(map(_seconds, own)), calls

    seconds(histories[0], top_k, 1)
    for drafts in offered_drafts(top_k):
        by_length = []
        for length in LENGTHS:
            timed = [seconds(history, drafts, length) for history in histories]
            ratios = np.array([plain / own for plain, own, _ in timed])
            by_length.append(_row(top_k, drafts, length, ratios, float(np.mean([calls for _, _, calls in timed]))))
        yield max(by_length, key=lambda each: each.ratio)


def best_of(rows: Sequence[Paying]) -> Paying | None:
    """Return the highest ratio of those that pay; None where none does."""
    return max((row for row in rows if row.pays), key=lambda row: row.ratio, default=None)


def _row(top_k: int, drafts: int, length: int, ratios: np.ndarray, calls: float) -> Paying:
    low = high = None
    if len(ratios) >= LEAST_PROMPTS:
        low, high = bootstrap(lambda picks: np.median(ratios[picks], axis=1), len(ratios))
    return Paying(top_k, drafts, length, median(ratios.tolist()), low, high, calls)


def _seconds(trace: Trace) -> float:
    return trace.finished.seconds if trace.finished else 0.0
