"""The K, N and draft length at which speculation pays: strict verification against beam search, measured here.

Strict verification gives beam search's own list, so that seconds are all that sets them apart. It pays where a target
call over all drafts is not much dearer than one over K beams: on a processor that is so for short lists and few drafts.
"""

from __future__ import annotations

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
LENGTHS = (1, 2, 3)  # levels drafted in a round
REPEATS = 2  # of every run, of which the faster counts: whatever else the machine does only adds time


class Paying(NamedTuple):
    """One K and N, at the draft length that is fastest there.

    Attributes:
        ratio: seconds of beam search / seconds of strict verification, the median over histories.
        low, high: its 95 % interval; None where there are too few histories.
        target_calls: the mean of a list, of 4 with beam search.
    """

    top_k: int
    drafts: int
    draft_length: int
    ratio: float
    low: float | None
    high: float | None
    target_calls: float

    @property
    def pays(self) -> bool:
        """True if the whole interval is above 1."""
        return self.low is not None and self.low > 1


def offered_drafts(top_k: int) -> list[int]:
    """N for a list of K: no spare draft, as many again, and the paper's 40."""
    return sorted({top_k, 2 * top_k, DRAFTS})


def paying(shop: Shop, pair: LoadedPair, histories: Sequence[Sequence[int]], top_k: int) -> Iterator[Paying]:
    """Measures a list of K items at every N, each as it is done. The first run of all warms up."""

    def timed(history: Sequence[int], verification: str, drafts: int = DRAFTS, length: int = 1) -> tuple[float, int]:
        how = {"verification": verification, "top_k": top_k, "drafts": drafts, "draft_length": length}
        traces = [recommend(history, **how, shop=shop, pair=pair).trace for _ in range(REPEATS)]
        return min(map(_seconds, traces)), traces[0].finished.target_calls if traces[0].finished else 0

    timed(histories[0], "none")
    for drafts in offered_drafts(top_k):
        plain = [timed(history, "none")[0] for history in histories]  # anew for each N: a load comes and goes
        found = []
        for length in LENGTHS:
            own = [timed(history, "strict", drafts, length) for history in histories]
            ratios = np.array([before / seconds for before, (seconds, _) in zip(plain, own, strict=True)])
            found.append(_row(top_k, drafts, length, ratios, float(np.mean([calls for _, calls in own]))))
        yield max(found, key=lambda each: each.ratio)


def best_of(rows: Sequence[Paying]) -> Paying | None:
    """The highest ratio of those that pay; None where none does."""
    return max((row for row in rows if row.pays), key=lambda row: row.ratio, default=None)


def _row(top_k: int, drafts: int, length: int, ratios: np.ndarray, calls: float) -> Paying:
    low = high = None
    if len(ratios) >= LEAST_PROMPTS:
        low, high = bootstrap(lambda picks: np.median(ratios[picks], axis=1), len(ratios))
    return Paying(top_k, drafts, length, median(ratios.tolist()), low, high, calls)


def _seconds(trace: Trace) -> float:
    end = trace.finished
    return end.draft_s + end.verify_s + end.other_s if end else 0.0
