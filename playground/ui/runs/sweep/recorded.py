"""The recorded sweep that the Sweep tab opens on."""

from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import gradio as gr

from playground.bench.grid import read_grid
from playground.bench.results import trace_of
from playground.bench.settings import by_setting
from playground.errors import PlaygroundError
from playground.metrics.energy import nearest_machine
from playground.trace import to_json
from playground.ui.page.model_chooser import pair_of_opening
from playground.ui.recorded import file_of, opened, provenance, read, write
from playground.ui.runs.sweep.panel import sweep_value
from playground.ui.runs.sweep.ready import READY
from playground.ui.runs.sweep.saved_sweep import SavedSweep
from playground.ui.runs.sweep.shelf import make_link


def write_sweep(path: Path, saved_sweep: SavedSweep) -> None:
    """Keep a sweep: its rows, and of each setting the run that a point opens.

    Raises:
        PlaygroundError: if every run failed.
    """
    medians = [setting["run"] for setting in by_setting(saved_sweep.rows)]
    traces = {row["run"]: trace_of(saved_sweep.folder, row) for row in saved_sweep.rows if row["run"] in medians}
    if not traces:
        raise PlaygroundError("Every run of the sweep failed, so there is nothing to keep with the page.")
    first = next(iter(traces.values())).started
    content = {
        "plan": saved_sweep.plan,
        "rows": [row | {"trace": None, "trace_bytes": 0} for row in saved_sweep.rows],
        "constants": asdict(nearest_machine(first)),
        "kept": {run: to_json(trace) for run, trace in traces.items()},
    }
    write(path, "sweep", content, first.machine)


@cache
def read_sweep(path: Path) -> SavedSweep:
    """Return the sweep in a file; as long as the page runs it is the same.

    Raises:
        PlaygroundError: if there is none, it is damaged, or it is of another pair.
    """
    recording = read(path, "sweep")
    return SavedSweep(
        Path("recorded"),
        recording["plan"],
        read_grid(recording["plan"]),
        recording["rows"],
        constants=recording["constants"],
        kept_runs={int(run): text for run, text in recording["kept"].items()},
        recorded=provenance(recording),
    )


def open_sweep(request: gr.Request, saved_sweep: SavedSweep | None) -> tuple[Any, Any, Any]:
    """Open the tab when it shows no sweep: (panel, message, sweep). One that a link sets up is awaited instead."""
    link = make_link(READY[0].form_for(pair_of_opening()))
    return opened(request, "sweep", saved_sweep, lambda: read_sweep(file_of("sweep")), sweep_value, link=link)
