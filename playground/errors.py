"""Errors with a message for people. Everything else that is raised is a bug, and keeps its traceback."""

import difflib
from collections.abc import Iterable

from playground.words import Word, word


class PlaygroundError(Exception):
    """A message for the person at the screen: what is wrong with the value, then what to do."""


class StoppedError(PlaygroundError):
    """A request was stopped by its user: a notice, not a failure."""


def is_panic(error: BaseException) -> bool:
    """Return whether a library written in Rust gave up: its error is not an `Exception`."""
    return type(error).__name__ == "PanicException"


def did_you_mean(name: str, known: Iterable[str]) -> Word:
    """Last sentence of an 'unknown name' message: the nearest known name, or else all of them.

    >>> did_you_mean("promt_lookup", ["autoregressive", "prompt_lookup"])
    "Did you mean 'prompt_lookup'?"
    >>> did_you_mean("x", ["autoregressive", "prompt_lookup"])
    'Known: autoregressive, prompt_lookup.'
    """
    known = sorted(known)
    nearest = difflib.get_close_matches(name[:100], known, n=1)
    return word("did_you_mean", name=nearest[0]) if nearest else word("known_names", names=", ".join(known))
