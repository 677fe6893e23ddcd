"""The Watch tab: one run, seen from the inside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gradio as gr
from gradio.components import Component

from playground.errors import PlaygroundError
from playground.ui.page.checks import PROMPT_LIMIT
from playground.ui.page.controls import (
    HIDDEN,
    method_choices,
    method_menu,
    sampling_controls,
    tokens_slider,
)
from playground.ui.page.drawn_panel import on_page
from playground.ui.page.form import Controls
from playground.ui.page.links import is_for
from playground.ui.page.messages import STOPPING, complain, notice, say
from playground.ui.page.model_chooser import model_fields, pair_field
from playground.ui.page.options import option_sliders
from playground.ui.page.prompt_chooser import offered_prompts
from playground.ui.page.run_buttons import rest
from playground.ui.page.take_away import told_link
from playground.ui.watch import shelf, why_panel
from playground.ui.watch.form import MOST_TOKENS, WatchForm
from playground.ui.watch.player_panel import player_panel
from playground.ui.watch.turn import ask, stop_run, watch

FIRST = WatchForm()


def build(page: gr.Blocks) -> gr.HTML:
    """Lay the tab out and connect it; gives the player, which others may show a run in."""
    with gr.Row(equal_height=True, elem_id="ask"):
        prompt = _prompt_field()
        method = method_menu(method_choices(), FIRST.method, scale=4, min_width=280, elem_id="method")
        with gr.Column(scale=1, min_width=110, elem_id="run-column"):
            run = gr.Button("Run", variant="primary", elem_id="run")
            stop = gr.Button("Stop", interactive=False, elem_id="stop")
    message = notice("A recorded run is playing. Press Run to make your own.", elem_id="notice")
    _examples(prompt)
    with gr.Accordion("Models, sampling and options", open=False, elem_id="settings"):
        form = Controls(WatchForm, prompt=prompt, method=method, **_settings(method))
    player = player_panel(shelf.first_recording())
    begins = [run.click, prompt.submit]
    why_panel.build(player, begins, form)
    taken = shelf.build(player)
    asked = gr.State(None)  # the form as it was when Run was pressed

    # In Gradio's queue, though it is over at once: an error outside it is shown to nobody.
    lined_up = gr.on(
        begins, form.call(ask), form.components, [asked, run, stop, message], concurrency_limit=None, **HIDDEN
    )
    running = lined_up.success(
        watch,
        asked,
        [player, message],
        concurrency_limit=1,
        concurrency_id="compute",
        show_progress="minimal",
        show_progress_on=[message],
        api_visibility="private",
    )
    running.then(rest, None, [run, stop], **HIDDEN)
    run.click(None, None, None, js=on_page("showPlayer"), **HIDDEN)
    stop.click(None, None, message, js=STOPPING, **HIDDEN)
    stop.click(stop_run, None, [run, stop, message], queue=False, **HIDDEN)
    taken.offer_link(form.call(link_to), form.components)
    # status on one line only: Gradio would renew that of every control with each message of a run
    page.load(follow_link, None, [message, *form.components], show_progress_on=[message], **HIDDEN)
    return player


def _prompt_field() -> gr.Textbox:
    return gr.Textbox(
        FIRST.prompt,
        label="Prompt",
        info=f"What the models continue. Up to {PROMPT_LIMIT:,} characters.",
        lines=2,
        max_lines=6,
        max_length=PROMPT_LIMIT,
        scale=5,
        min_width=280,
        elem_id="prompt",
    )


def _examples(prompt: gr.Textbox) -> None:
    offered = offered_prompts()
    gr.Examples(
        [[text] for text in offered.values()],
        [prompt],
        example_labels=list(offered),
        label="Prompts to try",
        elem_id="examples",
        api_visibility="private",
    )


def _settings(method: gr.Dropdown) -> dict[str, Component]:
    """The form's fields that are folded away."""
    with gr.Row():
        pair = pair_field("pair")
        tokens = tokens_slider(MOST_TOKENS, FIRST.tokens)
        seed = gr.Number(0, precision=0, minimum=0, label="Seed", info="The same seed gives the same tokens.")
    models = model_fields(pair)
    sampling = sampling_controls("temperature")
    options = option_sliders(method, elem_id="watch-options")
    return {"tokens": tokens, "seed": seed, "options": options, **models, **sampling}


def link_to(form: WatchForm) -> tuple[str, Any]:
    """(query, message) for this form."""
    return told_link(lambda: form.link(WatchForm()))


def follow_link(request: gr.Request) -> list[Any]:
    """Set the controls as the page's address asks; (message, *controls)."""
    return follow(dict(request.query_params))


def follow(query: Mapping[str, str]) -> list[Any]:
    """The same for an address's query."""
    try:
        asked = WatchForm.read_link(query) if is_for("watch", query) else {}
    except PlaygroundError as error:
        return [complain(str(error)), *WatchForm.updates()]
    return [say("Set up by the link. Press Run.") if asked else gr.skip(), *WatchForm.updates(asked)]
