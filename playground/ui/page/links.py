"""A setup as a link: every choice of a tab in the query string, short and readable."""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

import gradio as gr

from playground.errors import PlaygroundError
from playground.words import word

TAB = "tab"  # It names the tab of a link; Watch where it is missing.
LANGUAGE = "language"  # It names the browser's words, see assets/languages.
# The browser reads these words of a moment in Watch, see assets/player/moment/link.js.
MOMENT = frozenset(("run", "if", "step", "kept", "panel", "view", "theme", "hide", "made", "version"))
SWITCH = {"true": "1", "false": "0"}  # Links written by hand have words.
LONGEST_WORD = 40  # characters of a link that are told again
LONGEST = 2000  # characters; some browsers and chat programs cut longer ones


def make_query(values: Mapping[str, Any], defaults: Mapping[str, Any]) -> str:
    """Return the query string for these choices; those at their default are left out.

    Raises:
        PlaygroundError: if it would be too long for a link.
    """
    query = "?" + urlencode({name: value for name, value in values.items() if value != defaults.get(name)})
    if len(query) > LONGEST:
        raise PlaygroundError(word("watch_error_long_link", length=f"{len(query):,}", most=f"{LONGEST:,}"))
    return query


def of_address(follow: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
    """Return the handler of a page that is loaded: `follow` with its address's query, and what else is given."""

    def loaded(request: gr.Request, *values: Any) -> list[Any]:
        return follow(dict(request.query_params), *values)

    return loaded


def is_for(tab: str, query: Mapping[str, str]) -> bool:
    """Return whether a link sets this tab up."""
    return query.get(TAB, "watch") == tab


def sets_nothing_up(query: Mapping[str, str]) -> bool:
    """Return whether a link only names its tab, a language or a moment; Gradio's own words begin with "__"."""
    return all(name in (TAB, LANGUAGE) or name in MOMENT or name.startswith("__") for name in query)


def read_query(query: Mapping[str, str], defaults: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the choices that a link makes, each a number where its default is one, and what is left out, in words.

    That is a name that the page does not have, or a word that is not a number.
    """
    values: dict[str, Any] = {}
    wrong: list[str] = []
    for name, text in query.items():
        if sets_nothing_up({name: text}):
            continue
        if name not in defaults:
            wrong.append(word("watch_error_unknown", name=repr(name[:LONGEST_WORD])))
            continue
        try:
            values[name] = _number(SWITCH.get(text.lower(), text)) if isinstance(defaults[name], int | float) else text
        except (ValueError, OverflowError):
            wrong.append(word("watch_error_number", name=name, text=repr(text[:LONGEST_WORD])))
    return values, wrong


def _number(text: str) -> float:
    """Whole where it is whole: a slider's default of 1 does not mean that 0.8 is 0."""
    number = float(text)
    return int(number) if number == int(number) else number
