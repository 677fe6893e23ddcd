"""The random numbers of a run, round by round, to be repeated in a branch of it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from playground.decoding.setting import Setting

STREAMS = ("draft_rng", "verify_rng")  # in the order in which the loop makes them from the seed


class Stream(np.random.Generator):
    """Numbers of one generator up to a limit, then those of another; they are counted, and one may be replaced.

    Args:
        most: number of its numbers that are used; all when None.
        then: the generator of further numbers.
        replaced: (a number, the number that replaces it).
    """

    def __init__(
        self,
        first: np.random.Generator,
        most: int | None = None,
        then: np.random.Generator | None = None,
        replaced: tuple[float, float] | None = None,
    ) -> None:
        super().__init__(first.bit_generator)
        self._first, self._most, self._then, self._replaced = first, most, then, replaced
        self.served = 0

    def random(self, size: Any = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Uniform in [0, 1)."""
        numbers = self._numbers(lambda source, count: source.random(count), size)
        if self._replaced:
            old, new = self._replaced
            numbers = np.where(numbers == old, new, numbers)
        return float(numbers) if size is None else numbers

    def standard_exponential(self, size: Any = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Exponential with rate 1."""
        numbers = self._numbers(lambda source, count: source.standard_exponential(count), size)
        return float(numbers) if size is None else numbers

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        """Exponential."""
        return scale * self.standard_exponential(size)

    def _numbers(self, draw: Callable[[np.random.Generator, int], np.ndarray], size: Any) -> np.ndarray:
        count = int(np.prod(size)) if size is not None else 1
        old = count if self._most is None else max(0, min(count, self._most - self.served))
        self.served += count
        parts = [draw(self._first, old)]
        if old < count:
            assert self._then is not None, f"{self.served} numbers are asked for, and there are {self._most}"
            parts.append(draw(self._then, count - old))
        return np.concatenate(parts).reshape(size if size is not None else ())


class RoundNumbers(NamedTuple):
    """Numbers of one stream in one round: the generator's state before them, and the stream that counted them."""

    state: Any
    stream: Stream


@dataclass(slots=True)
class Tape:
    """Random numbers of a run."""

    seed: int
    rounds: list[dict[str, RoundNumbers]] = field(default_factory=list)  # by round: stream name -> numbers

    def record(self, setting: Setting) -> None:
        """Count the numbers of a round of the original, from its beginning."""
        round_numbers = {}
        for name in STREAMS:
            source = getattr(setting, name)
            stream = Stream(np.random.Generator(source.bit_generator))  # not the last round's, which would count these
            round_numbers[name] = RoundNumbers(source.bit_generator.state, stream)
            setattr(setting, name, stream)
        self.rounds.append(round_numbers)

    def play(self, setting: Setting, number: int, replaced: tuple[float, float] | None = None) -> None:
        """Give a round of the branch the numbers of the original's round, and behind them new ones.

        Args:
            replaced: a number of the verification, and the number that replaces it.
        """
        for index, name in enumerate(STREAMS):
            # children of the streams' own seeds: nothing else is made of them
            new = np.random.Generator(np.random.PCG64(np.random.SeedSequence(self.seed, spawn_key=(index, number))))
            stream = Stream(new)
            if number <= len(self.rounds):
                numbers = self.rounds[number - 1][name]
                old = np.random.Generator(np.random.PCG64())
                old.bit_generator.state = numbers.state
                stream = Stream(old, numbers.stream.served, new, replaced if name == "verify_rng" else None)
            setattr(setting, name, stream)
