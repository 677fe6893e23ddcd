"""The law that draws came by. It goes with them from the draft to the rule, so no method states a q of its own.

    Independent   each from its row, whatever the others are           q(x): the row's
    Distinct      from one row, without replacement, in draw order     q(x): the row's, without the tokens before it
    Certain       no chance was in it: it was always going to be x     q(x): 1

A rule asks for the law of each draw in turn, given that those before it were refused: all that a lossless rule needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch


class Law:
    """How the draws below one node came about."""

    def offers(self, tokens: Sequence[int], like: torch.Tensor) -> Iterator[torch.Tensor]:
        """The law of each draw, given those before it. (V,) each

        Args:
            tokens: the draws, in draw order.
            like: (V,) a row of the vocabulary, for its kind.
        """
        raise NotImplementedError

    def first(self, tokens: Sequence[int], like: torch.Tensor) -> torch.Tensor:
        """What the first draw came from, for a reader. (V,)"""
        raise NotImplementedError

    def each(self, num_draws: int) -> torch.Tensor:
        """The row of every draw, for rules that are right for independent draws only. (K, V)"""
        raise AssertionError(f"{type(self).__name__} draws were handed to a rule for independent ones")

    def shared(self) -> torch.Tensor:
        """The one row of all draws, for rules that know no other. (V,)"""
        raise AssertionError(f"{type(self).__name__} draws were handed to a rule for draws of one law")

    def probs(self, tokens: Sequence[int]) -> list[float]:
        """q of each draw, for a reader: before any of them was refused."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Independent(Law):
    """Draws with replacement, which may repeat a token.

    Attributes:
        rows: (V,) the very row that all were drawn from, or (K, V), a row for each of them.
    """

    rows: torch.Tensor

    def offers(self, tokens: Sequence[int], like: torch.Tensor) -> Iterator[torch.Tensor]:
        """Every draw's own row."""
        return iter(self.each(len(tokens)))

    def each(self, num_draws: int) -> torch.Tensor:
        """The row of every draw. (K, V)"""
        return self.rows.expand(num_draws, -1)

    def shared(self) -> torch.Tensor:
        """The row."""
        assert self.rows.ndim == 1, "draws with laws of their own were handed to a rule for draws of one law"
        return self.rows

    def first(self, tokens: Sequence[int], like: torch.Tensor) -> torch.Tensor:
        """The first row."""
        return self.rows if self.rows.ndim == 1 else self.rows[0]

    def probs(self, tokens: Sequence[int]) -> list[float]:
        """Of each draw in its row."""
        if self.rows.ndim == 1:
            return self.rows[list(tokens)].tolist()
        return self.rows[range(len(tokens)), list(tokens)].tolist()


@dataclass(frozen=True, slots=True)
class Distinct(Law):
    """Draws without replacement, by draw order: sorting them would break losslessness.

    Attributes:
        row: (V,) what the first was drawn from.
    """

    row: torch.Tensor

    def offers(self, tokens: Sequence[int], like: torch.Tensor) -> Iterator[torch.Tensor]:
        """The row without the tokens before, renormalised."""
        left = self.row
        for token in tokens:
            yield left
            left = without(left, token)

    def first(self, tokens: Sequence[int], like: torch.Tensor) -> torch.Tensor:
        """The row."""
        return self.row

    def probs(self, tokens: Sequence[int]) -> list[float]:
        """Of each draw in the row, as if it had come first."""
        return self.row[list(tokens)].tolist()


@dataclass(frozen=True, slots=True)
class Certain(Law):
    """Different draws that no chance was in: copied from the text, or the draft model's best. Their q is 1.

    Attributes:
        row: (V,) what a draft model said there, if one was asked. A token that was always going to be proposed is not
            rarer for it: a test against this row (p/q) would be biased, and no lossless rule sees it.
    """

    row: torch.Tensor | None = None

    def offers(self, tokens: Sequence[int], like: torch.Tensor) -> Iterator[torch.Tensor]:
        """1 at each draw in its turn."""
        return (self.first([token], like) for token in tokens)

    def first(self, tokens: Sequence[int], like: torch.Tensor) -> torch.Tensor:
        """1 at every draw, 0 elsewhere: the chance that each token had to be drawn."""
        row = torch.zeros_like(like)
        row[list(tokens)] = 1
        return row

    def probs(self, tokens: Sequence[int]) -> list[float]:
        """1 for each."""
        return [1.0] * len(tokens)


@dataclass(frozen=True, slots=True)
class Guessed(Certain):
    """The same, shown with the draft model's own probability of them: lossy rules hold it against the target's."""

    def first(self, tokens: Sequence[int], like: torch.Tensor) -> torch.Tensor:
        """The draft model's row."""
        assert self.row is not None, "a guess without the row it was read from"
        return self.row

    def offers(self, tokens: Sequence[int], like: torch.Tensor) -> Iterator[torch.Tensor]:
        """1 at each draw in its turn: a lossless rule is not taken in."""
        return Certain().offers(tokens, like)

    def probs(self, tokens: Sequence[int]) -> list[float]:
        """Of each in the draft model's row."""
        assert self.row is not None, "a guess without the row it was read from"
        return self.row[list(tokens)].tolist()


def without(law: torch.Tensor, token: int) -> torch.Tensor:
    """The law of the next draw without replacement. (V,) Zeros when nothing is left to draw."""
    left = law.clone()
    left[token] = 0
    mass = left.sum()
    return left / mass if float(mass) > 0 else left
