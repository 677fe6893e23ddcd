"""The largest values of a row, or of each row of a table, falling."""

import numpy as np
from numpy.typing import NDArray

from playground.models.reading import Array

PIECE = 64  # values


def largest(rows: Array, count: int) -> tuple[Array, NDArray[np.intp]]:
    """Return the `count` largest values of each row, falling, and their indices; ties break arbitrarily.

    The `count` pieces of a row with the largest maxima hold them, so few values are ranked.

    Args:
        rows: (..., V).
        count: from 0 to V.
    """
    table = rows.reshape(-1, rows.shape[-1])  # (n, V)
    num_pieces, candidates, begins = table.shape[-1] // PIECE, table, None
    if table.shape[-1] % PIECE == 0 and num_pieces > count:
        pieces = table.reshape(len(table), num_pieces, PIECE)
        chosen = _largest_of(pieces.max(-1), count)  # (n, count)
        candidates = pieces[np.arange(len(table))[:, None], chosen].reshape(len(table), -1)  # (n, count * PIECE)
        begins = chosen * PIECE
    at = _largest_of(candidates, count)  # (n, count)
    values = np.take_along_axis(candidates, at, -1)
    falling = np.argsort(-values, axis=-1, kind="stable")
    at, values = np.take_along_axis(at, falling, -1), np.take_along_axis(values, falling, -1)
    if begins is not None:
        at = np.take_along_axis(begins, at // PIECE, -1) + at % PIECE
    shape = (*rows.shape[:-1], count)
    return values.reshape(shape), at.reshape(shape)


def _largest_of(table: Array, count: int) -> NDArray[np.intp]:
    """Return the indices of the `count` largest values of each row, in any order. (n, count)"""
    first = table.shape[-1] - count
    return np.argpartition(table, min(first, table.shape[-1] - 1), axis=-1)[:, first:]
