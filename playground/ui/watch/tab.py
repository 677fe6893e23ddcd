"""The Watch tab: one run, seen from the inside."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import gradio as gr
from gradio.components import Component

from playground.decoding.constrained.grammar import LONGEST
from playground.errors import PlaygroundError
from playground.ui.page.controls import (
    HIDDEN,
    POSTED,
    method_note,
    option_sliders,
    penalty_controls,
    temperature_slider,
    tokens_slider,
    truncation_sliders,
)
from playground.ui.page.drawer import drawer, drawer_menu
from playground.ui.page.drawn_panel import on_page
from playground.ui.page.form import Controls
from playground.ui.page.links import is_for, of_address
from playground.ui.page.messages import STOPPING, complain, notice, say, set_up
from playground.ui.page.model_chooser import drafter_field, model_fields, pair_field
from playground.ui.page.model_install import install_button
from playground.ui.page.progress import queue_message
from playground.ui.page.prompt_chooser import offered_prompts
from playground.ui.page.stage import Stage
from playground.ui.watch import shelf, what_if, why_panel
from playground.ui.watch.form import MOST_TOKENS, UNSAID_METHOD, WatchForm, chat_chip
from playground.ui.watch.method_menu import method_menu
from playground.ui.watch.player_panel import player_panel
from playground.ui.watch.turn import ask, buttons_after, stop_run, watch
from playground.words import listed, word

ALLOWED_LIMIT = 50_000  # characters of a list
MOST_TO_TRY = 5  # prompts, each a press away


def build(page: gr.Blocks, tabs: gr.Tabs) -> Stage:
    """Lay the tab out, connect it, and return the stage for the other tabs.

    One line asks for a run, the player below it fills the window. All else is in drawers over the page.

    Args:
        page: the whole page, for its links.
        tabs: of the page, which turn to this one when another opens a run.
    """
    first = shelf.opening()  # The run on the stage was made so: nothing that comes later overwrites it.
    with gr.Row(elem_id="ask"):
        method = method_menu(first.method)
        prompt = _prompt_field()
        chat = chat_chip(first.pair)
        with gr.Row(elem_id="run-column"):
            run = gr.Button(word("run"), variant="primary", min_width=60, elem_id="run")
            stop = gr.Button(word("stop"), interactive=False, min_width=60, elem_id="stop")
        drawer_menu({"settings": word("options"), "files": word("runs_and_files"), "why-panel": word("explain_button")})
    message = notice("", elem_id="notice")
    player = player_panel(shelf.first_recording())
    player.link_noted(None, None, message, js=on_page("playerMessage"), **HIDDEN)
    with drawer(word("options"), "settings"):
        form = Controls(WatchForm, prompt=prompt, method=method, chat=chat, **_settings(method, prompt, first))
    for item, control in zip(fields(first), form.components, strict=True):
        control.value = getattr(first, item.name)
    form.some("pair")[0].change(chat_chip, form.some("pair"), chat, **HIDDEN)
    begins = [run.click, prompt.submit]
    with drawer(word("explain_title"), "why-panel", wide=True):
        why_panel.build(player, form)
    with drawer(word("runs_and_files"), "files"):
        filled = gr.State(dict(vars(first)))  # by recordings, by field
        exports = shelf.build(player, form, filled)
    shown = [player, message, filled, *form.components]
    chosen = form.call(shelf.show_recording_of)
    method.chosen(chosen, [*form.components, filled], shown, trigger_mode="always_last", **POSTED)
    # a run makes its settings the reader's own: the next method is asked to continue the same words
    gr.on(begins, lambda: {}, None, filled, **HIDDEN)
    _connect_run(form, begins, run, stop, message, player)
    exports.offer_link(form, make_link)
    opened = player.open_run(shelf.open_run, None, shown, **HIDDEN)
    for over in (opened.then, opened.failure):  # a server that does not answer is a failure alone
        over(None, None, None, js=on_page("runOpened"), **HIDDEN)
    _connect_what_if(player, form, message)
    # status on one line only: Gradio would renew that of every control with each message of a run
    linked = page.load(
        of_address(follow), None, [message, player, *form.components], show_progress_on=[message], **HIDDEN
    )
    linked.then(None, None, None, js=on_page("linkFollowed"), **HIDDEN)
    return Stage([player, tabs], [message, filled, *form.components], shelf.open_in_watch)


def _connect_what_if(player: gr.HTML, form: Controls[WatchForm], message: gr.HTML) -> None:
    """Answer what a run would have done with another token."""
    branched = player.what_if(
        what_if.ask,
        [player, *form.some("pair", "target", "draft")],
        [player, message],
        concurrency_limit=1,
        concurrency_id="compute",
        **HIDDEN,
    )
    for over in (branched.then, branched.failure):
        over(None, None, None, js=on_page("branched"), **HIDDEN)


def _connect_run(
    form: Controls[WatchForm], begins: list[Any], run: gr.Button, stop: gr.Button, message: gr.HTML, player: gr.HTML
) -> None:
    request = gr.State(None)  # the form as it was when Run was pressed
    clock = gr.Timer(1, active=False)  # looks up the place in the queue
    gr.on(begins, None, None, None, js=on_page("expectRun"), **HIDDEN)
    # In Gradio's queue, though it is over at once: an error outside it would not be shown.
    lined_up = gr.on(
        begins,
        form.call(ask),
        form.components,
        [request, run, stop, message, clock, player],
        concurrency_limit=None,
        **POSTED,
    )
    running = lined_up.success(
        watch,
        request,
        [player, message],
        concurrency_limit=1,
        concurrency_id="compute",
        show_progress="hidden",
        api_visibility="private",
    )
    for over in (lined_up.failure, running.then, running.failure):  # one that was not taken in is a failure alone
        over(None, None, None, js=on_page("relentRun"), **HIDDEN)
    for over in (running.then, running.failure):
        over(buttons_after, None, [run, stop], **HIDDEN)
    stop.click(None, None, message, js=STOPPING, **HIDDEN)
    stopped = stop.click(stop_run, None, [run, stop, message], queue=False, **HIDDEN)
    # an event that waits in Gradio's queue is over only when its turn has come
    stopped.then(None, message, None, js=on_page("stopped"), **HIDDEN)
    clock.tick(queue_message, None, [message, clock], queue=False, **HIDDEN)


def _prompt_field() -> gr.Textbox:
    return gr.Textbox(
        label=word("prompt"),
        show_label=False,
        placeholder=word("prompt_hint"),
        lines=1,
        max_lines=6,
        elem_id="prompt",
    )


def _settings(method: gr.HTML, prompt: gr.Textbox, first: WatchForm) -> dict[str, Component]:
    """Return the form's fields in the drawer, below what the method does."""
    about = notice(method_note(first.method), elem_id="about-method")
    method.change(lambda chosen: say(method_note(chosen)), method, about, **HIDDEN)
    options = option_sliders(method, elem_id="watch-options")
    offered = dict(list(offered_prompts().items())[:MOST_TO_TRY])
    gr.Examples(
        [[text] for text in offered.values()],
        [prompt],
        example_labels=list(offered),
        label=word("prompts_to_try"),
        elem_id="examples",
        api_visibility="private",
    )
    with gr.Row():
        tokens = tokens_slider(MOST_TOKENS, first.tokens)
        seed = gr.Number(0, precision=0, minimum=0, label=word("field_seed"), info=word("field_seed_info"))
        temperature = temperature_slider(elem_id="temperature")
    pair = pair_field("pair", first.pair)
    install_button(pair)
    models = model_fields(pair) | {"drafter": drafter_field("drafter")}
    with gr.Accordion(word("penalties"), open=False, elem_id="penalties"):
        with gr.Row():
            limits = truncation_sliders()
        limits |= penalty_controls() | _text_fields()
    first_fields = {"tokens": tokens, "seed": seed, "temperature": temperature, "options": options}
    return first_fields | models | limits


def _text_fields() -> dict[str, Component]:
    """Return the fields that bound what is written: allowed texts, a grammar, stop strings."""
    hint = word("allowed_texts_hint")
    return {
        "allow": _text_field("allowed_texts", ALLOWED_LIMIT, placeholder=hint, lines=2, elem_id="allow"),
        "grammar": _text_field("grammar", LONGEST, placeholder=hint, elem_id="grammar"),
        "stop": _text_field("stop_strings", ALLOWED_LIMIT, elem_id="stop-strings"),
    }


def _text_field(key: str, most: int, **looks: Any) -> gr.Textbox:
    return gr.Textbox("", label=word(key), info=word(f"{key}_info"), max_lines=6, max_length=most, **looks)


def make_link(form: WatchForm) -> str:
    """Return the query string for this form.

    Raises:
        PlaygroundError: if it would be too long.
    """
    return form.link(WatchForm(method=UNSAID_METHOD))


def follow(query: Mapping[str, str]) -> list[Any]:
    """Set the controls as an address asks, and show the method's recording; (message, player, *controls)."""
    try:
        values = WatchForm.read_link(query) if is_for("watch", query) else {}
        wrong = WatchForm.wrong_in_link(query) if is_for("watch", query) else []
    except PlaygroundError as error:
        return [complain(error), gr.skip(), *WatchForm.updates()]
    if not values:
        message = complain(word("watch_error_link", wrong=listed(wrong))) if wrong else gr.skip()
        return [message, gr.skip(), *WatchForm.updates()]
    values = vars(WatchForm(method=UNSAID_METHOD)) | values
    path = shelf.recording_of(values["method"])
    shown = shelf.shown_recording(path) if path else gr.skip()
    unknown = WatchForm.unknown_in_link(query)
    message = set_up("Run", wrong, unknown if unknown == wrong else [])
    return [message, shown, *WatchForm.updates(values)]
