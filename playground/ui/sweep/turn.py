"""A sweep from its form to its end, or going on: what it shows on its way, see page/job.py."""

from typing import Any

import gradio as gr

from playground.errors import PlaygroundError
from playground.ui.live.job import LiveJob
from playground.ui.page.job import JobKind, Shown
from playground.ui.page.messages import say
from playground.ui.sweep.panel import sweep_value
from playground.ui.sweep.saved_sweep import SavedSweep, new_folder, refuse_change
from playground.ui.sweep.setup import SweepForm, sweep_setup
from playground.words import word

WHAT = "sweep in the Sweep tab"


def make_sweep(form: SweepForm, _: SavedSweep | None) -> SavedSweep:
    """Return what Sweep asks for.

    Raises:
        PlaygroundError: if it cannot be swept.
    """
    return SavedSweep(new_folder(), {}, sweep_setup(form))


def go_on(form: SweepForm, saved_sweep: SavedSweep | None) -> SavedSweep:
    """Return what Resume asks for: the sweep that is shown.

    Raises:
        PlaygroundError: if it cannot go on with this form.
    """
    grid = sweep_setup(form, saved_sweep.grid.prompts if saved_sweep else ())
    if saved_sweep is None:
        raise PlaygroundError(word("sweep_nothing_to_resume"))
    if saved_sweep.recorded:  # everybody's
        raise PlaygroundError(word("sweep_came_with_page"))
    refuse_change(saved_sweep, grid)
    return saved_sweep


def buttons(running: bool, saved_sweep: SavedSweep | None) -> tuple[Any, Any, Any]:
    """(Sweep, Resume, Stop)."""
    can_go_on = saved_sweep is not None and not saved_sweep.is_whole and not running
    return gr.Button(interactive=not running), gr.Button(interactive=can_go_on), gr.Button(interactive=running)


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


KIND = JobKind(
    WHAT,
    "sweep_runs_done",
    under_way=_under_way,
    ended=_ended,
    before=lambda saved_sweep: sweep_value(saved_sweep) if saved_sweep.rows else gr.skip(),
    broken=("watch_error_the_sweep", "watch_error_rows"),
    buttons=buttons,
    queue="sweeps",
)
