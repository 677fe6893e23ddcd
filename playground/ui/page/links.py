"""A setup as a link: every choice of a tab in the query string, short and readable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from playground.errors import PlaygroundError

TAB = "tab"  # which tab a link is for; without it, Watch
LANGUAGE = "language"  # of the words in the browser, see assets/languages
# of a moment in Watch: the browser reads them, see assets/player/moment/link.js
MOMENT = frozenset(("run", "if", "step", "kept", "panel", "view", "theme", "hide", "made", "version"))
LONGEST = 2000  # characters; some browsers and chat programs cut longer ones


def make_query(values: Mapping[str, Any], defaults: Mapping[str, Any]) -> str:
    """The query string for these choices; those at their default are left out.

    Raises:
        PlaygroundError: if it would be too long for a link.
    """
    query = "?" + urlencode({name: value for name, value in values.items() if value != defaults.get(name)})
    if len(query) > LONGEST:
        raise PlaygroundError(f"The link would have {len(query):,} characters; {LONGEST:,} work. Shorten the prompt.")
    return query


def is_for(tab: str, query: Mapping[str, str]) -> bool:
    """Whether a link sets this tab up."""
    return query.get(TAB, "watch") == tab


def sets_nothing_up(query: Mapping[str, str]) -> bool:
    """Whether a link only names its tab, a language or a moment; what begins with "__" is Gradio's own, as __theme."""
    return all(name in (TAB, LANGUAGE) or name in MOMENT or name.startswith("__") for name in query)


def read_query(query: Mapping[str, str], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The choices that a link makes, each a number where its default is one.

    Raises:
        PlaygroundError: if it names what does not exist, or gives a number that is none.
    """
    values: dict[str, Any] = {}
    for name, text in query.items():
        if sets_nothing_up({name: text}):
            continue
        if name not in defaults:
            raise PlaygroundError(f"The link asks for {name!r}, which this page does not have. The rest was ignored.")
        try:
            values[name] = _number(text) if isinstance(defaults[name], int | float) else text
        except (ValueError, OverflowError):
            raise PlaygroundError(f"The link gives {name} as {text!r}, which is no number. It was ignored.") from None
    return values


def _number(text: str) -> float:
    """Whole where it is whole: a slider's default of 1 does not mean that 0.8 is 0."""
    number = float(text)
    return int(number) if number == int(number) else number
