"""A race's setup as a link, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gradio as gr

from playground.errors import PlaygroundError
from playground.ui import lineup
from playground.ui.links import TAB, is_for, make_query, read_query
from playground.ui.messages import complain, say
from playground.ui.race_setup import FILE


def make_link(lineup_: Sequence[str], values: dict[str, Any], defaults: dict[str, Any]) -> tuple[str, Any]:
    """(query, message) for these choices."""
    try:
        if values["source"] == FILE:
            raise PlaygroundError("A file cannot be in a link. Choose a set of prompts, or write one prompt.")
        return make_query({TAB: "compare", "methods": ",".join(lineup_)} | values, defaults), say(
            "The link is ready to copy."
        )
    except PlaygroundError as error:
        return "", complain(str(error))


def follow(query: dict[str, str], defaults: dict[str, Any]) -> list[Any]:
    """Set the controls as the page's address asks; (tabs, message, line-up, *controls)."""
    untouched = [gr.skip() for _ in defaults]
    if not is_for("compare", query):
        return [gr.skip(), gr.skip(), *untouched]
    here = gr.Tabs(selected="compare")
    try:
        values = read_query(query, defaults)
        asked = [each for each in values.pop("methods", defaults["methods"]).split(",") if each.strip()]
        lineup.entries(asked)
    except PlaygroundError as error:
        return [here, complain(str(error)), *untouched]
    chosen = gr.Dropdown(lineup.offered(asked), value=asked, multiselect=True)
    rest_of_them = [values.get(name, gr.skip()) for name in defaults if name != "methods"]
    return [here, say("Set up by the link. Press Race."), chosen, *rest_of_them]
