"""Sentences of the package, by key: in English here, in the browser by the table of the reader's language.

The English is in assets/languages/en.json, with that of the scripts: a table of each folder whose words these are.
Its translations are next to it under the same keys. The name of a method, an option or a recorded run is in its
own file; the languages have it by key too, see assets/shared/words.js.

A `Word` is its English, which commands, notebooks and files hold; `keyed` sends it to the browser with its key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache
from pathlib import PurePosixPath
from typing import Any

from playground.paths import ASSETS

MOST_RECOGNISED = 500  # letters: a template of several places takes time that grows faster than its text


class Word(str):
    """English of a key, with the values of its places, of which some may be words themselves.

    Attributes:
        key: in the tables; "" of what is composed of words, as by `paragraph` and `listed`.
        values: of its placeholders by name; of a composition its kind, or its separator, with its parts.
    """

    key: str
    values: dict[str, Any]

    def __new__(cls, english_text: str, key: str = "", values: dict[str, Any] | None = None) -> Word:
        """Make a word of this English; copies and pickles are made from it, and get key and values as attributes."""
        self = super().__new__(cls, english_text)
        self.key, self.values = key, values or {}
        return self


class Words(list[str]):
    """Many words of few keys, as at the bars of a chart: the browser gets each English text once, see `keyed`."""


def word(key: str, **values: Any) -> Word:
    """Return the word or sentence of this key, its places filled with these values."""
    numbers_of_json = {  # Numbers of numpy are not among them.
        name: value if isinstance(value, str | int | float) else str(value) for name, value in values.items()
    }
    return Word(english()[key].format(**values), key, numbers_of_json)


def named(key: str, english_name: str) -> Word:
    """Return the name of something with a file of its own, such as a method's option: `option.rsd_s.width`."""
    return Word(english_name, key)


def recognised(text: str, words: Sequence[Word]) -> str:
    """Recognise the word of a text that a file holds as English, among templates with the names of their places.

    The places are read off the text, which stays as it is where it is none of these words, or is longer than they are.
    """
    for each in words if len(text) <= MOST_RECOGNISED else ():
        pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+)", re.escape(each))
        if read := re.fullmatch(pattern, text):
            return word(each.key, **{name: recognised(value, words) for name, value in read.groupdict().items()})
    return text


def counted(what: str, count: int) -> Word:
    """Say a number of prompts, runs, threads or the like."""
    return word(f"race_one_{what}") if count == 1 else word(f"race_count_{what}", count=count)


def paragraph(*parts: str) -> Word:
    """Join sentences, each a word or English text without a key; leave out empty ones."""
    there = [part for part in parts if part]
    return Word(" ".join(there), values={" ": there})


def listed(parts: Sequence[str]) -> Word:
    """Join one part or more to a list within a sentence: A, B and C."""
    *most, last = parts
    return Word(f"{', '.join(most)} and {last}" if most else last, values={"list": list(parts)})


def commas(parts: Sequence[str]) -> Word:
    """Join parts with commas: A, B, C."""
    return joined(", ", parts)


def joined(between: str, parts: Sequence[str]) -> Word:
    """Parts with the same between any two: A / B; the scripts know the comma and the semicolon of a language."""
    return Word(between.join(parts), values={between: list(parts)})


def in_sentence(name: str) -> Word:
    """Write a name as within a sentence: `Beam width` as beam width; a single letter, such as K, stays."""
    one_letter = len(name.split()[0]) == 1
    return Word(name if one_letter else name[:1].lower() + name[1:], values={"within": name})


def day(date: str) -> Word:
    """Write a day, 2026-11-26, as 26 November 2026."""
    on = datetime.strptime(date, "%Y-%m-%d")
    return Word(f"{on.day} {on:%B %Y}", values={"day": date})


def keyed(value: Any) -> Any:
    """Convert a value for the browser: every `Word` in it becomes {"word", "values", "english"}.

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


def english(part: str = "playground") -> dict[str, Any]:
    """English words of the server, or of a folder of scripts such as player/trace, by key."""
    return tables()[part]


def english_of(scripts: Iterable[str]) -> dict[str, dict[str, Any]]:
    """English words of these files of assets/: of each lesson, of each folder, and of the folders above it."""
    owners = {owner for name in scripts for owner in (name.removesuffix(".js"), *map(str, PurePosixPath(name).parents))}
    return {owner: words for owner, words in tables().items() if owner in owners}


@cache
def tables() -> dict[str, dict[str, Any]]:
    """Every English word: by whom it is said, and its key."""
    return json.loads((ASSETS / "languages" / "en.json").read_text(encoding="utf-8"))
