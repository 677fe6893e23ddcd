"""Files for the reader: a trace, a page that plays it, a round's forest. And reading a trace back."""

import json
import math
import re
from pathlib import Path

from playground.errors import PlaygroundError
from playground.files import write_file
from playground.trace import Trace, from_json, save
from playground.trace.storage import SUFFIX
from playground.ui.contract.to_page import PlayerValue
from playground.ui.served.taken_along import folder_to_take
from playground.views.forest import existing_round, forest_graph, graphml_of
from playground.views.standalone import ENGLISH, standalone_html
from playground.words import word


def shown_trace(value: PlayerValue) -> Trace:
    """Return the trace that a player shows, from the player's own value: view and file are the same data.

    Raises:
        PlaygroundError: if there is none, or it is damaged.
    """
    if value.get("first"):
        raise PlaygroundError(word("watch_error_goes_on"))
    events = [event for chunk in value["chunks"] for event in json.loads(chunk)]
    if not events:
        raise PlaygroundError(word("watch_error_nothing_here"))
    text = json.dumps({"format": value["format"], "version": value["version"], "events": events})
    return from_json(text, word("watch_error_run_here"))


def write_trace(value: PlayerValue) -> Path:
    """Return the trace that a player shows as JSON under gzip; like its pages and forests, named by what is in it."""
    trace = shown_trace(value)
    path = _new_file(trace, SUFFIX)
    save(trace, path)
    return path


def write_page(value: PlayerValue, language: str | None = None) -> Path:
    """One self-contained page that plays the trace, in the language of the page that it is saved from."""
    trace = shown_trace(value)
    path = _new_file(trace, ".html")
    write_file(path, standalone_html(trace, language=language or ENGLISH))
    return path


def write_forest(value: PlayerValue, number: float | None) -> Path:
    """One round's forest as GraphML."""
    trace = shown_trace(value)
    number = existing_round(trace, int(number) if number and abs(number) < math.inf else 1)
    path = _new_file(trace, f"-round-{number}.graphml")
    write_file(path, graphml_of(forest_graph(trace, number)))
    return path


def _new_file(trace: Trace, end: str) -> Path:
    """Return a file named by what the trace says; an opened trace may say anything, so only plain letters stay."""
    started = trace.started
    method = re.sub(r"[^a-z0-9]+", "_", started.method.lower()).strip("_")[:40] or "run"
    return folder_to_take() / f"{method}-seed-{started.seed}{end}"
