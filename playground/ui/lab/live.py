"""Measurements that run while one watches, among them checks of losslessness, whose samples are drawn by a process.

Tables of probabilities are sampled by the worker process, a fraction of a second at a time, so that several readers
share it in turn. Real models are sampled in this process, and only in slices that hold the device. Either way nothing
is sampled while a run has the device: its times are measured.
"""

from __future__ import annotations

import itertools
import logging
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from playground.errors import PlaygroundError
from playground.exactness import live_check
from playground.exactness.goodness_of_fit import Comparison
from playground.exactness.live_check import Subject, Watched
from playground.exactness.losslessness import Counts
from playground.exactness.next_tokens import NextTokens
from playground.ui.live.device import a_run_is_timed, device, sampling
from playground.ui.live.worker import apart
from playground.words import word

SLICE_S = 0.25
FIRST_CHUNK = 1  # runs, before their speed is known: the largest beams take a quarter of a second each
FASTER = 8  # times as many runs in a chunk as in the one before, at most
LEFT_S = 60.0  # a bench without a request for this long has been abandoned; a busy page asks rarely
MOST_BENCHES = 6
FAIR_S = 10.0  # Each bench has so long before it must make room.
MADE_ROOM = word("lab_error_made_room")

AnyBench = TypeVar("AnyBench", bound="Bench")

_log = logging.getLogger(__name__)
_benches: dict[str, Bench] = {}


class OnTables:
    """Samples on the tables of the experiments, in the worker process."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.distribution = subject.reference()

    def draw(self, seeds: Sequence[int], stop: Callable[[], bool]) -> tuple[Counts, int, float] | None:
        """Return a chunk of runs: counts, how many, seconds. None while a run has the device."""
        if a_run_is_timed():
            return None
        counts, seconds = apart(live_check.count, self.subject, seeds)
        return counts, len(seeds), seconds

    def look(self, counts: Counts) -> Comparison:
        """Their distance from the distribution."""
        return apart(live_check.look, self.distribution, counts)


class OnPair:
    """Samples of a language model's next tokens, on the device."""

    def __init__(self, subject: Subject, tokens: NextTokens) -> None:
        self.tokens = tokens
        self.method = subject.method()
        tokens.request(self.method, 0)  # refuses what cannot be measured
        self.distribution: dict[Any, float] = {}  # once something was drawn

    def draw(self, seeds: Sequence[int], stop: Callable[[], bool]) -> tuple[Counts, int, float] | None:
        """As many runs as fit in a slice."""
        if not device.acquire(timeout=SLICE_S):
            return None
        try:
            with sampling:
                if not self.distribution:
                    self.distribution = self.tokens.distribution()
                started, done, counts = time.perf_counter(), 0, Counter()
                for seed in seeds:
                    counts[None, self.tokens.observe(self.method, seed)] += 1
                    done += 1
                    if time.perf_counter() - started > SLICE_S or stop():
                        break
                seconds = time.perf_counter() - started
        finally:
            device.release()
        time.sleep(0.02)  # a lock is not fair: who waits for it gets it now
        return counts, done, seconds

    def look(self, counts: Counts) -> Comparison:
        """Their distance from the distribution."""
        seen = {outcome: number for (_, outcome), number in counts.items()}
        return live_check.compare_watched([(seen, self.distribution)])


class Bench:
    """Something that is measured in a thread of its own from Start to its end, or until it is stopped or left."""

    def __init__(self) -> None:
        self.id = uuid.uuid4().hex
        self.stop = threading.Event()
        self.state, self.error = "starting", ""
        self.asked_at = self.begun_at = time.monotonic()
        self._thread = threading.Thread(target=self._work, name="bench", daemon=True)

    def start(self) -> None:
        """Begin to measure."""
        self._thread.start()

    def is_wanted(self) -> bool:
        """Return whether nobody has stopped it, and a page still asks for it."""
        return not self.stop.is_set() and time.monotonic() < self.asked_at + LEFT_S

    def _work(self) -> None:
        try:
            is_done = self._measure()
            self.state = "finished" if is_done else "stopped" if self.stop.is_set() else "left"
        except BrokenProcessPool:
            self.state, self.error = "failed", word("lab_error_process_ended")
        except PlaygroundError as error:
            self.state, self.error = "failed", error.args[0]
        except Exception as error:
            _log.exception("A bench of the Lab failed")
            self.state, self.error = "failed", word("lab_error_bench_failed", error=type(error).__name__)

    def _measure(self) -> bool:
        """Measure until it is no longer wanted; returns whether all is done."""
        raise NotImplementedError


class Steps(Bench):
    """A measurement that is made step by step; each step holds the device, and others have their turn in between.

    Args:
        begin: loads what is measured, in the first step, and gives after each step all that is known; its keys `done`
            and `total` tell how far it is.
    """

    def __init__(self, begin: Callable[[], Iterator[dict[str, Any]]]) -> None:
        super().__init__()
        self._begin = begin
        self.known: dict[str, Any] = {}

    def answer(self) -> dict[str, object]:
        """Return what is known so far, with the state."""
        self.asked_at = time.monotonic()
        return {"id": self.id, "state": self.state, "error": self.error} | self.known

    def _measure(self) -> bool:
        steps: Iterator[dict[str, Any]] | None = None
        while self.is_wanted():
            if not device.acquire(timeout=SLICE_S):
                self.state = "paused"
                continue
            try:
                self.state = "running"
                steps = steps or self._begin()
                known = next(steps, None)
            finally:
                device.release()
            if known is None:
                return True
            self.known = known
        return False


class LiveBench(Bench):
    """One or two checks side by side, from Start to the last sample.

    Args:
        subjects: what is measured.
        samples: of each.
        seed: of all runs.
        tokens: what is compared on real models; None for tables.

    Raises:
        PlaygroundError: if something cannot be measured.
    """

    def __init__(self, subjects: Sequence[Subject], samples: int, seed: int, tokens: NextTokens | None) -> None:
        super().__init__()
        self.samples = samples
        self.watched = [Watched(subject) for subject in subjects]
        self.sources = [OnPair(each, tokens) if tokens else OnTables(each) for each in subjects]
        self.seeds = [subject.seeds(samples, seed) for subject in subjects]

    def answer(self, seen: Sequence[int]) -> dict[str, object]:
        """Return the samples that are new.

        Args:
            seen: how many points of each check the page has.
        """
        self.asked_at = time.monotonic()
        state = self.state  # before the points: once it says that it is over, these are all
        return {
            "id": self.id,
            "state": state,
            "error": self.error,
            "series": [
                {
                    "samples": each.samples,
                    "seconds": each.seconds,
                    "caught_at": each.caught_at,
                    "points": each.points[max(0, start) :],
                    "verdict": each.verdict(),
                }
                for each, start in zip(self.watched, seen, strict=False)
            ],
        }

    def _measure(self) -> bool:
        try:
            self._sample()
            return all(each.samples >= self.samples for each in self.watched)
        finally:
            self.seeds = []  # They are a million for each check; the points, which the page asks for later, stay.

    def _sample(self) -> None:
        chunks = [FIRST_CHUNK] * len(self.watched)
        waiting = set(range(len(self.watched)))
        for index in itertools.cycle(range(len(self.watched))):
            if not waiting or not self.is_wanted():
                break
            if index not in waiting:
                continue
            each, source = self.watched[index], self.sources[index]
            drawn = source.draw(self.seeds[index][each.samples : each.samples + chunks[index]], self.stop.is_set)
            if drawn is None:
                self.state = "paused"
                time.sleep(0.1)
                continue
            self.state = "running"
            each.add(*drawn)
            fitting = int(SLICE_S * each.samples / max(each.seconds, 1e-6))
            chunks[index] = max(1, min(FASTER * chunks[index], fitting))
            is_done = each.samples >= self.samples
            if is_done or each.is_time_to_look():
                each.note(source.look(each.counts))
            if is_done:
                waiting.discard(index)
        for index in waiting:  # cut short: the last point says what there is
            each = self.watched[index]
            if each.samples and (not each.points or each.points[-1]["samples"] < each.samples):
                each.note(self.sources[index].look(each.counts))


def begin(subjects: Sequence[Subject], samples: int, seed: int, tokens: NextTokens | None = None) -> LiveBench:
    """Start checks of losslessness; see `started`."""
    return started(LiveBench, subjects, samples, seed, tokens)


def begin_steps(begin: Callable[[], Iterator[dict[str, Any]]]) -> dict[str, object]:
    """Start a measurement, for a page that follows it by `follow`; see `Steps` and `started`."""
    return started(Steps, begin).answer()


def follow(id: str) -> dict[str, object]:
    """Return how far a measurement is."""
    bench = find(id)
    assert isinstance(bench, Steps), "a check of losslessness is asked for its points"
    return bench.answer()


def stop(id: str) -> dict[str, object]:
    """End a bench."""
    find(id).stop.set()
    return {}


def started(make: Callable[..., AnyBench], *what: Any) -> AnyBench:
    """Return a bench that has begun.

    Where as many run as may, the one that has run for longest makes room, so that no client keeps others out.

    Raises:
        PlaygroundError: if it cannot be, or all others have only just begun.
    """
    for key, bench in list(_benches.items()):
        if time.monotonic() > bench.asked_at + 2 * LEFT_S:
            bench.stop.set()
            _benches.pop(key, None)  # another page may begin one now, too
    _make_room()
    bench = make(*what)
    _benches[bench.id] = bench
    bench.start()
    return bench


def _make_room() -> None:
    going = [
        bench
        for bench in list(_benches.values())
        if not bench.stop.is_set() and bench.state in {"starting", "running", "paused"}
    ]
    if len(going) < MOST_BENCHES:
        return
    oldest = min(going, key=lambda bench: bench.begun_at)
    if time.monotonic() < oldest.begun_at + FAIR_S:
        raise PlaygroundError(f"{MOST_BENCHES} benches have just begun. Press Start again in a moment.")
    oldest.error = MADE_ROOM
    oldest.stop.set()


def find(key: str) -> Bench:
    """Return the bench of this id.

    Raises:
        PlaygroundError: if it is over and forgotten.
    """
    if key not in _benches:
        raise PlaygroundError("This bench is over. Press Start for another.")
    return _benches[key]
