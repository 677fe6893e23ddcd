"""The draft distribution. It goes with the draws from the draft to the rule, so no method states a q of its own.

    Independent    i.i.d. draws from a row, or each from a row of its own   q(x): the row's
    Distinct       draws without replacement from one row, in draw order    q(x): the row's, without the tokens before
    Deterministic  tokens chosen without chance                             q(x): 1

A rule reads the distribution of each draw in turn, given that those before it were rejected: all that a lossless rule
needs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np

from playground.models.reading import Array


class DraftDistribution:
    """The distribution that the draws below one node came from."""

    def conditionals(self, tokens: Sequence[int], like: Array) -> Iterator[Array]:
        """Distribution of each draw, given those before it. (V,) each

        Args:
            tokens: the draws, in draw order.
            like: (V,) a row of the vocabulary, for its size and number format.
        """
        raise NotImplementedError

    def first(self, tokens: Sequence[int], like: Array) -> Array:
        """Distribution of the first draw, as a trace shows it. (V,)"""
        raise NotImplementedError

    def per_draw(self, num_draws: int) -> Array:
        """Row of every draw, for rules that are right for independent draws only. (K, V)"""
        raise AssertionError(f"{type(self).__name__} draws were passed to a rule for independent ones")

    def shared(self) -> Array:
        """Return the one row of all draws, for rules that are right for i.i.d. draws only. (V,)"""
        raise AssertionError(f"{type(self).__name__} draws were passed to a rule for draws of one distribution")

    def probs(self, tokens: Sequence[int]) -> list[float]:
        """q of each draw, as a trace shows it: before any of them was rejected."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Independent(DraftDistribution):
    """Draws with replacement, which may repeat a token."""

    rows: Array  # (V,) the very row that all were drawn from, or (K, V), a row for each of them

    def conditionals(self, tokens: Sequence[int], like: Array) -> Iterator[Array]:
        """Every draw's own row. (V,) each"""
        return iter(self.rows) if self.rows.ndim == 2 else repeat(self.rows, len(tokens))

    def per_draw(self, num_draws: int) -> Array:
        """Row of every draw. (K, V)"""
        return np.broadcast_to(self.rows, (num_draws, self.rows.shape[-1]))

    def shared(self) -> Array:
        """Return the one row. (V,)"""
        assert self.rows.ndim == 1, "draws from several distributions were passed to a rule for draws of one"
        return self.rows

    def first(self, tokens: Sequence[int], like: Array) -> Array:
        """Return the first row. (V,)"""
        return self.rows if self.rows.ndim == 1 else self.rows[0]

    def probs(self, tokens: Sequence[int]) -> list[float]:
        """Probability of each draw in its row."""
        if self.rows.ndim == 1:
            return self.rows[list(tokens)].tolist()
        return self.rows[range(len(tokens)), list(tokens)].tolist()


@dataclass(frozen=True, slots=True)
class Distinct(DraftDistribution):
    """Draws without replacement, by draw order: sorting them would break losslessness."""

    row: Array  # (V,) distribution of the first draw

    def conditionals(self, tokens: Sequence[int], like: Array) -> Iterator[Array]:
        """Return the row without the tokens drawn before, renormalised. (V,) each"""
        row = self.row
        for token in tokens:
            yield row
            row = without(row, token)

    def first(self, tokens: Sequence[int], like: Array) -> Array:
        """Return the row. (V,)"""
        return self.row

    def probs(self, tokens: Sequence[int]) -> list[float]:
        """Probability of each draw in the row, as if it had come first."""
        return self.row[list(tokens)].tolist()


@dataclass(frozen=True, slots=True)
class Deterministic(DraftDistribution):
    """Different tokens proposed without chance: copied from the text, or the draft model's best. Their q is 1."""

    # (V,) the draft model's distribution there, if it was read. A token that was always going to be proposed has q = 1
    # whatever that row says: a test against the row (p/q) would be biased, so no lossless rule sees it
    row: Array | None = None

    def conditionals(self, tokens: Sequence[int], like: Array) -> Iterator[Array]:
        """Point mass at each draw in its turn. (V,) each"""
        return (self.first([token], like) for token in tokens)

    def first(self, tokens: Sequence[int], like: Array) -> Array:
        """1 at every draw, 0 elsewhere: the probability that each token had to be proposed. (V,)"""
        row = np.zeros_like(like)
        row[list(tokens)] = 1
        return row

    def probs(self, tokens: Sequence[int]) -> list[float]:
        """1 for each draw."""
        return [1.0] * len(tokens)


@dataclass(frozen=True, slots=True)
class BestGuess(Deterministic):
    """Deterministic draws shown with the draft model's probabilities, which lossy rules compare with the target's."""

    def first(self, tokens: Sequence[int], like: Array) -> Array:
        """Return the draft model's row. (V,)"""
        assert self.row is not None, "a guess without the row it was read from"
        return self.row

    def conditionals(self, tokens: Sequence[int], like: Array) -> Iterator[Array]:
        """Point mass at each draw in its turn, so that a lossless rule stays lossless. (V,) each"""
        return Deterministic().conditionals(tokens, like)

    def probs(self, tokens: Sequence[int]) -> list[float]:
        """Probability of each draw in the draft model's row."""
        assert self.row is not None, "a guess without the row it was read from"
        return self.row[list(tokens)].tolist()


def zeroed(row: Array, tokens: int | list[int]) -> Array:
    """Copy of a row with zeros at these tokens, unnormalised. (V,)"""
    row = row.copy()
    row[tokens] = 0
    return row


def without(distribution: Array, token: int) -> Array:
    """Distribution of the next draw without replacement; zeros when nothing is left to draw. (V,)"""
    left = zeroed(distribution, token)
    mass = left.sum()
    return left / mass if float(mass) > 0 else left
