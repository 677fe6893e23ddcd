"""Several values in one field: `1, 2, 4` or `1..8`, read and written."""

import re
from collections.abc import Sequence
from itertools import pairwise
from math import isfinite
from typing import Any

from playground.errors import PlaygroundError

MOST_VALUES = 64  # One field has no more.
_NUMBER = r"[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|[+-]?\.\d+"
_RANGE = re.compile(r"([+-]?\d{1,6})\s*(?:\.\.\.?|…)\s*([+-]?\d{1,6})")


def read_values(text: Any, name: str) -> tuple[float, ...]:
    """Return the numbers that a field holds, whole ones as int.

    Args:
        text: numbers with commas or spaces between them, and whole ranges such as 1..8.
        name: what to call the field in a message.

    Raises:
        PlaygroundError: if the field holds no value, too many, the same one twice, or one that is not a number.
    """
    spaced = " ".join(str(text if text is not None else "").split())
    joined = spaced.replace("…", "..").replace("...", "..").replace(" ..", "..").replace(".. ", "..")
    values: list[float] = []
    for part in re.split(r"[,;\s]+", joined.strip(" ,;")):
        values += _read(part, name)
        if len(values) > MOST_VALUES:
            raise PlaygroundError(f"{name} has more than {MOST_VALUES} values. Choose fewer.")
    twice = [value for index, value in enumerate(values) if value in values[:index]]
    if twice:
        raise PlaygroundError(f"{name} has {twice[0]:g} twice. Name each value once.")
    return tuple(values)


def read_whole(text: Any, name: str, low: int, high: int) -> tuple[int, ...]:
    """As `read_values`, where only whole numbers of a range make sense."""
    values = read_values(text, name)
    for value in values:
        if value != int(value) or not low <= value <= high:
            raise PlaygroundError(f"{name} has {value:g}. Choose whole numbers from {low:,} to {high:,}.")
    return tuple(int(value) for value in values)


def written(values: Sequence[float]) -> str:
    """Return the field's text for these numbers: a run of three or more whole ones in a row as a range."""
    whole = all(value == int(value) for value in values)
    in_a_row = whole and all(after - before == 1 for before, after in pairwise(values))
    if in_a_row and len(values) > 2 and _RANGE.fullmatch(span := f"{int(values[0])}..{int(values[-1])}"):
        return span
    return ", ".join(f"{value:.12g}" for value in values)


def _read(part: str, name: str) -> list[float]:
    if not part:
        raise PlaygroundError(f"{name} has no value. Write one or more, such as 2 or 1, 2, 4 or 1..8.")
    if span := _RANGE.fullmatch(part):
        first, last = int(span[1]), int(span[2])
        if not first < last <= first + MOST_VALUES:
            raise PlaygroundError(
                f"{name} has {part}, which is not a range. Give up to {MOST_VALUES} values that grow, as 1..8."
            )
        return [*range(first, last + 1)]
    if not re.fullmatch(_NUMBER, part) or not isfinite(float(part)):
        raise PlaygroundError(
            f"{name} has {part[:40]!r}, which is not a number. Write numbers with commas between them."
        )
    number = float(part)
    return [int(number) if number.is_integer() else number]
