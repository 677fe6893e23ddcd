"""One more entry of a method, with other options or another drafter."""

from collections.abc import Sequence
from typing import Any

import gradio as gr

from playground.bench.entry import DRAFTER
from playground.errors import PlaygroundError
from playground.models.drafters.choice import DRAFT
from playground.ui.page.controls import FIRST_METHOD, HIDDEN, method_menu, option_sliders
from playground.ui.page.messages import complain, notice, say
from playground.ui.page.model_chooser import drafter_field
from playground.ui.runs.race import lineup
from playground.words import word


def build(line_up: gr.Dropdown) -> None:
    """Lay it out and connect it to the menu of the line-up."""
    with gr.Accordion(word("race_variant"), open=False, elem_id="race-variant"):
        method = method_menu(lineup.offered(), FIRST_METHOD, elem_id="race-variant-method")
        options = option_sliders(method, elem_id="race-options")
        drafter = drafter_field("race-drafter")
        with gr.Row(elem_classes="low-row"):
            add = gr.Button(word("race_add"), elem_id="race-add", size="md", scale=0, min_width=160)
            added = notice(elem_id="race-added")
    add.click(add_variant, [line_up, method, options, drafter], [line_up, added], **HIDDEN)


def add_variant(
    lined_up: Sequence[str], method: str, options: dict[str, dict[str, object]], drafter: str = DRAFT
) -> tuple[Any, Any]:
    """One more entry of a method, with its values among these options and this drafter; (the line-up, message)."""
    values = options.get(method, {}) | {DRAFTER: drafter or DRAFT}
    try:
        entry = lineup.written(method, values)
    except PlaygroundError as error:
        return gr.skip(), complain(error)
    title = lineup.title(method, values)
    if entry in lined_up:
        return gr.skip(), complain(word("race_added_already", entry=title))
    line_up = [*lined_up, entry]
    return gr.Dropdown(lineup.offered(line_up), value=line_up, multiselect=True), say(word("race_added", entry=title))
