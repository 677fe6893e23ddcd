"""Runs on the shelf: those kept with the page, traces opened from files, and files and links to take along."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import gradio as gr

from playground.errors import PlaygroundError
from playground.trace import Trace, load
from playground.ui.page.controls import HIDDEN
from playground.ui.page.drawn_panel import ASSETS
from playground.ui.page.files import read_trace, write_file, write_forest, write_page, write_trace
from playground.ui.page.messages import complain, say
from playground.ui.page.take_away import TakeAway, take_away
from playground.ui.watch.player_panel import recorded_value


def build(player: gr.HTML) -> TakeAway:
    """Lay it out below the player and connect it; gives the fields for a link, which belongs to the form."""
    with gr.Accordion("Recorded runs, files and links", open=False, elem_id="files"):
        with gr.Row(equal_height=False, elem_classes="low-row"):
            gallery = gr.Dropdown(
                list(recordings()), value=None, label="Recorded run", info="Real runs, kept with the page."
            )
            upload = gr.UploadButton(
                "Open a trace (JSON)", file_types=[".json", ".gz"], elem_id="open-trace", size="md"
            )
        with gr.Row(elem_classes="low-row"):
            save_trace = gr.Button("Save the trace (JSON)", elem_id="save-trace", size="md")
            save_page = gr.Button("Save as a page (HTML)", elem_id="save-page", size="md")
            save_forest = gr.Button("Save a round's forest (GraphML)", elem_id="save-forest", size="md")
            forest_round = gr.Number(1, precision=0, minimum=1, label="Round", min_width=80)
        taken = take_away(
            "",
            what="setup",
            info="Prompt, models, method, options, sampling and seed. Whoever opens it only has to press Run.",
        )
    gallery.input(show_recording, gallery, [player, taken.message], **HIDDEN)
    upload.upload(open_trace, upload, [player, taken.message], **HIDDEN)
    taken.offer_file(save_trace, partial(save, write_trace), [player])
    taken.offer_file(save_page, partial(save, write_page), [player])
    taken.offer_file(save_forest, partial(save, write_forest), [player, forest_round])
    return taken


@cache
def recordings() -> dict[str, Path]:
    """The files of the runs kept with the page, by title; the one shown first comes first."""
    index = json.loads((ASSETS / "traces" / "index.json").read_text())
    return {entry["title"]: ASSETS / "traces" / entry["file"] for entry in index}


def first_recording() -> Trace:
    """The run that plays when the page is opened."""
    return load(next(iter(recordings().values())))


def show_recording(title: str) -> tuple[Any, Any]:
    """Show a run that is kept with the page; (player, message)."""
    return recorded_value(load(recordings()[title])), say(f"{title}: it is in the player above.")


def open_trace(path: str) -> tuple[Any, Any]:
    """Show a trace file; a damaged one is refused and leaves the page as it is. (player, message)"""
    try:
        trace = read_trace(path)
    except PlaygroundError as error:
        return gr.skip(), complain(str(error))
    return recorded_value(trace), say(f"Opened {Path(path).name}. It is in the player above.")


def save(write: Callable[..., Path], value: dict[str, Any], *extra: Any) -> tuple[Any, Any]:
    """Write what the player shows into a file; (download, message)."""
    try:
        path = write_file(write, value, *extra)
    except (PlaygroundError, OSError) as error:
        return gr.DownloadButton(value=None), complain(f"Nothing was saved. {error}")
    return gr.DownloadButton(value=str(path)), say(f"Saved {path.name}.")
