"""Files for the reader: a trace, a page that plays it, a round's forest. And reading a trace back."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playground.trace import Trace, from_json, to_json, validate
from playground.views.forest import existing_round, forest_graph, write_graphml
from playground.views.standalone import standalone_html


def read_trace(path: str) -> Trace:
    """A trace file, checked against its schema and its laws.

    Raises:
        PlaygroundError: if it is damaged, or contradicts itself.
    """
    trace = from_json(Path(path).read_bytes().decode("utf-8", "surrogateescape"), Path(path).name)
    validate(trace)
    return trace


def write_file(write: Callable[..., Path], trace_json: str, *extra: Any) -> Path:
    """Write a file into a folder of its own; its name says what is in it."""
    return write(from_json(trace_json), Path(tempfile.mkdtemp(prefix="playground-")), *extra)


def write_trace(trace: Trace, folder: Path) -> Path:
    """The trace as JSON."""
    path = folder / f"{_stem(trace)}.json"
    path.write_text(to_json(trace))
    return path


def write_page(trace: Trace, folder: Path) -> Path:
    """One self-contained page that plays the trace."""
    path = folder / f"{_stem(trace)}.html"
    path.write_text(standalone_html(trace), encoding="utf-8")
    return path


def write_forest(trace: Trace, folder: Path, number: float | None) -> Path:
    """One round's forest as GraphML."""
    number = existing_round(trace, int(number or 1))
    path = folder / f"{_stem(trace)}-round-{number}.graphml"
    write_graphml(forest_graph(trace, number), path)
    return path


def _stem(trace: Trace) -> str:
    started = trace.events[0]
    return f"{started.method}-seed-{started.seed}"
