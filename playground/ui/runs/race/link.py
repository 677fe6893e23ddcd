"""A race's setup as a link, and back."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import gradio as gr

from playground.errors import PlaygroundError
from playground.ui.page.links import TAB, is_for, sets_nothing_up
from playground.ui.page.messages import complain, set_up
from playground.ui.page.prompt_chooser import refuse_file
from playground.ui.runs.race import lineup
from playground.ui.runs.race.papers import filled_in, of_paper, preset_values
from playground.ui.runs.race.setup import RaceForm


def make_link(form: RaceForm) -> str:
    """Return the query string for this form. Of a paper's comparison it holds only what was changed.

    Raises:
        PlaygroundError: if it cannot be in a link.
    """
    refuse_file(form)
    usual = RaceForm(**preset_values(form.paper)) if form.paper else RaceForm()
    return form.link(replace(usual, paper=""), **{TAB: "compare"})


def follow(query: Mapping[str, str]) -> list[Any]:
    """Set the controls as an address asks; (message, about, leave, *controls)."""
    nothing = [gr.skip(), gr.skip(), *RaceForm.updates()]
    if not is_for("compare", query):
        return [gr.skip(), *nothing]
    try:
        values = RaceForm.read_link(query)
        paper = values.get("paper", "")
        values = (preset_values(paper) if paper else {}) | values
        if not sets_nothing_up(query):
            values = vars(RaceForm()) | values  # whatever the tab opens on here
            lineup.entries(values["methods"])
        controls = [*of_paper(paper), *filled_in(values)]
    except PlaygroundError as error:
        return [complain(error), *nothing]
    message = gr.skip() if sets_nothing_up(query) else set_up("Race", RaceForm.wrong_in_link(query))
    return [message, *controls]
