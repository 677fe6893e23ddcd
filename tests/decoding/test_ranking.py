"""The largest values of rows, by pieces and without."""

import numpy as np
import pytest

from playground.decoding.ranking import PIECE, largest


@pytest.mark.parametrize("size", [1, 5, PIECE, 6 * PIECE, 6 * PIECE + 1, 64 * PIECE])
@pytest.mark.parametrize("count", [0, 1, 3, 7])
def test_the_largest_of_each_row_are_those_of_a_sort(size, count):
    rows = np.random.default_rng(size).normal(size=(2, 3, size)).astype(np.float32)
    count = min(count, size)
    values, indices = largest(rows, count)
    assert np.array_equal(values, -np.sort(-rows, -1)[..., :count])
    assert np.array_equal(values, np.take_along_axis(rows, indices, -1))


def test_among_ties_any_are_chosen_and_none_twice():
    rows = np.random.default_rng(0).integers(0, 3, size=(20, 10 * PIECE)).astype(float)
    values, indices = largest(rows, 9)
    assert np.array_equal(values, -np.sort(-rows, -1)[:, :9])
    assert all(len(set(row)) == 9 for row in indices.tolist())


def test_a_row_alone_and_infinities():
    row = np.full(8 * PIECE, -np.inf)
    row[100], row[300] = 1.0, 2.0
    values, indices = largest(row, 3)
    assert values.tolist() == [2.0, 1.0, -np.inf] and indices[:2].tolist() == [300, 100]
