"""Earlier occurrences of a text's end and what followed them: a tree of drafts with counts.

    ... the cat sat on ... the cat ran ... the cat sat by ... the cat     the last two tokens occurred here three times
                                                      \\-> sat 2/3 -> on 1/3, by 1/3
                                                      \\-> ran 1/3

A guess is worth the share of the places that agree with it all the way. That is a priority and no probability of being
drawn: nothing is drawn here, and the verification takes the drafts as certain.

Source: Oliaro et al. 2024, SuffixDecoding, arXiv 2411.04975: the values, a tree that may be the larger the longer its
match is, and the choice of the match whose tree has the greatest sum. There a suffix tree finds matches in many long
texts without reading them; here one text of some hundred tokens is read again in every round.
"""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple


class Guess(NamedTuple):
    """A token that may come next."""

    parent: int  # the place of the guess before it in the list of guesses; -1 at the text's end
    depth: int  # from 1
    token: int
    value: float  # the share of the matches' positions that it represents; of those that go on at all, depth by depth


@dataclass(frozen=True, slots=True)
class Continuation:
    """Continuation of one match."""

    length: int  # number of last tokens that were in the text before
    # They are the places of what came after, the first token of the text being 0, the most recent first.
    positions: tuple[int, ...]
    guesses: tuple[Guess, ...]  # best first, parents before children

    @property
    def score(self) -> float:
        """The sum of the values: what would be accepted on average if the shares were the target's probabilities."""
        return sum(guess.value for guess in self.guesses)


def best_continuation(
    context: Sequence[int], *, longest: int, per_token: float, most: int, depth: int, final: Iterable[int] = ()
) -> Continuation | None:
    """Return the match of the text's end whose drafts have the greatest score; of two alike the longer.

    Args:
        longest: most tokens of a match.
        per_token: guesses for each token of a match.
        most: guesses, however long the match is.
        final: tokens that nothing follows.

    Returns:
        None where the last token is new, or there is room for no guess.
    """
    ends = frozenset(final)
    continuations = [
        Continuation(
            length, positions, tuple(grow(context, positions, min(most, int(per_token * length)), depth, ends))
        )
        for length, positions in matches(context, longest)
    ]
    best = max(continuations, key=lambda each: (each.score, each.length), default=None)
    return best if best and best.guesses else None


def matches(context: Sequence[int], longest: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """For n = 1, 2, ... the places that come after an earlier occurrence of the last n tokens, until there is none.

    Args:
        longest: the largest n.
    """
    positions = tuple(range(len(context) - 1, 0, -1))
    for length in range(1, longest + 1):
        positions = tuple(
            position for position in positions if position >= length and context[position - length] == context[-length]
        )
        if not positions:
            return
        yield length, positions


def grow(
    context: Sequence[int], positions: Sequence[int], most: int, depth: int, final: frozenset[int]
) -> Iterator[Guess]:
    """Yield the guesses of highest value: of those that could come next, always the best.

    Args:
        positions: where a continuation begins in it.
        most: guesses.
        final: tokens that nothing follows.
    """
    order = count()  # Of two guesses with equal value the first that was seen comes first.
    waiting: list[tuple[float, int, Guess, list[int]]] = []

    def offer(parent: int, guess_depth: int, value: float, begins: Iterable[int]) -> None:
        following: dict[int, list[int]] = {}
        for position in begins:
            if position < len(context):
                following.setdefault(context[position], []).append(position + 1)
        total = sum(map(len, following.values()))
        for token, after in sorted(following.items(), key=lambda each: -len(each[1])):
            guess = Guess(parent, guess_depth, token, value * len(after) / total)
            heapq.heappush(waiting, (-guess.value, next(order), guess, after))

    if depth > 0:
        offer(-1, 1, 1.0, positions)
    for position in range(most):
        if not waiting:
            return
        *_, guess, after = heapq.heappop(waiting)
        yield guess
        if guess.depth < depth and guess.token not in final:
            offer(position, guess.depth + 1, guess.value, after)
