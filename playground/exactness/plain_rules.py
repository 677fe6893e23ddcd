"""Verification rules in plain NumPy, with the arguments that trial.py describes: the right ones, and mistakes in them.

Most mistakes are a right rule with one part changed, where broken_rules.py lists them; those with a loop of their own
are here. Names are those of the papers: p, q, a drafted token x, and one uniform number for a test.
"""

from collections.abc import Callable

import numpy as np

from playground.decoding.categorical import categorical
from playground.exactness.trial import Drafts, Rule
from playground.models.reading import Array

Row = Array  # (V,)


TOP_P = 0.6  # A mistake draws the extra token from fewer tokens than the tests knew.
ROUNDING = 1e-12


def drawn(row: Row, rng: np.random.Generator) -> int:
    """Draw a token from an unnormalised distribution."""
    return categorical(row, rng.random())


def left_over(p: Row, q: Row) -> Row:
    """Residual max(0, p - q), unnormalised; p where rounding left nothing."""
    residual = np.maximum(p - q, 0)
    return residual if residual.sum() > ROUNDING else p


def normalised(row: Row) -> Row:
    """Divide a row by its sum, if it has one."""
    return row / max(row.sum(), np.finfo(row.dtype).tiny)


def without(row: Row, x: int) -> Row:
    """Return a row with 0 at a token, not normalised."""
    return np.where(np.arange(len(row)) == x, 0, row)


def only(row: Row, x: int) -> Row:
    """Return a row with all of its probability at a token."""
    return np.where(np.arange(len(row)) == x, 1.0, 0.0)


def likeliest(row: Row) -> Row:
    """Return a row with all of its probability at its likeliest token."""
    return only(row, int(row.argmax()))


def top_p(row: Row) -> Row:
    """Keep the fewest likeliest tokens that have `TOP_P` of a row."""
    row = normalised(row)
    order = np.argsort(-row, kind="stable")
    row[order[row[order].cumsum() - row[order] >= TOP_P]] = 0
    return row


def by_ratio(p: Row, q: Row, x: int, rng: np.random.Generator) -> bool:
    """Accept with probability min(1, p/q)."""
    return rng.random() * q[x] < p[x]


def by_inverse_ratio(p: Row, q: Row, x: int, rng: np.random.Generator) -> bool:
    """Accept with probability min(1, q/p)."""
    return rng.random() * p[x] < q[x]


def by_target(p: Row, q: Row, x: int, rng: np.random.Generator) -> bool:
    """Accept with probability p, as is right for the first draft that was made without chance."""
    return rng.random() < p[x]


def chain_rule(
    passes: Callable[[Row, Row, int, np.random.Generator], bool] = by_ratio,
    correction: Callable[[Array, Array, int, int], Row] = lambda p, q, i, x: left_over(p[i], q[i]),
    bonus: Callable[[Array], Row] = lambda p: p[-1],
) -> Rule:
    """Return a rule for a chain: speculative sampling, or it with a part changed.

    Args:
        passes: the test of a draft, by p and q before it.
        correction: the row that replaces rejected draft i, token x, by all of p and q.
        bonus: the row after a draft that was accepted whole, by all of p.
    """

    def rule(p: Array, q: Array, drafts: Drafts, rng: np.random.Generator) -> list[int]:
        for i, x in enumerate(drafts):
            if not passes(p[i], q[i], x, rng):
                return [*drafts[:i], drawn(correction(p, q, i, x), rng)]
        return [*drafts, drawn(bonus(p), rng)]

    return rule


def in_turn(
    after: Callable[[Row, Row, int], tuple[Row, Row]],
    passes: Callable[[Row, Row, int, np.random.Generator], bool] = by_ratio,
) -> Rule:
    """Return a rule for several drafts at one position: recursive rejection, or it with a part changed.

    Args:
        after: p and q after the rejection of a token.
        passes: the test of a draft, by what p and q are by then.
    """

    def rule(p: Row, q: Row, drafts: Drafts, rng: np.random.Generator) -> int:
        left = p
        for x in drafts:
            if passes(left, q, x, rng):
                return int(x)
            left, q = after(left, q, x)
        return drawn(left if left.sum() > 0 else p, rng)

    return rule


def same_q(p: Row, q: Row, x: int) -> tuple[Row, Row]:
    """Return p and q after the rejection of a draw with replacement."""
    return normalised(left_over(p, q)), q


speculative = chain_rule()
with_replacement = in_turn(same_q)
without_replacement = in_turn(lambda p, q, x: (normalised(left_over(p, q)), normalised(without(q, x))))


# Mistakes, for a chain


def one_number(p: Array, q: Array, drafts: Drafts, rng: np.random.Generator) -> list[int]:
    """Test every draft, and draw the extra token, with one number."""
    uniform = rng.random()
    for i, x in enumerate(drafts):
        if not uniform * q[i, x] < p[i, x]:
            return [*drafts[:i], categorical(left_over(p[i], q[i]), uniform)]
    return [*drafts, categorical(p[-1], uniform)]


def test_and_residual(p: Array, q: Array, drafts: Drafts, rng: np.random.Generator) -> list[int]:
    """Draw the correction with the number of the test that failed."""
    for i, x in enumerate(drafts):
        uniform = rng.random()
        if not uniform * q[i, x] < p[i, x]:
            return [*drafts[:i], categorical(left_over(p[i], q[i]), uniform)]
    return [*drafts, drawn(p[-1], rng)]


def next_row_of_q(p: Array, q: Array, drafts: Drafts, rng: np.random.Generator) -> list[int]:
    """Test by q as it is after each draft; the last draft, which has no next row, has its own."""
    return speculative(p, np.concatenate([q[1:], q[-1:]]), drafts, rng)


def first_unverified(p: Array, q: Array, drafts: Drafts, rng: np.random.Generator) -> list[int]:
    """Keep the first draft, and test the others."""
    return [drafts[0], *speculative(p[1:], q[1:], drafts[1:], rng)]


def prefix(length_of: Callable[[Row, Row, np.random.Generator], int]) -> Rule:
    """Return a rule that accepts a prefix; the extra token after it is drawn as is right.

    Args:
        length_of: its length, by p and q of each drafted token, (N,) both.
    """

    def rule(p: Array, q: Array, drafts: Drafts, rng: np.random.Generator) -> list[int]:
        indices, size = range(len(drafts)), len(drafts)
        n = length_of(p[indices, drafts], q[indices, drafts], rng)
        return [*drafts[:n], drawn(p[n] if n == size else left_over(p[n], q[n]), rng)]

    return rule


def last_that_passes(p: Row, q: Row, rng: np.random.Generator) -> int:
    """Test from the longest prefix down with min(1, p/q) of its last token alone."""
    return next((n for n in range(len(p), 0, -1) if rng.random() * q[n - 1] < p[n - 1]), 0)


def num_passes(p: Row, q: Row, rng: np.random.Generator) -> int:
    """Test every token, and count the passes."""
    return sum(rng.random() * q_x < p_x for p_x, q_x in zip(p, q, strict=True))


def whole_or_none(p: Row, q: Row, rng: np.random.Generator) -> int:
    """Test the whole chain once."""
    return len(p) if rng.random() * q.prod() < p.prod() else 0


# Mistakes, for several drafts at one position


def undivided(p: Row, q: Row, drafts: Drafts, rng: np.random.Generator) -> int:
    """K-SEQ with a division factor of 1."""
    for x in drafts:
        if by_ratio(p, q, x, rng):
            return int(x)
    accepted = np.minimum(p, q)
    one = accepted.sum()
    return drawn(np.maximum(p - accepted * (1 - (1 - one) ** len(drafts)) / one, 0), rng)


def each_token_once(p: Row, q: Row, drafts: Drafts, rng: np.random.Generator) -> int:
    """Test the distinct tokens among independent draws."""
    return with_replacement(p, q, list(dict.fromkeys(drafts)), rng)


def sorted_by_token(p: Row, q: Row, drafts: Drafts, rng: np.random.Generator) -> int:
    """Test draws without replacement in the order of their tokens."""
    return without_replacement(p, q, sorted(drafts), rng)
