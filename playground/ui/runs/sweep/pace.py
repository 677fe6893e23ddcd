"""The time of a sweep, roughly: from what this machine took before, or from a moment of plain decoding."""

import threading
from collections import defaultdict, deque
from collections.abc import Mapping
from statistics import median
from typing import Any

from playground.bench.calibration import plain_step_s
from playground.bench.grid import Grid, points
from playground.bench.workers.runs import WARM_UP_TOKENS
from playground.decoding.decode import Request
from playground.decoding.method import make_method
from playground.ui.live.device import device
from playground.ui.page.model_chooser import chosen_models
from playground.ui.page.progress import in_words
from playground.words import word

BASELINE = "autoregressive"
REMEMBERED = 40  # runs of each method; what was measured longer ago says less
KEEPING_S = 0.02  # to write a run's row and trace
READINGS = 3  # Plain decoding is read so often, after one that warms up.

_seconds: dict[tuple[str, str], deque[float]] = defaultdict(lambda: deque(maxlen=REMEMBERED))  # a token, by pair
_measuring = threading.Lock()


def learn(pair: str, row: Mapping[str, Any]) -> None:
    """Remember what a run took."""
    if row.get("num_tokens") and row.get("seconds"):
        _seconds[pair, row["method"]].append((row["seconds"] + (row["prefill_s"] or 0.0)) / row["num_tokens"])


def roughly(grid: Grid) -> str:
    """Return a sentence on how long this sweep will take; empty where nothing is known yet."""
    pair = grid.pair
    if not _seconds.get((pair, BASELINE)) and pair == "bundled":
        _measure(pair)
    known = {method: median(times) for (of, method), times in list(_seconds.items()) if of == pair and times}
    if not known:
        return word("sweep_time_unknown") if pair != "bundled" else ""
    plain = known.get(BASELINE, median(known.values()))
    total, warm, guessed = 0.0, set(), False
    for point in points(grid):
        guessed |= point.entry.method not in known
        of_token = known.get(point.entry.method, plain)
        total += of_token * point.max_new_tokens + KEEPING_S
        if point.entry.label not in warm:
            warm.add(point.entry.label)
            total += of_token * min(WARM_UP_TOKENS, point.max_new_tokens)
    if guessed:
        return word("sweep_time_guessed", time=in_words(total), rate=f"{1 / plain:.0f}")
    return word("sweep_time_known", time=in_words(total))


def _measure(pair: str) -> None:
    """Run some tokens of plain decoding if the device is free; the first ones compile and fill caches."""
    with _measuring:
        if _seconds[pair, BASELINE] or not device.acquire(blocking=False):
            return
        try:
            method, target = make_method(BASELINE), chosen_models(pair, "", "").load().target
            request = Request(method, target, "The old house", max_new_tokens=64)
            _warm_up, *readings = [plain_step_s(request) for _ in range(1 + READINGS)]
            _seconds[pair, BASELINE].append(median(readings))
        finally:
            device.release()
