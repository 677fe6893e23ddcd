"""A sweep from its button to its end, or going on: what it shows on its way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gradio as gr

from playground.errors import PlaygroundError
from playground.ui.live import turns
from playground.ui.live.job import LiveJob
from playground.ui.page.form import Checked
from playground.ui.page.job import Kind, Shown, line_up, run_job, stop_job
from playground.ui.page.messages import say
from playground.ui.sweep.panel import sweep_value
from playground.ui.sweep.saved_sweep import SavedSweep, new_folder, refuse_change
from playground.ui.sweep.setup import SweepForm, sweep_setup
from playground.words import word

WHAT = "sweep in the Sweep tab"


def ask(request: gr.Request, form: SweepForm, saved_sweep: SavedSweep | None) -> tuple[Any, ...]:
    """Sweep was pressed: (Sweep, Resume, Stop, message, what is asked for, clock)."""
    return line_up(request, WHAT, lambda: SavedSweep(new_folder(), {}, sweep_setup(form)), buttons(running=True))


def ask_to_go_on(request: gr.Request, form: SweepForm, saved_sweep: SavedSweep | None) -> tuple[Any, ...]:
    """Resume was pressed; as `ask`."""
    return line_up(request, WHAT, lambda: _resumed(form, saved_sweep), buttons(running=True))


def run_sweep(request: gr.Request, checked: Checked[SavedSweep]) -> Iterator[Shown]:
    """Sweep what was asked for, from the beginning or as one that goes on."""
    yield from run_job(KIND, request, checked)


def stop_sweep(request: gr.Request, saved_sweep: SavedSweep | None) -> tuple[Any, ...]:
    """End this page's sweep; (Sweep, Resume, Stop, message, clock)."""
    return stop_job(request, buttons(running=False, saved_sweep=saved_sweep))


def buttons(*, running: bool, saved_sweep: SavedSweep | None = None) -> tuple[Any, Any, Any]:
    """(Sweep, Resume, Stop)."""
    can_go_on = saved_sweep is not None and not saved_sweep.is_whole and not running
    return gr.Button(interactive=not running), gr.Button(interactive=can_go_on), gr.Button(interactive=running)


def buttons_after(request: gr.Request, saved_sweep: SavedSweep | None) -> tuple[Any, Any, Any]:
    """Update the buttons after a sweep; another run of this page may be waiting meanwhile."""
    return buttons(running=turns.is_asked(request.session_hash or ""), saved_sweep=saved_sweep)


def _resumed(form: SweepForm, saved_sweep: SavedSweep | None) -> SavedSweep:
    """Return the sweep that is to go on, or refuse it."""
    grid = sweep_setup(form, saved_sweep.grid.prompts if saved_sweep else ())
    if saved_sweep is None:
        raise PlaygroundError(word("sweep_nothing_to_resume"))
    if saved_sweep.recorded:  # everybody's
        raise PlaygroundError(word("sweep_came_with_page"))
    refuse_change(saved_sweep, grid)
    return saved_sweep


def _under_way(saved_sweep: SavedSweep, is_first: bool) -> Shown:
    shown = Shown(sweep_value(saved_sweep))
    return shown._replace(job=saved_sweep, id=saved_sweep.id) if is_first else shown


def _ended(saved_sweep: SavedSweep, live: LiveJob) -> Shown:
    if not saved_sweep.plan:
        return Shown(message=say(word("stopped_before")))
    message = word("sweep_done", done=live.num_new, seconds=f"{live.seconds:.0f}", count=saved_sweep.total)
    if live.was_stopped:
        message = word("sweep_stopped", done=len(saved_sweep.rows), count=saved_sweep.total)
    elif live.num_new == 1:
        message = word("sweep_done_one", seconds=f"{live.seconds:.0f}", count=saved_sweep.total)
    return Shown(sweep_value(saved_sweep), say(message), saved_sweep, saved_sweep.id)


KIND = Kind(
    WHAT,
    "sweep_runs_done",
    under_way=_under_way,
    ended=_ended,
    before=lambda saved_sweep: sweep_value(saved_sweep) if saved_sweep.rows else gr.skip(),
    broken=("watch_error_the_sweep", "watch_error_rows"),
)
