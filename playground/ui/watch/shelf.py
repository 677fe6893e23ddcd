"""Runs on the shelf: those kept with the page, traces opened from files, and files and links to take along."""

import shlex
import uuid
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, cast

import gradio as gr

from playground.errors import PlaygroundError
from playground.paths import ASSETS
from playground.trace import load
from playground.trace.invariants import load_valid
from playground.ui.contract.from_page import OpenRun
from playground.ui.contract.to_page import Line, PlayerValue
from playground.ui.live import turns
from playground.ui.page.controls import HIDDEN
from playground.ui.page.drawn_panel import heard, on_page
from playground.ui.page.files import write_forest, write_page, write_trace
from playground.ui.page.form import Controls
from playground.ui.page.messages import complain, say
from playground.ui.page.model_chooser import pair_of_opening
from playground.ui.page.stage import RunOfTab
from playground.ui.page.take_away import TakeAway, take_away
from playground.ui.recorded import index, opening_of, tried
from playground.ui.watch.form import WatchForm
from playground.ui.watch.player_panel import recorded_value
from playground.ui.watch.turn import link_parts
from playground.views.plain_beside import clocks
from playground.words import word


def build(player: gr.HTML, form: Controls[WatchForm], filled: gr.State) -> TakeAway:
    """Lay it out and connect it; gives the fields for a link, which belongs to the form.

    Args:
        player: shows what is chosen here.
        form: is set as a run of the shelf was made.
        filled: what a recording has put into the form, by field, which another recording may replace.
    """
    gallery = gr.Dropdown(list(recordings()), value=None, label=word("recorded_run"))
    upload = gr.UploadButton(word("open_trace"), file_types=[".json", ".gz"], elem_id="open-trace", size="md")
    with gr.Row():
        save_trace = gr.Button(word("save_trace"), elem_id="save-trace", size="md", min_width=200)
        save_page = gr.Button(word("save_page"), elem_id="save-page", size="md", min_width=200)
    with gr.Row(elem_classes="low-row"):
        save_forest = gr.Button(word("save_forest"), elem_id="save-forest", size="md", scale=2)
        forest_round = gr.Number(1, precision=0, minimum=1, label=word("forest_round"), min_width=80)
    exports = take_away("", what="setup", press="run")
    shown = [player, exports.message, filled, *form.components]
    # Gradio reports a choice twice as an input: the second answer would restart a run that the reader steps through
    gallery.select(choose_recording, None, shown, trigger_mode="multiple", **HIDDEN)
    upload.upload(open_trace, upload, [player, exports.message], **HIDDEN)
    exports.offer_file(save_trace, write_trace, [player])
    language = gr.Textbox(visible=False)  # The browser puts in the page's language.
    exports.offer_file(save_page, write_page, [player, language], js=on_page("withLanguage"))
    exports.offer_file(save_forest, write_forest, [player, forest_round])
    return exports


@cache
def recordings() -> dict[str, Path]:
    """Return the files of the runs kept with the page, by title."""
    return {entry["title"]: ASSETS / "traces" / entry["file"] for entry in index()}


def recording_of(method: str) -> Path | None:
    """Return the run of this method that is kept with the page: the opening one where it is of it, else the first."""
    begin = f"--method {method} "
    runs = [recordings()[entry["title"]] for entry in index() if entry["run"].startswith(begin)]
    return _first() if _first() in runs else next(iter(runs), None)


def first_recording() -> PlayerValue:
    """Return the player's value when the page is opened."""
    return shown_recording(_first())


def _first() -> Path:
    """Return the real chat model's opening run where the page opens on it, else the first run of the list."""
    opening = opening_of(pair_of_opening())
    return next(path for path in recordings().values() if _name(path) == opening)


def choose_recording(request: gr.Request, event: gr.SelectData) -> list[Any]:
    """Show the run with this title, which a program may spell as it likes, and set the form as it was made.

    Returns:
        (player, message, filled, *controls).
    """
    title = str(event.value)
    try:
        turns.refuse_beside_a_run(request.session_hash or "")
        if title not in recordings():
            raise PlaygroundError(word("watch_error_no_run"))
    except PlaygroundError as error:
        return [gr.skip(), complain(error), gr.skip(), *WatchForm.updates()]
    return _on_stage(recordings()[title], say(word("notice_on_stage", title=title), word("options_set")))


def _on_stage(path: Path, message: Line) -> list[Any]:
    settings = settings_of(path)
    return [shown_recording(path), message, settings, *WatchForm.updates(settings)]


def settings_of(path: Path) -> dict[str, object]:
    """Return the form's values for a run that is kept with the page, by field."""
    return dict(vars(_form_of(path)))


@cache
def _form_of(path: Path) -> WatchForm:
    words = shlex.split(next(entry["run"] for entry in index() if entry["file"] == path.name))
    named = {name: words[words.index("--" + name) + 1] for name in ("pair", "drafter") if "--" + name in words}
    form = WatchForm.of_run(load(path).started, **named)
    if "--chat" in words:  # the trace has the whole turn
        return replace(form, prompt=words[words.index("--prompt") + 1], chat=True)
    return form


def opening() -> WatchForm:
    """Return the form when the page is opened: Run makes the run on the stage again."""
    return _form_of(_first())


def open_in_watch(request: gr.Request, find: Callable[[], RunOfTab]) -> tuple[Any, ...]:
    """Show a run of another tab with the form set as it was made; what `find` refuses is said in that tab.

    Returns:
        (player, tabs, message there, and of Watch message, filled, *controls).
    """
    try:
        turns.refuse_beside_a_run(request.session_hash or "")
        run = find()
    except PlaygroundError as error:
        return gr.skip(), gr.skip(), complain(error), gr.skip(), gr.skip(), *WatchForm.updates()
    models = dict(zip(("pair", "target", "draft"), run.models, strict=True))
    form = WatchForm.of_run(run.trace.started, **models, drafter=run.drafter)
    shown = recorded_value(run.trace, link=link_parts(form)) | {"made_here": run.made_here}
    return shown, gr.Tabs(selected="watch"), run.notice, run.message, vars(form), *WatchForm.updates(vars(form))


def show_recording_of(request: gr.Request, form: WatchForm, filled: dict[str, Any]) -> list[Any]:
    """Show the recording of a chosen method, unless a run of this page goes on.

    Args:
        request: of the session that chose.
        form: with the method that was chosen.
        filled: what recordings have put into the form before, by field; empty once a run was made of it.

    Returns:
        (player, message, filled, *controls): the form is set as the recording was made, and what a reader has chosen
        otherwise stays.
    """
    if turns.is_asked(request.session_hash or ""):
        return [gr.skip(), gr.skip(), gr.skip(), *WatchForm.updates()]
    path = recording_of(form.method)
    if path is None:
        return [gr.skip(), say(word("notice_no_recording")), gr.skip(), *WatchForm.updates()]
    settings = _unless_chosen(settings_of(path), form, filled)
    return [shown_recording(path), say(""), filled | settings, *WatchForm.updates(settings)]


def _unless_chosen(settings: dict[str, Any], form: WatchForm, filled: dict[str, Any]) -> dict[str, object]:
    """Those of a recording's settings in whose place the form still has what a recording has put there."""
    unchanged = {
        name: value for name, value in settings.items() if name in filled and getattr(form, name) == filled[name]
    }
    for name in ("method", "options"):
        unchanged.pop(name, None)
    if "options" in filled and form.options_of(form.method) == filled["options"].get(form.method, {}):
        unchanged["options"] = (form.options or {}) | settings["options"]
    return unchanged


def open_run(request: gr.Request, event: gr.EventData) -> list[Any]:
    """Show the run that a link names, or the first one. (player, message, filled, *controls)"""
    name = heard(event, OpenRun).run
    if turns.is_asked(request.session_hash or ""):
        return [gr.skip(), gr.skip(), gr.skip(), *WatchForm.updates()]
    paths = {_name(path): path for path in recordings().values()}
    return _on_stage(paths.get(name, _first()), say(""))


def shown_recording(path: Path) -> PlayerValue:
    """Return the player's value for a run that is kept with the page: one that is shown again starts over."""
    return {**_kept_value(path), "run": uuid.uuid4().hex}


@cache
def _kept_value(path: Path) -> PlayerValue:
    trace = load(path)
    lengths = [(row["draft_length"], row["ratio"]) for row in tried(_name(path))]
    shown = recorded_value(trace, link={"run": _name(path)})
    return cast("PlayerValue", {**shown, **clocks(_name(path), trace), "tried": lengths or None})


def _name(path: Path) -> str:
    return path.name.partition(".")[0]


def open_trace(request: gr.Request, path: str) -> tuple[Any, Any]:
    """Show a trace file; a damaged one is refused and leaves the page as it is. (player, message)"""
    try:
        turns.refuse_beside_a_run(request.session_hash or "")
        trace = load_valid(path)
    except PlaygroundError as error:
        return gr.skip(), complain(error)
    return recorded_value(trace), say(word("notice_opened", name=Path(path).name))
