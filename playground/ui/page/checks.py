"""Checks of every tab on the server: a program may post what no control offers."""

from contextlib import suppress
from typing import Any

from playground.errors import PlaygroundError
from playground.words import word

PROMPT_LIMIT = 4000  # characters
LARGEST_SEED = 2**32
MOST_TOKENS = 512  # Each run of a race or a sweep has no more.


def whole(value: Any, name: str, low: int, high: int) -> int:
    """Return a whole number in its range.

    A fraction is not rounded.

    Raises:
        PlaygroundError: if it is none, or out of it.
    """
    number: int | None = None
    with suppress(TypeError, ValueError, OverflowError):
        if (not isinstance(value, float) or int(value) == value) and not isinstance(value, bool):
            number = int(value)
    if value is None:
        raise PlaygroundError(word("lab_error_no_number", name=name))
    if number is None:
        said = f"{value!r:.40}" if isinstance(value, str | int | float) else f"a {type(value).__name__}"
        raise PlaygroundError(word("lab_error_whole", name=name, value=said))
    if not low <= number <= high:
        raise PlaygroundError(word("lab_error_range", name=name, value=f"{number:,}", low=f"{low}", high=f"{high:,}"))
    return number


def refuse_long(prompt: str, name: str = "") -> None:
    """Refuse a prompt that is too long.

    Raises:
        PlaygroundError: if it is.
    """
    if len(prompt) > PROMPT_LIMIT:
        length, limit = f"{len(prompt):,}", f"{PROMPT_LIMIT:,}"
        raise PlaygroundError(
            word("lab_error_long", name=name or word("lab_error_field_prompt"), length=length, limit=limit)
        )
