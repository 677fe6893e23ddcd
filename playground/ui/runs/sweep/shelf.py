"""Sweeps on the shelf: the one that this browser left, one from files or a link, and files and links to take along."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import gradio as gr

from playground.errors import PlaygroundError
from playground.ui.page.controls import HIDDEN
from playground.ui.page.drawn_panel import with_json
from playground.ui.page.form import Controls
from playground.ui.page.links import TAB, is_for, sets_nothing_up
from playground.ui.page.messages import complain, say, set_up
from playground.ui.page.prompt_chooser import refuse_file
from playground.ui.page.take_away import TakeAway, take_away
from playground.ui.runs.sweep import saved_sweep as saved_sweeps
from playground.ui.runs.sweep.panel import sweep_value
from playground.ui.runs.sweep.saved_sweep import SavedSweep, refuse_change, write_csv, write_jsonl
from playground.ui.runs.sweep.setup import SweepForm, form_of, sweep_setup
from playground.words import paragraph, word


def last_sweep() -> gr.BrowserState:
    """Return the id of this browser's last sweep, kept outside of the tabs: an unopened tab has no values.

    The "secret" guards nothing: the id is the browser's own, and has to be read after the server's restart, too.
    """
    return gr.BrowserState(None, storage_key="playground-sweep", secret="playground")


def build(form: Controls[SweepForm], shown: list[Any], saved_sweep: gr.State) -> TakeAway:
    """Lay out the shelf of saved sweeps below the sweep, and connect it.

    Args:
        form: what a link leads to, and is set to the grid of a sweep that is opened.
        shown: [sweep, its id for the browser, panel, message, Resume], as they are set by one that is opened.
        kept: the sweep on the page.
    """
    with gr.Accordion(word("files_and_link"), open=False, elem_id="sweep-files"):
        with gr.Row(elem_classes="low-row"):
            save_csv = gr.Button(word("save_rows"), size="md")
            save_jsonl = gr.Button(word("save_sweep"), size="md")
            upload = gr.UploadButton(
                word("open_sweep"),
                file_types=[".jsonl", ".json"],
                file_count="multiple",
                elem_id="sweep-open",
                size="md",
            )
        gr.Markdown(word("sweep_files_info"), elem_classes="sweep-hint")
        exports = take_away("sweep-", what="grid", press="sweep")
    exports.offer_file(save_csv, write_csv, [saved_sweep])
    exports.offer_file(save_jsonl, write_jsonl, [saved_sweep])
    exports.offer_link(form, make_link)
    upload.upload(with_json(open_sweep, 3), upload, [exports.message, *shown, *form.components], **HIDDEN)
    return exports


def make_link(form: SweepForm) -> str:
    """Return the query string for this form; options of methods that are not chosen are left out.

    Raises:
        PlaygroundError: if it cannot be swept, or not be in a link.
    """
    sweep_setup(form)
    refuse_file(form)
    options = {name: form.options_of(name) for name in form.methods}
    return replace(form, options=options).link(SweepForm(), **{TAB: "sweep"})


def read_link(query: Mapping[str, str]) -> SweepForm | None:
    """Return the form that a link asks for; None if it is for another tab.

    Raises:
        PlaygroundError: if it asks for what does not exist or cannot be swept.
    """
    if not is_for("sweep", query):
        return None
    form = SweepForm(**SweepForm.read_link(query))
    sweep_setup(form)
    return form


def open_sweep(paths: Sequence[str]) -> list[Any]:
    """Show a sweep's file and set the form to its grid; one that is damaged leaves the page as it is.

    Returns:
        (message about the file, sweep, id, panel, message, Resume, *controls).
    """
    try:
        saved_sweep = saved_sweeps.open_files(paths)
    except PlaygroundError as error:
        return [complain(error), *(gr.skip() for _ in range(5)), *SweepForm.updates()]
    about = say(word("sweep_opened", name=Path(paths[0]).name, done=len(saved_sweep.rows), count=saved_sweep.total))
    return [about, *_taken_up(saved_sweep)]


def arrive(query: Mapping[str, str], id: str | None) -> list[Any]:
    """Set up a page opened by a link or as it was left; (sweep, id, panel, message, Resume, *controls)."""
    nothing = gr.skip()
    try:
        form = None if sets_nothing_up(query) else read_link(query)
    except PlaygroundError as error:
        return [nothing, nothing, nothing, complain(error), nothing, *SweepForm.updates()]
    saved_sweep = saved_sweeps.find(id)
    if form is not None and not (
        saved_sweep and _sets_up(form, saved_sweep)
    ):  # a page that is loaded again has such an address
        message = set_up("Sweep", SweepForm.wrong_in_link(query))
        return [nothing, nothing, nothing, message, nothing, *form.filled_in()]
    if saved_sweep is None:
        return [*(nothing for _ in range(5)), *SweepForm.updates()]
    return _taken_up(saved_sweep, word("sweep_last"))


def _sets_up(form: SweepForm, saved_sweep: SavedSweep) -> bool:
    """Return whether this is the form of that sweep."""
    try:
        refuse_change(saved_sweep, sweep_setup(form))
    except PlaygroundError:
        return False
    return True


def _taken_up(saved_sweep: SavedSweep, before: str = "") -> list[Any]:
    """Show a sweep that was found again; (sweep, id, panel, message, Resume, *controls)."""
    try:
        controls, message = form_of(saved_sweep.grid).filled_in(), say(before, what_is_there(saved_sweep))
    except (PlaygroundError, OSError) as error:  # the form's prompts are a file, and the disk may be full
        controls, message = (
            SweepForm.updates(),
            complain(paragraph(before, error.args[0] if isinstance(error, PlaygroundError) else str(error))),
        )
    return [
        saved_sweep,
        saved_sweep.id,
        sweep_value(saved_sweep),
        message,
        gr.Button(interactive=not saved_sweep.is_whole),
        *controls,
    ]


def what_is_there(saved_sweep: SavedSweep) -> str:
    """Return the number of runs of a sweep that was found again."""
    if saved_sweep.is_whole:
        return word("sweep_is_whole", count=saved_sweep.total)
    return word("sweep_is_partial", done=len(saved_sweep.rows), count=saved_sweep.total)
