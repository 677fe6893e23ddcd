"""A sweep from its button to its end: lining up, waiting, running, stopping, going on."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import gradio as gr

from playground.bench.grid import Grid
from playground.errors import PlaygroundError, StoppedError
from playground.ui.live import turns
from playground.ui.page.form import Checked
from playground.ui.page.messages import broke_off, complain, say
from playground.ui.page.model_chooser import chosen_models, fetch_chosen
from playground.ui.page.progress import about, say_how_far, waiting
from playground.ui.page.run_buttons import stop_waiting
from playground.ui.sweep.live import LiveSweep, Step
from playground.ui.sweep.panel import sweep_value
from playground.ui.sweep.saved_sweep import SavedSweep, new_folder, refuse_change
from playground.ui.sweep.setup import SweepForm, models_of, sweep_setup
from playground.words import word

WHAT = "sweep in the Sweep tab"
STILL = gr.Timer(active=False)

_log = logging.getLogger(__name__)


class Shown(NamedTuple):
    """An update of the page during a sweep."""

    panel: Any = gr.skip()
    message: Any = gr.skip()
    saved_sweep: Any = gr.skip()
    id: Any = gr.skip()  # of the sweep, for the browser
    clock: Any = gr.skip()


def ask(request: gr.Request, form: SweepForm, saved_sweep: SavedSweep | None, *, goes_on: bool) -> tuple[Any, ...]:
    """Sweep or Resume was pressed: (Sweep, Resume, Stop, message, what is asked for, clock).

    What cannot run does not line up.
    """
    session = request.session_hash or ""
    try:
        grid = sweep_setup(form, saved_sweep.grid.prompts if goes_on and saved_sweep else ())
        if goes_on:
            if saved_sweep is None:
                raise PlaygroundError(word("sweep_nothing_to_resume"))
            if saved_sweep.recorded:  # everybody's
                raise PlaygroundError(word("sweep_came_with_page"))
            refuse_change(saved_sweep, grid)
        turns.ask(session, WHAT)
    except PlaygroundError as error:
        return *(gr.skip() for _ in range(3)), complain(error), gr.skip(), gr.skip()
    checked = Checked(grid, saved_sweep if goes_on else None)
    return *buttons(running=True), waiting(turns.ahead(session) or 0), checked, gr.Timer(active=True)


def buttons(*, running: bool, saved_sweep: SavedSweep | None = None) -> tuple[Any, Any, Any]:
    """(Sweep, Resume, Stop)."""
    can_go_on = saved_sweep is not None and not saved_sweep.is_whole and not running
    return gr.Button(interactive=not running), gr.Button(interactive=can_go_on), gr.Button(interactive=running)


def buttons_after(request: gr.Request, saved_sweep: SavedSweep | None) -> tuple[Any, Any, Any]:
    """Update the buttons after a sweep; another run of this page may be waiting meanwhile."""
    return buttons(running=turns.is_asked(request.session_hash or ""), saved_sweep=saved_sweep)


def run_sweep(request: gr.Request, checked: Checked[Grid]) -> Iterator[Shown]:
    """Sweep what was asked for, from the beginning or as one that goes on."""
    saved_sweep: SavedSweep | None = checked.goes_on_with
    with turns.current(request.session_hash or "", WHAT) as turn:
        if turn.stop.is_set():  # stopped before its turn came, and said so then
            yield Shown(clock=STILL)
            return
        turns.begin(turn)
        yield Shown(message=say(word("loading_models")), clock=STILL)
        try:
            saved_sweep = saved_sweep or SavedSweep(new_folder(), {}, checked.what)
            models = models_of(saved_sweep.grid)
            fetch = partial(fetch_chosen, *models, stop=turn.stop.is_set)
            live, number = LiveSweep(saved_sweep, partial(chosen_models, *models), turn.stop, fetch), 0
            for step in live.steps():
                if isinstance(step, str):
                    yield Shown(message=say(step))
                    continue
                shown = Shown(sweep_value(saved_sweep), under_way(step))
                yield shown if number else shown._replace(saved_sweep=saved_sweep, id=saved_sweep.id)
                number += 1
            if not saved_sweep.plan:
                yield Shown(message=say(word("stopped_before")))
                return
            yield Shown(sweep_value(saved_sweep), _ended(live), saved_sweep, saved_sweep.id)
        except PlaygroundError as error:
            shown = sweep_value(saved_sweep) if saved_sweep and saved_sweep.rows else gr.skip()
            yield Shown(shown, (say if isinstance(error, StoppedError) else complain)(error.args[0]), clock=STILL)
        except Exception as error:
            _log.exception("A sweep failed")
            yield Shown(message=broke_off(word("watch_error_the_sweep"), error, word("watch_error_rows")), clock=STILL)


def under_way(step: Step) -> dict[str, Any]:
    """Return the number of runs that are done, and the seconds left if it goes on like this."""
    if not step.done:
        return say_how_far(word("sweep_first_run"), done=step.done, total=step.total)
    left = about(step.seconds_left, "left") if step.seconds_left else ""
    return say_how_far(
        word("sweep_runs_done", done=step.done, count=step.total), left, done=step.done, total=step.total
    )


def stop_sweep(request: gr.Request, saved_sweep: SavedSweep | None) -> tuple[Any, ...]:
    """End this page's sweep before its next round, or before it begins; (Sweep, Resume, Stop, message, clock)."""
    message = stop_waiting(request)
    if message is None:
        return tuple(gr.skip() for _ in range(5))
    return *buttons(running=False, saved_sweep=saved_sweep), message, STILL


def _ended(live: LiveSweep) -> dict[str, str]:
    saved_sweep = live.saved_sweep
    if live.was_stopped:
        return say(word("sweep_stopped", done=len(saved_sweep.rows), count=saved_sweep.total))
    seconds = f"{live.seconds:.0f}"
    if live.num_new == 1:
        return say(word("sweep_done_one", seconds=seconds, count=saved_sweep.total))
    return say(word("sweep_done", done=live.num_new, seconds=seconds, count=saved_sweep.total))
