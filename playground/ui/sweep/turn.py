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
from playground.ui.page.form import Asked
from playground.ui.page.messages import broke_off, complain, say
from playground.ui.page.model_chooser import chosen_models, fetch_chosen
from playground.ui.page.progress import about, say_how_far, waiting
from playground.ui.page.run_buttons import stop_waiting
from playground.ui.sweep.kept import Kept, new_folder, refuse_change
from playground.ui.sweep.live import LiveSweep, Step
from playground.ui.sweep.panel import sweep_value
from playground.ui.sweep.setup import SweepForm, models_of, sweep_setup
from playground.ui.words import word

WHAT = "sweep in the Sweep tab"
STILL = gr.Timer(active=False)

_log = logging.getLogger(__name__)


class Shown(NamedTuple):
    """What a moment of a sweep changes on the page."""

    panel: Any = gr.skip()
    message: Any = gr.skip()
    kept: Any = gr.skip()
    id: Any = gr.skip()  # of the sweep, for the browser
    clock: Any = gr.skip()


def ask(request: gr.Request, form: SweepForm, kept: Kept | None, *, goes_on: bool) -> tuple[Any, ...]:
    """Sweep or Resume was pressed: (Sweep, Resume, Stop, message, what is asked for, clock).

    What cannot run does not line up.
    """
    session = request.session_hash or ""
    try:
        grid = sweep_setup(form, kept.grid.prompts if goes_on and kept else ())
        if goes_on:
            if kept is None:
                raise PlaygroundError("There is no sweep to go on with. Press Sweep, or open a sweep's file.")
            if kept.recorded:  # everybody's
                raise PlaygroundError("This sweep came with the page and is whole. Press Sweep to make your own.")
            refuse_change(kept, grid)
        turns.ask(session, WHAT)
    except PlaygroundError as error:
        return *(gr.skip() for _ in range(3)), complain(str(error)), gr.skip(), gr.skip()
    asked = Asked(grid, kept if goes_on else None)
    return *buttons(running=True), waiting(turns.ahead(session) or 0), asked, gr.Timer(active=True)


def buttons(*, running: bool, kept: Kept | None = None) -> tuple[Any, Any, Any]:
    """(Sweep, Resume, Stop)."""
    can_go_on = kept is not None and not kept.is_whole and not running
    return gr.Button(interactive=not running), gr.Button(interactive=can_go_on), gr.Button(interactive=running)


def rest(request: gr.Request, kept: Kept | None) -> tuple[Any, Any, Any]:
    """A sweep is over; another run of this page may have been asked for meanwhile."""
    return buttons(running=turns.is_asked(request.session_hash or ""), kept=kept)


def run_sweep(request: gr.Request, asked: Asked[Grid]) -> Iterator[Shown]:
    """Sweep what was asked for, from the beginning or as one that goes on."""
    kept: Kept | None = asked.goes_on_with
    with turns.taken(request.session_hash or "", WHAT) as turn:
        if turn.stop.is_set():  # stopped before its turn came, and said so then
            yield Shown(clock=STILL)
            return
        turns.begin(turn)
        yield Shown(message=say(word("loading_models")), clock=STILL)
        try:
            kept = kept or Kept(new_folder(), {}, asked.what)
            models = models_of(kept.grid)
            fetch = partial(fetch_chosen, *models, stop=turn.stop.is_set)
            live, number = LiveSweep(kept, partial(chosen_models, *models), turn.stop, fetch), 0
            for step in live.steps():
                if isinstance(step, str):
                    yield Shown(message=say(step))
                    continue
                shown = Shown(sweep_value(kept), under_way(step))
                yield shown if number else shown._replace(kept=kept, id=kept.id)
                number += 1
            if not kept.plan:
                yield Shown(message=say(word("stopped_before")))
                return
            yield Shown(sweep_value(kept), _ended(live), kept, kept.id)
        except PlaygroundError as error:
            shown = sweep_value(kept) if kept and kept.rows else gr.skip()
            yield Shown(shown, (say if isinstance(error, StoppedError) else complain)(str(error)), clock=STILL)
        except Exception as error:
            _log.exception("A sweep failed")
            yield Shown(message=broke_off("The sweep", error, "its rows are kept"), clock=STILL)


def under_way(step: Step) -> dict[str, Any]:
    """How many runs are done, and how long the rest will take if it goes on like this."""
    if not step.done:
        return say_how_far(word("sweep_first_run"), done=step.done, total=step.total)
    left = about(step.seconds_left, "left") if step.seconds_left else ""
    return say_how_far(
        word("sweep_runs_done", done=step.done, count=step.total), left, done=step.done, total=step.total
    )


def stop_sweep(request: gr.Request, kept: Kept | None) -> tuple[Any, ...]:
    """End this page's sweep before its next round, or before it begins; (Sweep, Resume, Stop, message, clock)."""
    told = stop_waiting(request)
    if told is None:
        return tuple(gr.skip() for _ in range(5))
    return *buttons(running=False, kept=kept), told, STILL


def _ended(live: LiveSweep) -> dict[str, str]:
    kept = live.kept
    if live.was_stopped:
        return say(word("sweep_stopped", done=len(kept.rows), count=kept.total))
    seconds = f"{live.seconds:.0f}"
    if live.num_new == 1:
        return say(word("sweep_done_one", seconds=seconds, count=kept.total))
    return say(word("sweep_done", done=live.num_new, seconds=seconds, count=kept.total))
