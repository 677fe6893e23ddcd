"""Checks of every tab on the server: a program may post what no control offers."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from playground.errors import PlaygroundError

PROMPT_LIMIT = 4000  # characters
LARGEST_SEED = 2**32
MOST_TOKENS = 512  # of each run of a race or a sweep


def whole(value: Any, name: str, low: int, high: int) -> int:
    """A whole number in its range.

    Raises:
        PlaygroundError: if it is none, or out of it.
    """
    number = whole_number(value, name)
    if not low <= number <= high:
        raise PlaygroundError(f"{name} {number:,} is out of range. Choose {low} to {high:,}.")
    return number


def whole_number(value: Any, name: str) -> int:
    """A whole number of any size; a fraction is not rounded.

    Raises:
        PlaygroundError: if it is none.
    """
    with suppress(TypeError, ValueError, OverflowError):
        number = int(value)
        if not isinstance(value, float) or number == value:
            return number
    of_its_kind = "nothing" if value is None else f"a {type(value).__name__}"
    said = f"{value!r:.40}" if isinstance(value, str | int | float) else of_its_kind
    raise PlaygroundError(f"{name} must be a whole number, not {said}. Choose one.")


def refuse_long(prompt: str, name: str = "The prompt") -> None:
    """Refuse a prompt that is too long.

    Raises:
        PlaygroundError: if it is.
    """
    if len(prompt) > PROMPT_LIMIT:
        raise PlaygroundError(f"{name} has {len(prompt):,} characters; the limit is {PROMPT_LIMIT:,}. Shorten it.")
