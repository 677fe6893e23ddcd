"""What every tab checks once more: a program may post what no control offers."""

from __future__ import annotations

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
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        raise PlaygroundError(f"{name} must be a whole number from {low} to {high:,}, not {value!r}.") from None
    if not low <= number <= high:
        raise PlaygroundError(f"{name} {number:,} is out of range. Choose {low} to {high:,}.")
    return number


def refuse_long(prompt: str, name: str = "The prompt") -> None:
    """Refuse a prompt that is too long.

    Raises:
        PlaygroundError: if it is.
    """
    if len(prompt) > PROMPT_LIMIT:
        raise PlaygroundError(f"{name} has {len(prompt):,} characters; the limit is {PROMPT_LIMIT:,}. Shorten it.")
