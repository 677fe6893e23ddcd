"""Reasons of accepted, rejected or not tested: a code with named numbers, and its sentence.

The sentences stand in the table of English words, from which the page shows them as well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from playground.words import english

_NO_VALUES: Mapping[str, float] = MappingProxyType({})


class Reason(NamedTuple):
    """A code, and the numbers of its sentence by name."""

    code: str
    values: Mapping[str, float] = _NO_VALUES

    def after(self, first: Reason) -> Reason:
        """Both reasons as one, `first` before this one."""
        return Reason(f"{first.code}+{self.code}", {**first.values, **self.values})


def sentence(code: str, values: Mapping[str, float] = _NO_VALUES) -> str:
    """Say the reason in English, numbers with 3 digits; a code without an entry is returned as it is.

    A test that passed and one that failed have one sentence, as the outcome is shown next to it.
    """
    shown = {name: f"{Decimal(f'{value:.3g}'):f}" for name, value in values.items()}
    codes = [re.sub("^not_(?=below)", "", each) for each in code.split("+")]
    parts = [sentences().get(each, each.replace("_", " ")) for each in codes]
    return " ".join(re.sub(r"\{(\w+)\}", lambda name: shown.get(name[1], name[0]), each) for each in parts)


@cache
def sentences() -> dict[str, str]:
    """Every sentence by its code, with places in braces for its numbers."""
    return {key.removeprefix("why_"): text for key, text in english("player/trace").items()}
