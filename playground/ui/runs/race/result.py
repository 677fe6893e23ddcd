"""A race that has ended, kept on the server for its page: what the panel shows of it, and what is saved of it."""

from typing import Any

import gradio as gr

from playground.bench.race import race_rows
from playground.errors import PlaygroundError
from playground.metrics.comparison import RaceRow
from playground.ui.contract.from_page import ChoosePrompt, WatchLane
from playground.ui.contract.to_page import RaceValue
from playground.ui.page.drawn_panel import heard
from playground.ui.page.messages import say
from playground.ui.page.model_chooser import models_of
from playground.ui.page.stage import RunOfTab
from playground.ui.runs.race.panel import lanes_value, race_value
from playground.ui.runs.race.runs import RaceRuns
from playground.words import paragraph, word

RACE_IS_OVER = word("race_is_over")


class Result:
    """A race that has ended.

    Args:
        runs: of the race.
        rows: of its entries, where they do not follow from the runs that are kept.
        recorded: of one that is kept with the page, where and when it was made; empty for a reader's own.
    """

    def __init__(self, runs: RaceRuns, rows: list[RaceRow] | None = None, recorded: str = "") -> None:
        self.setup = runs.grid
        self.runs = runs
        self.rows = race_rows(runs.grid, runs.rows) if rows is None else rows
        self.recorded = recorded
        about = paragraph(recorded, word("race_make_your_own")) if recorded else ""
        self.value = race_value(self.rows, runs, about)

    def on_prompt(self, index: int) -> RaceValue:
        """Return the panel's value with the replay on this prompt."""
        return {**self.value, **lanes_value(self.rows, self.runs, index)}


def choose_prompt(result: Result | None, event: gr.EventData) -> Any:
    """Replay the race on another prompt."""
    index = heard(event, ChoosePrompt).prompt
    return gr.skip() if result is None or index >= len(result.setup.prompts) else result.on_prompt(index)


def watch_lane(result: Result | None, event: gr.EventData) -> RunOfTab:
    """Find the run of a lane, for the stage.

    Raises:
        PlaygroundError: if the race is gone, or has no such run.
    """
    message = heard(event, WatchLane)
    if result is None or message.prompt >= len(result.setup.prompts):
        raise PlaygroundError(RACE_IS_OVER)
    label = message.label
    trace, title = result.runs.trace(label, message.prompt), result.setup.names()[label]["title"]
    drafter = next(entry.drafter for entry in result.setup.entries if entry.label == label)
    of_race = say(word("notice_of_race", title=title), word("options_set"))
    notice = say(word("race_run_in_watch", title=title))
    return RunOfTab(trace, models_of(result.setup), drafter, of_race, notice, not result.recorded)


def may_save_chart(result: Result | None) -> Any:
    """Return the message before the page saves its chart."""
    if result is None:
        return say(word("watch_error_not_saved"), word("press_race"), kind="error")
    return say(word("chart_saving"))
