"""The Sweep tab: a grid of settings, run one after the other, and what no other setting beats."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from playground.bench.grid import count_runs
from playground.decoding.method import find_method, methods
from playground.errors import PlaygroundError
from playground.ui.page.controls import chosen_models, method_choices
from playground.ui.page.links import is_for, sets_nothing_up
from playground.ui.page.messages import STOPPING, complain, notice, say
from playground.ui.page.model_chooser import choose_pair, other_models, pair_field
from playground.ui.page.prompt_chooser import choose_source, prompt_chooser
from playground.ui.race.progress import race_progress, stand_still
from playground.ui.race.setup import MOST_TOKENS
from playground.ui.race.turn import place_in_queue
from playground.ui.sweep import kept as sweep_kept
from playground.ui.sweep import pace as sweep_pace
from playground.ui.sweep.kept import Kept, write_csv, write_jsonl
from playground.ui.sweep.link import make_link, read_link
from playground.ui.sweep.names import setting_names
from playground.ui.sweep.panel import sweep_panel, sweep_value
from playground.ui.sweep.ready import READY
from playground.ui.sweep.setup import (
    NAMES,
    controls_of,
    models_of,
    num_settings,
    option_names,
    sweep_setup,
    values_in_order,
)
from playground.ui.sweep.turn import Ticket, ask_new, ask_on, buttons, rest, run_sweep, stop_sweep, told_of
from playground.ui.sweep.values import written
from playground.ui.sweep.watch import run_of
from playground.ui.watch.player_panel import recorded_value
from playground.ui.watch.take_away import take_away

NONE_YET = "There is no sweep yet: press Sweep first."
NONE_WORKS = "Choose one or more methods, or a ready-made grid."
_OPENING = "() => ({text: 'Opening the run ...', kind: 'quiet'})"


def last_sweep() -> gr.BrowserState:
    """The id of this browser's last sweep. It stands outside of the tabs: in one that was never opened it has no value.

    The "secret" guards nothing: the id is the browser's own, and has to be read after the server's restart, too.
    """
    return gr.BrowserState(None, storage_key="playground-sweep", secret="playground")


def build(page: gr.Blocks, tabs: gr.Tabs, tab: gr.Tab, player: gr.HTML, stored: gr.BrowserState) -> None:
    """Lay the tab out and connect it.

    Args:
        page: the whole page, for its links.
        tabs: to turn to Watch, where
        tab: this one, which says how long the grid takes when it is opened.
        player: shows a run of the sweep.
        stored: from `last_sweep`.
    """
    first = dict(zip([*NAMES, "file", *option_names()], values_in_order(READY[0].values), strict=True))
    with gr.Row(equal_height=True, elem_id="sweep-ask"):
        with gr.Column(scale=9, min_width=280, elem_id="sweep-lineup"):
            chosen = gr.Dropdown(
                method_choices(),
                value=first["methods"],
                multiselect=True,
                label="Methods",
                info="Each runs with every combination of its options' values, on every prompt and seed.",
                elem_id="sweep-methods",
            )
            with gr.Row(elem_id="sweep-ready"):
                gr.Markdown("Ready-made:", elem_id="sweep-ready-label", container=False)
                ready_buttons = [gr.Button(ready.title, size="sm", min_width=60) for ready in READY]
        with gr.Column(scale=1, min_width=110, elem_id="sweep-run-column"):
            start = gr.Button("Sweep", variant="primary", elem_id="sweep")
            resume = gr.Button("Resume", interactive=False, elem_id="sweep-resume")
            stop = gr.Button("Stop", interactive=False, elem_id="sweep-stop")
    options: dict[tuple[str, str], gr.Textbox] = {}
    option_rows = []
    with gr.Accordion("Values of the options", open=True, elem_id="sweep-options"):
        gr.Markdown("One value or several: `4` or `1, 2, 4` or `1..8`.", elem_classes="sweep-hint")
        for name, method in methods().items():
            with gr.Row(visible=_is_shown(name, first["methods"]), elem_classes="sweep-method") as row:
                gr.Markdown(f"**{method.title}**", elem_classes="sweep-method-name")
                for item in fields(method.Options):
                    options[name, item.name] = _field(item, first[name, item.name])
            option_rows.append(row)
    source, typed, preset, file, num_prompts = prompt_chooser(
        "sweep",
        info="Every setting runs on the same ones.",
        preset=first["set"],
        typed="",
        num_prompts=first["prompts"],
    )
    with gr.Accordion("Sampling, seeds and models", open=False, elem_id="sweep-settings"):
        gr.Markdown("These can have several values too; all methods share them.", elem_classes="sweep-hint")
        with gr.Row():
            temperature = gr.Textbox(first["temperature"], label="Temperature", info="0 takes the likeliest token.")
            top_k = gr.Textbox(first["top_k"], label="Top-k", info="Only the k likeliest tokens. 0 is off.")
            top_p = gr.Textbox(first["top_p"], label="Top-p", info="The likeliest up to this mass. 1 is off.")
            tokens = gr.Textbox(first["tokens"], label="New tokens (at most)", info=f"1 to {MOST_TOKENS}.")
            seeds = gr.Textbox(first["seeds"], label="Seeds", info="Every setting runs with each.")
        pair = pair_field()
        models_row, target, draft = other_models()
    plan = notice(elem_id="sweep-plan")
    message = race_progress("", elem_id="sweep-notice")
    panel = sweep_panel()
    with gr.Accordion("Files and link", open=False, elem_id="sweep-files"):
        with gr.Row(elem_classes="low-row"):
            save_csv = gr.Button("Save the rows (CSV)", size="md")
            save_jsonl = gr.Button("Save the sweep (JSONL)", size="md")
            upload = gr.UploadButton(
                "Open a sweep (JSONL)",
                file_types=[".jsonl", ".json"],
                file_count="multiple",
                elem_id="sweep-open",
                size="md",
            )
        gr.Markdown(
            "A saved sweep opens here again, whole or to be resumed. Of a folder that `python -m playground sweep` has "
            "written, choose `sweep.json` and `rows.jsonl` together. Each chart has buttons of its own.",
            elem_classes="sweep-hint",
        )
        taken = take_away(
            "sweep-",
            what="grid",
            info="Methods, options, prompts, models, sampling and seeds. Whoever opens it only has to press Sweep.",
        )
    kept = gr.State(None)
    ticket = gr.State(Ticket())  # changes when a sweep was asked for and may line up
    clock = gr.Timer(1, active=False)  # looks up the place in the queue

    plain = [chosen, source, typed, preset, num_prompts, pair, target, draft, tokens, seeds, temperature, top_k, top_p]
    controls = [*plain, file, *options.values()]
    hidden: Any = {"show_progress": "hidden", "api_visibility": "private"}

    for ready, button in zip(READY, ready_buttons, strict=True):
        button.click(
            lambda ready=ready: [say(ready.question), *values_in_order(ready.values)],
            None,
            [message, *controls],
            **hidden,
        )
    chosen.change(
        lambda names: [gr.Row(visible=_is_shown(name, names)) for name in methods()], chosen, option_rows, **hidden
    )
    source.change(choose_source, source, [preset, typed, file, num_prompts], **hidden)
    pair.change(choose_pair, pair, [pair, models_row], **hidden)
    gr.on(
        [tab.select, *(control.change for control in controls)],
        tell_plan,
        controls,
        plan,
        trigger_mode="always_last",
        **hidden,
    )

    def sweep_this(request: gr.Request, ticket: Ticket, kept: Kept | None, *values: Any) -> Iterator[tuple[Any, ...]]:
        yield from run_sweep(ticket, kept, values, request.session_hash or "")

    asked = [start, resume, stop, message, ticket, clock]
    for button, lines_up in ((start, ask_new), (resume, ask_on)):
        # in the queue, where a changed state is noticed, but not in the line for the device
        button.click(lines_up, [ticket, kept, *controls], asked, concurrency_limit=None, **hidden)
        button.click(None, None, None, js=stand_still("sweep-notice"), **hidden)
    sweeping = ticket.change(
        sweep_this,
        [ticket, kept, *controls],
        [panel, message, kept, stored, clock],
        concurrency_limit=1,
        concurrency_id="compute",
        **hidden,
    )
    sweeping.then(rest, kept, [start, resume, stop], **hidden)
    sweeping.then(tell_plan, controls, plan, **hidden)  # the machine is better known now
    stop.click(None, None, message, js=STOPPING, **hidden)
    stop.click(stop_sweep, kept, [start, resume, stop, message, clock], queue=False, **hidden)
    clock.tick(place_in_queue, None, message, queue=False, **hidden)

    panel.watch_run(None, None, message, js=_OPENING, **hidden)
    panel.watch_run(watch_run, kept, [player, tabs, message], concurrency_limit=2, **hidden)
    for button, write in ((save_csv, write_csv), (save_jsonl, write_jsonl)):
        taken.offer_file(button, partial(save, write), [kept])
    opened = [kept, stored, panel, message, taken.message, resume, *controls]
    upload.upload(open_sweep, upload, opened, **hidden)
    taken.offer_link(link_to, controls)

    def arrive(request: gr.Request, id: str | None) -> list[Any]:
        return arrived(dict(request.query_params), id)

    page.load(arrive, stored, [tabs, message, kept, panel, resume, *controls], show_progress_on=[message], **hidden)


def tell_plan(*values: Any) -> dict[str, str]:
    """What a sweep of these would be and how long it would take, or what is wrong with it."""
    try:
        grid = sweep_setup(*values)
    except PlaygroundError as error:
        return say(NONE_WORKS) if not values[0] else complain(str(error))
    except (TypeError, ValueError):  # a field was emptied
        return say("")
    parts = [(num_settings(grid), "setting"), (len(grid.prompts), "prompt"), (len(grid.seeds), "seed")]
    counted = " × ".join(f"{number} {noun}{'' if number == 1 else 's'}" for number, noun in parts)
    num_runs = count_runs(grid)
    return say(f"{counted}: {num_runs} run{'' if num_runs == 1 else 's'}. {sweep_pace.roughly(grid)}")


def watch_run(kept: Kept | None, event: gr.EventData) -> tuple[Any, Any, Any]:
    """Open a point's run in the Watch tab; (player, tabs, message)."""
    try:
        if kept is None:
            raise PlaygroundError("That sweep is not there any more. Reload the page.")
        number = (event._data or {}).get("run")
        trace, told = run_of(kept, number, partial(chosen_models, *models_of(kept.grid)))
    except PlaygroundError as error:
        return gr.skip(), gr.skip(), complain(str(error))
    row = next(row for row in kept.rows if row["run"] == number)
    name = f"Run {number}, {setting_names(row)['title']}, prompt {row['prompt']}, seed {row['seed']}"
    return recorded_value(trace) | {"made_here": True}, gr.Tabs(selected="watch"), say(f"{name}, is in Watch. {told}")


def save(write: Callable[[Kept], Path], kept: Kept | None) -> tuple[Any, Any]:
    """Write the sweep into a file; (download, message)."""
    if kept is None or not kept.rows:
        return gr.DownloadButton(value=None), complain(f"Nothing was saved. {NONE_YET}")
    try:
        path = write(kept)
    except OSError as error:
        return gr.DownloadButton(value=None), complain(f"Nothing was saved: {error.strerror}. Make room on the server.")
    return gr.DownloadButton(value=str(path)), say(f"Saved {path.name}: {len(kept.rows)} of {kept.total} runs.")


def open_sweep(paths: Sequence[str]) -> list[Any]:
    """Show a sweep's file and set the controls to its grid; one that is damaged leaves the page as it is."""
    try:
        kept = sweep_kept.open_files(paths)
    except PlaygroundError as error:
        return [*(gr.skip() for _ in range(4)), complain(str(error)), gr.skip(), *_untouched()]
    controls, told = _taken_up(kept)
    about = say(f"Opened {Path(paths[0]).name}: {len(kept.rows)} of {kept.total} runs.")
    return [kept, kept.id, sweep_value(kept), told, about, buttons(running=False, kept=kept)[1], *controls]


def link_to(*values: Any) -> tuple[str, Any]:
    """(query, message) for these controls."""
    try:
        return make_link(values), say("The link is ready to copy.")
    except PlaygroundError as error:
        return "", complain(str(error))


def arrived(query: dict[str, str], id: str | None) -> list[Any]:
    """A page was opened: (tabs, message, sweep, panel, Resume, *controls), by its link or as this browser left it."""
    nothing = gr.skip()
    here = gr.Tabs(selected="sweep") if is_for("sweep", query) else nothing
    try:
        asked = None if sets_nothing_up(query) else read_link(query)
    except PlaygroundError as error:
        return [here, complain(str(error)), nothing, nothing, nothing, *_untouched()]
    if asked is not None:
        told = say("Set up by the link. Press Sweep.")
        return [here, told, nothing, nothing, nothing, *values_in_order(asked)]
    kept = sweep_kept.find(id)
    if kept is None:
        return [here, *(nothing for _ in range(4)), *_untouched()]
    controls, told = _taken_up(kept)
    told = told | {"text": f"Your last sweep is kept. {told['text']}"}
    return [here, told, kept, sweep_value(kept), buttons(running=False, kept=kept)[1], *controls]


def _taken_up(kept: Kept) -> tuple[list[Any], dict[str, str]]:
    """The controls' values for a sweep that was found again, and what is there of it."""
    try:
        return values_in_order(controls_of(kept.grid)), told_of(kept)
    except PlaygroundError as error:
        return _untouched(), complain(str(error))


def _untouched() -> list[Any]:
    return [gr.skip() for _ in range(len(NAMES) + 1 + len(option_names()))]


def _is_shown(name: str, chosen: Sequence[str] | None) -> bool:
    return name in (chosen or []) and bool(fields(find_method(name).Options))


def _field(item: Any, value: str) -> gr.Textbox:
    about = item.metadata
    unit = f" ({about['unit']})" if about["unit"] else ""
    return gr.Textbox(
        value,
        label=about["label"] + unit,
        info=f"{about['help']} {written((about['min'],))} to {written((about['max'],))}.",
        max_lines=1,
        max_length=200,
        min_width=180,
        elem_classes="sweep-option",
    )
