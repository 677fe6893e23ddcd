"""A sweep from its button to its end: lining up, waiting, running, stopping, going on."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import gradio as gr

from playground.errors import PlaygroundError
from playground.ui.live import turns
from playground.ui.page.controls import chosen_models
from playground.ui.page.messages import complain, say
from playground.ui.race.progress import waiting
from playground.ui.sweep.kept import Kept, new_folder, refuse_change
from playground.ui.sweep.live import LiveSweep, Step
from playground.ui.sweep.pace import in_words
from playground.ui.sweep.panel import sweep_value
from playground.ui.sweep.setup import models_of, sweep_setup
from playground.ui.watch.run_buttons import stop_waiting

_log = logging.getLogger(__name__)


class Ticket(NamedTuple):
    """A sweep that may line up; another number is another sweep."""

    number: int = 0
    goes_on: bool = False  # with the one on the page


def ask_new(request: gr.Request, ticket: Ticket, kept: Kept | None, *values: Any) -> tuple[Any, ...]:
    """Sweep was pressed: (Sweep, Resume, Stop, message, ticket, clock)."""
    return _ask(request.session_hash or "", ticket, kept, values, goes_on=False)


def ask_on(request: gr.Request, ticket: Ticket, kept: Kept | None, *values: Any) -> tuple[Any, ...]:
    """Resume was pressed; the same."""
    return _ask(request.session_hash or "", ticket, kept, values, goes_on=True)


def _ask(session: str, ticket: Ticket, kept: Kept | None, values: Sequence[Any], *, goes_on: bool) -> tuple[Any, ...]:
    """What cannot run does not line up."""
    try:
        grid = sweep_setup(*values)
        if goes_on:
            if kept is None:
                raise PlaygroundError("There is no sweep to go on with. Press Sweep, or open a sweep's file.")
            refuse_change(kept, grid)
        turns.ask(session, "sweep in the Sweep tab")
    except PlaygroundError as error:
        return *(gr.skip() for _ in range(3)), complain(str(error)), gr.skip(), gr.skip()
    told = waiting(turns.ahead(session) or 0)
    return *buttons(running=True), told, Ticket(ticket.number + 1, goes_on), gr.Timer(active=True)


def buttons(*, running: bool, kept: Kept | None = None) -> tuple[Any, Any, Any]:
    """(Sweep, Resume, Stop)."""
    can_go_on = kept is not None and not kept.is_whole and not running
    return gr.Button(interactive=not running), gr.Button(interactive=can_go_on), gr.Button(interactive=running)


def rest(request: gr.Request, kept: Kept | None) -> tuple[Any, Any, Any]:
    """A sweep is over; another run of this page may have been asked for meanwhile."""
    return buttons(running=turns.is_asked(request.session_hash or ""), kept=kept)


def run_sweep(ticket: Ticket, kept: Kept | None, values: Sequence[Any], session: str) -> Iterator[tuple[Any, ...]]:
    """Sweep what the controls say; yields (panel, message, sweep, its id for the browser, clock).

    Args:
        ticket: whether it is a new one or goes on with
        kept: the one on the page.
        values: of the controls, in the order of `sweep_setup`.
        session: whose Stop button this sweep listens to.
    """
    turn = turns.next_turn(session)
    nothing, still = gr.skip(), gr.Timer(active=False)
    try:
        if turn.stop.is_set():  # stopped before its turn came, and said so then
            yield nothing, nothing, nothing, nothing, still
            return
        turn.has_begun = True
        yield nothing, say("Loading the models ..."), nothing, nothing, still
        grid = sweep_setup(*values)
        if not (ticket.goes_on and kept):
            kept = Kept(new_folder(), {}, grid)
        live = LiveSweep(kept, partial(chosen_models, *models_of(kept.grid)), turn.stop)
        for number, step in enumerate(live.steps()):
            ids = (nothing, nothing) if number else (kept, kept.id)
            yield sweep_value(kept), under_way(step), *ids, nothing
        if not kept.plan:
            yield nothing, say("Stopped before a run was done."), nothing, nothing, nothing
            return
        yield sweep_value(kept), _ended(live), kept, kept.id, nothing
    except PlaygroundError as error:
        shown = sweep_value(kept) if kept and kept.rows else nothing
        yield shown, complain(str(error)), nothing, nothing, still
    except Exception as error:
        _log.exception("A sweep failed")
        sorry = f"The sweep broke off ({type(error).__name__}); its rows are kept. The server's log says more."
        yield nothing, complain(sorry), nothing, nothing, still
    finally:
        turns.forget(session, turn)


def under_way(step: Step) -> dict[str, Any]:
    """How many runs are done, and how long the rest will take if it goes on like this."""
    left = f" {in_words(step.seconds_left)} left." if step.seconds_left else ""
    done = f"{step.done} of {step.total} runs are done.{left}" if step.done else "The first run is going on ..."
    return say(done) | {"done": step.done, "total": step.total}


def stop_sweep(request: gr.Request, kept: Kept | None) -> tuple[Any, ...]:
    """End this page's sweep before its next round, or before it begins; (Sweep, Resume, Stop, message, clock)."""
    told = stop_waiting(request)
    if told is None:
        return tuple(gr.skip() for _ in range(5))
    return *buttons(running=False, kept=kept), told, gr.Timer(active=False)


def told_of(kept: Kept) -> dict[str, str]:
    """What is there of a sweep that was found again."""
    if kept.is_whole:
        return say(f"It is whole: {kept.total} of {kept.total} runs are here.")
    return say(f"{len(kept.rows)} of {kept.total} runs are here. Press Resume to make the others.")


def _ended(live: LiveSweep) -> dict[str, str]:
    kept = live.kept
    if live.was_stopped:
        return say(f"Stopped after {len(kept.rows)} of {kept.total} runs. Those are kept, and Resume makes the rest.")
    new = "1 new run" if live.num_new == 1 else f"{live.num_new} new runs"
    return say(f"Done: {new} in {live.seconds:.0f} s, {kept.total} in all.")
