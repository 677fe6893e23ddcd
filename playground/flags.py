"""Command lines refuse mistakes in one sentence. app.py reads this before anything is installed."""

import argparse
from collections.abc import Sequence
from typing import NoReturn

from playground.errors import PlaygroundError


class Parser(argparse.ArgumentParser):
    """An argument parser whose mistakes are one sentence."""

    def error(self, message: str) -> NoReturn:
        """One sentence instead of the usage page."""
        raise PlaygroundError(f"{message[:1].upper()}{message[1:]}. See {self.prog} --help.")


def refuse_empty(words: Sequence[str]) -> None:
    """Refuse an empty value, which a shell writes for a variable that is not set.

    Raises:
        PlaygroundError: naming the first flag without a value.
    """
    for flag, word in zip(["", *words], words, strict=False):
        name, sign, value = word.partition("=")
        if not word or (name.startswith("--") and sign and not value):
            named = name or (flag if flag.startswith("-") else "An argument")
            raise PlaygroundError(f"{named} is empty. Give a value, or leave it out.")
