"""The race that is there when the Compare tab is opened."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import gradio as gr

from playground.ui.race.lineup import slower_in_words
from playground.ui.race.result import Result
from playground.ui.race.runs import RaceRuns
from playground.ui.race.setup import RaceSetup
from playground.ui.recorded.file import file_of, provenance, read, write
from playground.ui.recorded.opening import opened
from playground.words import paragraph


def write_race(path: Path, result: Result) -> None:
    """Keep a race: its rows, every run's numbers, and the runs that its lanes show."""
    content = {"setup": result.setup.as_file(), "rows": result.rows, "runs": result.runs.as_dict()}
    write(path, "race", content, result.runs.conditions["machine"])


@cache
def read_race(path: Path) -> Result:
    """Return the race in a file; as long as the page runs it is the same.

    Raises:
        PlaygroundError: if there is none, it is damaged, or it is of another pair.
    """
    recording = read(path, "race")
    runs = RaceRuns.from_dict(RaceSetup.from_file(recording["setup"]), recording["runs"])
    return Result(runs, recording["rows"], recorded=paragraph(provenance(recording), slower_in_words()))


def open_race(request: gr.Request, result: Result | None) -> tuple[Any, Any, Any]:
    """Open the tab when it shows no race: (panel, message, result). One that a link sets up is awaited instead."""
    return opened(request, "compare", result, lambda: read_race(file_of("race")), lambda recording: recording.value)
