"""Sentences of the package, by key: in English here, in the browser by the table of the reader's language.

The English stands in assets/languages/en.json, its translations beside it under the same keys. What a method, an option
or a recorded run is called stands in its own file; the languages have it by key too, see assets/shared/words.js.

A `Word` is its English, which commands, notebooks and files hold; `keyed` sends it to the browser with its key.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from playground.paths import ASSETS


class Word(str):
    """English of a key, with the values of its places, of which some may be words themselves.

    Attributes:
        key: in the tables; "" of what `paragraph` and `listed` compose of words.
        values: of its places by name; of a composition its kind, with its parts.
    """

    key: str
    values: dict[str, Any]


class Words(list[str]):
    """Many words of few keys, as at the bars of a chart: the browser gets each English once, see `keyed`."""


def word(key: str, **values: Any) -> Word:
    """The word or sentence of this key, its places filled with these values."""
    worded = Word(english()[key].format(**values))
    worded.key, worded.values = key, values
    return worded


def paragraph(*parts: str) -> Word:
    """Sentences one after another, each a word or English of no key; empty ones are left out."""
    there = [part for part in parts if part]
    return _composed("sentences", there, " ".join(there))


def listed(parts: Sequence[str]) -> Word:
    """A list within a sentence, of one part at least: A, B and C."""
    *most, last = parts
    return _composed("list", list(parts), f"{', '.join(most)} and {last}" if most else last)


def _composed(kind: str, parts: list[str], english_of_all: str) -> Word:
    composed = Word(english_of_all)
    composed.key, composed.values = "", {kind: parts}
    return composed


def keyed(value: Any) -> Any:
    """The value as the browser gets it: every `Word` in its lists, tuples and dicts as {"word", "values", "english"}.

    `Words` are {"phrases", "rows"}: [key, English with its places, names of the places] of each phrase, and of
    each word [index of its phrase, values of the places]. assets/shared/words.js puts the reader's language in their
    place.
    """
    if isinstance(value, Word):
        return {"word": value.key, "values": keyed(value.values), "english": str(value)}
    if isinstance(value, Words):
        return _table(value)
    if isinstance(value, dict):
        return {key: keyed(each) for key, each in value.items()}
    return [keyed(each) for each in value] if isinstance(value, list | tuple) else value


def _table(words: Words) -> dict[str, Any]:
    phrases: dict[tuple[str, ...], int] = {}
    rows = []
    for each in words:
        key, values = (each.key, each.values) if isinstance(each, Word) and each.key else ("", {"text": each})
        phrase = (key, english()[key] if key else "{text}", *values)
        rows.append([phrases.setdefault(phrase, len(phrases)), *keyed(list(values.values()))])
    return {"phrases": [list(each) for each in phrases], "rows": rows}


@cache
def english() -> dict[str, str]:
    """Every word of the server, by key."""
    return json.loads((ASSETS / "languages" / "en.json").read_text(encoding="utf-8"))
