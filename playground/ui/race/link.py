"""A race's setup as a link, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gradio as gr

from playground.errors import PlaygroundError
from playground.ui.page.links import TAB, is_for, make_query, read_query, sets_nothing_up
from playground.ui.page.messages import complain, say
from playground.ui.race import lineup
from playground.ui.race.papers import about, chosen, preset_values
from playground.ui.race.setup import FILE

PAPER = "paper"  # a preset: what it sets up is in the link only where it was changed


def make_link(lineup_: Sequence[str], paper: str, values: dict[str, Any], defaults: dict[str, Any]) -> tuple[str, Any]:
    """(query, message) for these choices; `paper` is the preset they began with, or empty."""
    try:
        if values["source"] == FILE:
            raise PlaygroundError("A file cannot be in a link. Choose a set of prompts, or write one prompt.")
        given = defaults | (preset_values(paper) if paper else {PAPER: ""})
        query = make_query({TAB: "compare", PAPER: paper, "methods": ",".join(lineup_)} | values, given)
        return query, say("The link is ready to copy.")
    except PlaygroundError as error:
        return "", complain(str(error))


def follow(query: dict[str, str], defaults: dict[str, Any]) -> list[Any]:
    """Set the controls as the page's address asks; (tabs, message, preset, about, leave, line-up, *controls)."""
    untouched = [gr.skip() for _ in [*defaults, "preset", "about", "leave"]]
    if not is_for("compare", query):
        return [gr.skip(), gr.skip(), *untouched]
    here = gr.Tabs(selected="compare")
    try:
        values = read_query(query, defaults | {PAPER: ""})
        paper = values.pop(PAPER, "")
        values = (preset_values(paper) if paper else {}) | values
        methods = values.pop("methods", defaults["methods"])
        lineup.entries([each for each in methods.split(",") if each.strip()])
    except PlaygroundError as error:
        return [here, complain(str(error)), *untouched]
    rest_of_them = [values.get(name, gr.skip()) for name in defaults if name != "methods"]
    of_paper = [paper, say(about(paper) if paper else ""), gr.Button(visible=bool(paper))]
    told = gr.skip() if sets_nothing_up(query) else say("Set up by the link. Press Race.")
    return [here, told, *of_paper, chosen(methods), *rest_of_them]
