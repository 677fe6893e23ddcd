"""Drafts without replacement against exact fractions, also where one token has nearly everything."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from playground.lab.coupling import coupling
from playground.theory.distinct_recursion import distinct_recursion
from playground.theory.optimal_acceptance import optimal_distinct

EXPONENTS = (3, 6, 9, 12, 15, 16, 18, 30, 100, 200, 300)
RESTS = {  # The likeliest token leaves an e, which is shared out so; the last again gives nearly all to one.
    "one": ["1"],
    "two": ["1/2", "1/2"],
    "three": ["6/10", "3/10", "1/10"],
    "four": ["1/10", "2/10", "3/10", "4/10"],
    "again nearly one-hot": ["99999/100000", "1/100000"],
}
TARGETS = {
    2: [["1/10", "9/10"], ["7/10", "3/10"], ["0", "1"]],
    3: [["1/10", "2/10", "7/10"], ["8/10", "1/10", "1/10"], ["1/100", "98/100", "1/100"]],
    4: [["1/10", "2/10", "3/10", "4/10"], ["5/10", "1/10", "3/10", "1/10"], ["2/10", "0", "8/10", "0"]],
    5: [["1/10", "2/10", "2/10", "4/10", "1/10"], ["6/10", "0", "1/10", "2/10", "1/10"]],
}
Exact = list[Fraction]


def recursion(p: Exact, q: Exact, num_drafts: int) -> Fraction:
    """Acceptance of recursive rejection without replacement, by every sequence of rejected draws."""

    def missed(rest: Exact, offered: Exact, left: int) -> Fraction:
        mass = sum(offered)
        if not left or not mass:
            return Fraction(1)
        offered = [each / mass for each in offered]
        after = [max(Fraction(0), r - d) for r, d in zip(rest, offered, strict=True)]
        if not any(after):
            return Fraction(0)
        after = [each / sum(after) for each in after]
        return sum(
            (d - r) * missed(after, [*offered[:x], Fraction(0), *offered[x + 1 :]], left - 1)
            for x, (r, d) in enumerate(zip(rest, offered, strict=True))
            if d > r
        )

    return 1 - missed(p, q, num_drafts)


def optimum(p: Exact, q: Exact, num_drafts: int) -> Fraction:
    """Min over all sets S of p(S) + 1 - P(all draws without replacement are in S)."""
    drawn: Counter[frozenset[int]] = Counter()
    for order in itertools.permutations(range(len(q)), min(num_drafts, len(q))):
        chance, left = Fraction(1), sum(q)
        for token in order:
            chance, left = chance * q[token] / left, left - q[token]
        drawn[frozenset(order)] += chance
    sets = (set(s) for n in range(len(p) + 1) for s in itertools.combinations(range(len(p)), n))
    return min(sum(p[x] for x in s) + 1 - sum(chance for draws, chance in drawn.items() if draws <= s) for s in sets)


@pytest.mark.parametrize("rest", RESTS)
@pytest.mark.parametrize("num_drafts", [2, 3])
def test_calculators_and_the_coupling_equal_exact_fractions(num_drafts, rest):
    for exponent, p, turned in itertools.product(EXPONENTS, TARGETS[1 + len(RESTS[rest])], (1, -1)):
        e = Fraction(1, 10**exponent)
        q = [1 - e, *(e * Fraction(share) for share in RESTS[rest])]
        exact_p, exact_q = [Fraction(each) for each in p][::turned], q[::turned]
        rows = np.array(exact_p, dtype=float), np.array(exact_q, dtype=float)
        accepted = float(recursion(exact_p, exact_q, num_drafts))
        assert abs(distinct_recursion(*rows, num_drafts) - accepted) < 1e-9
        assert abs(coupling("recursive", *rows, num_drafts).acceptance - accepted) < 1e-9
        assert abs(optimal_distinct(*rows, num_drafts) - float(optimum(exact_p, exact_q, num_drafts))) < 1e-9


@pytest.mark.parametrize("exponent", [6, 15, 300])
def test_four_drafts_of_five_tokens_too(exponent):
    e = Fraction(1, 10**exponent)
    q = [1 - e, *(e * Fraction(share) for share in RESTS["four"])]
    p = [Fraction(each) for each in TARGETS[5][0]]
    rows = np.array(p, dtype=float), np.array(q, dtype=float)
    assert abs(distinct_recursion(*rows, 4) - float(recursion(p, q, 4))) < 1e-9
    assert abs(optimal_distinct(*rows, 4) - float(optimum(p, q, 4))) < 1e-9


@pytest.mark.parametrize("num_drafts", [1, 2, 3, 4])
def test_rows_of_any_sharpness_too(num_drafts):
    """Down to rows with entries that rounding swallows, and more drafts than tokens."""
    rng = np.random.default_rng(num_drafts)
    for sharpness, size in itertools.product((0.3, 1, 3), (1, 2, 3, 4)):
        p, q = rng.dirichlet(np.full(size, 1 / sharpness), size=2)
        exact = recursion([Fraction(x) for x in p], [Fraction(x) for x in q], num_drafts)
        assert abs(distinct_recursion(p, q, num_drafts) - float(exact)) < 1e-9


@pytest.mark.parametrize(
    ("p", "q"),
    [
        ([4.2e-06, 1 - 4.2e-06], [4.3e-17, 1.0]),
        ([1.1e-16, 1.5e-06, 1 - 1.5e-6], [1.6e-2, 5.5e-24, 1 - 1.6e-2]),
        ([2.3e-08, 1 - 2.3e-8, 2.2e-07, 5.2e-15], [6.5e-14, 0.188, 2.8e-16, 0.812]),
        ([0.298, 1e-03, 7e-18, 0.701], [8.9e-27, 5.3e-31, 1e-04, 1 - 1e-4]),
    ],
)
def test_what_is_left_of_q_is_not_lost_in_rounding(p, q):
    """Rows as peaked as a softmax makes them: the third draft comes from what 1 - q - q would round away."""
    exact = recursion([Fraction(x) for x in p], [Fraction(x) for x in q], 3)
    assert abs(distinct_recursion(np.array(p), np.array(q), 3) - float(exact)) < 1e-9
