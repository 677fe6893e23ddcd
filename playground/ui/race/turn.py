"""A race from the button to its result: lining up, waiting, racing, stopping."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import gradio as gr

from playground.errors import PlaygroundError
from playground.ui.live import turns
from playground.ui.page.messages import complain, say
from playground.ui.race.live import LiveRace
from playground.ui.race.progress import under_way, waiting
from playground.ui.race.result import Result
from playground.ui.race.setup import race_setup
from playground.ui.watch.run_buttons import buttons, stop_waiting

_log = logging.getLogger(__name__)


def ask(request: gr.Request, ticket: int, *values: Any) -> tuple[Any, ...]:
    """Race was pressed: (Race, Stop, message, ticket, clock). What cannot be raced does not line up."""
    session = request.session_hash or ""
    try:
        race_setup(*values)
        turns.ask(session, "race in the Compare tab")
    except PlaygroundError as error:
        return gr.skip(), gr.skip(), complain(str(error)), gr.skip(), gr.skip()
    return *buttons(running=True), waiting(turns.ahead(session) or 0), ticket + 1, gr.Timer(active=True)


def place_in_queue(request: gr.Request) -> Any:
    """The message of a race that waits."""
    ahead = turns.ahead(request.session_hash or "")
    return gr.skip() if ahead is None else waiting(ahead)


def run_race(values: Sequence[Any], session: str) -> Iterator[tuple[Any, ...]]:
    """Race what the controls say; yields (panel, message, result, clock).

    The panel keeps what it shows until the new race has ended: a page that draws while a run is timed would slow it.

    Args:
        values: of the controls, in the order of `race_setup`.
        session: whose Stop button this race listens to.
    """
    turn = turns.next_turn(session)
    nothing, still = gr.skip(), gr.Timer(active=False)
    try:
        if turn.stop.is_set():  # stopped before its turn came, and said so then
            yield nothing, nothing, nothing, still
            return
        turn.has_begun = True
        yield nothing, say("Loading the models ..."), nothing, still
        live = LiveRace(partial(race_setup, *values), turn.stop)
        for step in live.steps():
            yield nothing, under_way(step, step.total - live.num_runs), nothing, nothing
        if live.setup is None or (live.was_stopped and not live.runs.numbers):
            yield nothing, say("Stopped before a run was done."), nothing, nothing
            return
        found = Result(live.setup, live.rows, live.runs)
        yield found.value, _ended(live), found, nothing
    except PlaygroundError as error:
        yield nothing, complain(str(error)), nothing, still
    except Exception as error:
        _log.exception("A race failed")
        sorry = f"The race broke off ({type(error).__name__}); the one before is kept. The server's log says more."
        yield nothing, complain(sorry), nothing, still
    finally:
        turns.forget(session, turn)


def _ended(live: LiveRace) -> dict[str, str]:
    done = len(live.runs.numbers)
    if live.was_stopped:
        return say(f"Stopped after {done} of {live.num_runs} runs. What was measured is below.")
    return say(f"Done: {done} measured runs in {live.seconds:.0f} s, warm-ups included.")


def stop_race(request: gr.Request) -> tuple[Any, ...]:
    """End this page's race before its next round, or before it begins; (Race, Stop, message, clock)."""
    told = stop_waiting(request)
    if told is None:
        return gr.skip(), gr.skip(), gr.skip(), gr.skip()
    return *buttons(running=False), told, gr.Timer(active=False)
