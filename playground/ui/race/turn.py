"""A race from the button to its result: what it shows on its way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gradio as gr

from playground.ui.live.job import LiveJob
from playground.ui.page.form import Checked
from playground.ui.page.job import Kind, Shown, line_up, run_job, stop_job
from playground.ui.page.messages import say
from playground.ui.page.run_buttons import buttons
from playground.ui.race.panel import measuring_value
from playground.ui.race.result import Result
from playground.ui.race.runs import RaceRuns
from playground.ui.race.setup import RaceForm, race_setup
from playground.words import word

WHAT = "race in the Compare tab"
ONE_BEFORE = {"race": None}  # the panel's value where nothing was measured: it shows the race before again


def ask(request: gr.Request, form: RaceForm) -> tuple[Any, ...]:
    """Race was pressed: (Race, Stop, message, what is asked for, clock)."""
    return line_up(request, WHAT, lambda: RaceRuns(race_setup(form)), buttons(running=True))


def run_race(request: gr.Request, checked: Checked[RaceRuns]) -> Iterator[Shown]:
    """Race what was asked for: the panel shows each entry's runs as they are measured, and at the end the result."""
    yield from run_job(KIND, request, checked)


def stop_race(request: gr.Request, result: Result | None) -> tuple[Any, ...]:
    """End this page's race; (Race, Stop, message, clock)."""
    return stop_job(request, buttons(running=False))


def _ended(runs: RaceRuns, live: LiveJob) -> Shown:
    done = len(runs.rows)
    if live.was_stopped and not done:
        return Shown(ONE_BEFORE, say(word("stopped_before")))
    message = word("race_done", done=done, seconds=f"{live.seconds:.0f}")
    if live.was_stopped:
        message = word("race_stopped", done=done, count=runs.grid.num_runs)
    result = Result(runs)
    return Shown(result.value, say(message), result)


KIND = Kind(
    WHAT,
    "race_runs_done",
    under_way=lambda runs, is_first: Shown(measuring_value(runs)),
    ended=_ended,
    before=lambda runs: ONE_BEFORE,
    broken=("watch_error_the_race", "watch_error_one_before"),
)
