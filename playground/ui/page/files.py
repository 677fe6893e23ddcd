"""Files for the reader: a trace, a page that plays it, a round's forest. And reading a trace back."""

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playground.errors import PlaygroundError
from playground.trace import Trace, from_json, load, save, validate
from playground.trace.storage import SUFFIX
from playground.ui.contract.to_page import PlayerValue
from playground.ui.page.taken_along import folder_to_take
from playground.views.forest import existing_round, forest_graph, write_graphml
from playground.views.standalone import ENGLISH, standalone_html
from playground.words import word


def read_trace(path: str) -> Trace:
    """Return a trace file, checked against its schema and its invariants.

    Raises:
        PlaygroundError: if it is damaged, or contradicts itself.
    """
    trace = load(path)
    validate(trace)
    return trace


def shown_trace(value: PlayerValue) -> Trace:
    """Return the trace that a player shows, from the player's own value: view and file are the same data.

    Raises:
        PlaygroundError: if there is none, or it is damaged.
    """
    if value.get("first"):
        raise PlaygroundError(word("watch_error_still_on"))
    events = [event for chunk in value["chunks"] for event in json.loads(chunk)]
    if not events:
        raise PlaygroundError(word("watch_error_nothing_here"))
    text = json.dumps({"format": value["format"], "version": value["version"], "events": events})
    return from_json(text, word("watch_error_run_here"))


def write_file(write: Callable[..., Path], value: PlayerValue, *extra: Any) -> Path:
    """Write what a player shows into a folder of its own; the file's name says what is in it."""
    return write(shown_trace(value), folder_to_take(), *extra)


def write_trace(trace: Trace, folder: Path) -> Path:
    """Return the trace as JSON under gzip."""
    path = folder / f"{_stem(trace)}{SUFFIX}"
    save(trace, path)
    return path


def write_page(trace: Trace, folder: Path, language: str | None = None) -> Path:
    """One self-contained page that plays the trace, in the language of the page that it is saved from."""
    path = folder / f"{_stem(trace)}.html"
    path.write_text(standalone_html(trace, language=language or ENGLISH), encoding="utf-8")
    return path


def write_forest(trace: Trace, folder: Path, number: float | None) -> Path:
    """One round's forest as GraphML."""
    number = existing_round(trace, int(number) if number and abs(number) < math.inf else 1)
    path = folder / f"{_stem(trace)}-round-{number}.graphml"
    write_graphml(forest_graph(trace, number), path)
    return path


def _stem(trace: Trace) -> str:
    """Return a file's name from what the trace says; an opened trace may say anything, so only plain letters stay."""
    started = trace.started
    method = re.sub(r"[^a-z0-9]+", "_", started.method.lower()).strip("_")[:40] or "run"
    return f"{method}-seed-{started.seed}"
