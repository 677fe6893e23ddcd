"""Sentences of the page's server, by key: in English here, in the browser by the table of the reader's language.

The English stands in assets/languages/en.json, its translations beside it under the same keys. What a method, an option
or a recorded run is called stands in its own file; the languages have it by key too, see assets/shared/words.js.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from playground.paths import ASSETS


class Word(str):
    """English of a key, which goes along to the browser with its values wherever a message can carry them."""

    key: str
    values: dict[str, Any]


def word(key: str, **values: Any) -> Word:
    """The word or sentence of this key, its places filled with these values."""
    worded = Word(english()[key].format(**values))
    worded.key, worded.values = key, values
    return worded


@cache
def english() -> dict[str, str]:
    """Every word of the server, by key."""
    return json.loads((ASSETS / "languages" / "en.json").read_text(encoding="utf-8"))
