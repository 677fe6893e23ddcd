"""The front against its definition, on many small random sets."""

import random
from math import nan

import pytest

from playground.theory.pareto import pareto_front


def test_no_rows_have_no_front():
    assert pareto_front([], x="x", y="y") == []


def test_rows_without_a_number_are_on_no_front():
    rows = [{"x": 1}, {"x": None, "y": 9}, {"x": nan, "y": 9}, {"x": 1, "y": True}, {"x": 0, "y": 0}]
    assert pareto_front(rows, x="x", y="y") == [rows[-1]]


@pytest.mark.parametrize("x_better", ["smaller", "larger"])
@pytest.mark.parametrize("y_better", ["smaller", "larger"])
def test_the_front_is_what_no_row_dominates(x_better, y_better):
    """200 sets of up to 12 rows of small whole numbers, so that ties are common."""

    def at_least(better, one, other):
        return one <= other if better == "smaller" else one >= other

    def dominates(one, other):
        as_good = at_least(x_better, one["x"], other["x"]) and at_least(y_better, one["y"], other["y"])
        return as_good and (one["x"], one["y"]) != (other["x"], other["y"])

    rng = random.Random(0)
    for _ in range(200):
        rows = [{"x": rng.randrange(5), "y": rng.randrange(5), "n": n} for n in range(rng.randrange(12))]
        expected = {row["n"] for row in rows if not any(dominates(other, row) for other in rows)}
        result = pareto_front(rows, x="x", y="y", x_better=x_better, y_better=y_better)
        assert {row["n"] for row in result} == expected and len(result) == len(expected)
        assert [row["x"] for row in result] == sorted((row["x"] for row in result), reverse=x_better == "larger")
