"""A race from the button to its result: lining up, waiting, racing, stopping."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import gradio as gr

from playground.errors import PlaygroundError, StoppedError
from playground.ui.live import turns
from playground.ui.page.form import Checked
from playground.ui.page.messages import broke_off, complain, say
from playground.ui.page.model_chooser import fetch_chosen
from playground.ui.page.progress import about, say_how_far, waiting
from playground.ui.page.run_buttons import buttons, stop_waiting
from playground.ui.race.live import LiveRace, Step
from playground.ui.race.panel import measuring_value
from playground.ui.race.result import Result
from playground.ui.race.setup import RaceForm, RaceSetup, race_setup
from playground.words import word

WHAT = "race in the Compare tab"
STILL = gr.Timer(active=False)
ONE_BEFORE = {"race": None}  # the panel's value where nothing was measured: it shows the race before again

_log = logging.getLogger(__name__)


class Shown(NamedTuple):
    """An update of the page during a race."""

    panel: Any = gr.skip()
    message: Any = gr.skip()
    result: Any = gr.skip()
    clock: Any = gr.skip()


def ask(request: gr.Request, form: RaceForm) -> tuple[Any, ...]:
    """Race was pressed: (Race, Stop, message, what is asked for, clock). What cannot be raced does not line up."""
    session = request.session_hash or ""
    try:
        setup = race_setup(form)
        turns.ask(session, WHAT)
    except PlaygroundError as error:
        return gr.skip(), gr.skip(), complain(error), gr.skip(), gr.skip()
    return *buttons(running=True), waiting(turns.ahead(session) or 0), Checked(setup), gr.Timer(active=True)


def run_race(request: gr.Request, checked: Checked[RaceSetup]) -> Iterator[Shown]:
    """Race what was asked for.

    The panel shows each entry's runs as they are measured; it is told between runs, when no clock is read. Where a race
    has no result, the panel goes back to the one before.
    """
    with turns.current(request.session_hash or "", WHAT) as turn:
        if turn.stop.is_set():  # stopped before its turn came, and said so then
            yield Shown(clock=STILL)
            return
        turns.begin(turn)
        yield Shown(message=say(word("loading_models")), clock=STILL)
        try:
            setup = checked.what
            fetch = partial(fetch_chosen, setup.pair, setup.target, setup.draft, stop=turn.stop.is_set)
            live = LiveRace(setup, turn.stop, fetch)
            for step in live.steps():
                yield Shown(message=say(step)) if isinstance(step, str) else _under_way(live, step)
            yield _ended(live)
        except PlaygroundError as error:
            message = (say if isinstance(error, StoppedError) else complain)(error.args[0])
            yield Shown(ONE_BEFORE, message, clock=STILL)
        except Exception as error:
            _log.exception("A race failed")
            yield Shown(
                ONE_BEFORE, broke_off(word("watch_error_the_race"), error, word("watch_error_one_before")), clock=STILL
            )


def _under_way(live: LiveRace, step: Step) -> Shown:
    return Shown(measuring_value(live.setup, live.runs), under_way(step, step.total - live.num_runs))


def _ended(live: LiveRace) -> Shown:
    done = len(live.runs.numbers)
    if live.was_stopped and not done:
        return Shown(ONE_BEFORE, say(word("stopped_before")))
    message = word("race_done", done=done, seconds=f"{live.seconds:.0f}")
    if live.was_stopped:
        message = word("race_stopped", done=done, count=live.num_runs)
    result = Result(live.setup, live.rows, live.runs)
    return Shown(result.value, say(message), result)


def stop_race(request: gr.Request) -> tuple[Any, ...]:
    """End this page's race before its next round, or before it begins; (Race, Stop, message, clock)."""
    message = stop_waiting(request)
    if message is None:
        return gr.skip(), gr.skip(), gr.skip(), gr.skip()
    return *buttons(running=False), message, STILL


def under_way(step: Step, num_entries: int) -> dict[str, Any]:
    """Return the runs that are done as a sentence and a bar of the same numbers, and the seconds left at this pace."""
    key, done, count = "warming_up", step.done, num_entries
    if done >= num_entries:
        key, done, count = "race_runs_done", done - num_entries, step.total - num_entries
    return say_how_far(word(key, done=done, count=count), _left(step), done=done, total=count)


def _left(step: Step) -> str:
    if step.done < 2:
        return ""
    return about(step.seconds / step.done * (step.total - step.done), "left")
