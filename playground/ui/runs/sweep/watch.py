"""From a point of a chart to its run in Watch: the recording itself, or where there is none the run made again."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import gradio as gr

from playground.bench.grid import points
from playground.bench.prompts import as_turn
from playground.bench.results import trace_of
from playground.decoding.record import run
from playground.errors import PlaygroundError
from playground.trace import Trace, from_json
from playground.trace.texts import best_text
from playground.ui.contract.from_page import WatchPoint
from playground.ui.live.device import a_run_is_timed, on_device
from playground.ui.page.drawn_panel import heard
from playground.ui.page.messages import say
from playground.ui.page.model_chooser import chosen_models, models_of
from playground.ui.page.stage import RunOfTab
from playground.ui.runs.sweep.names import setting_names
from playground.ui.runs.sweep.saved_sweep import SavedSweep
from playground.words import word

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.models.loading import LoadedPair

RECORDED = word("sweep_as_recorded")
AGAIN = word("sweep_made_again")


def watch_point(saved_sweep: SavedSweep | None, event: gr.EventData) -> RunOfTab:
    """Find the run of a point, for the stage.

    Raises:
        PlaygroundError: if the sweep is gone, or has no such run.
    """
    number = heard(event, WatchPoint).run
    if saved_sweep is None:
        raise PlaygroundError("That sweep is not there any more. Reload the page.")
    models = models_of(saved_sweep.grid)
    trace, origin = run_of(saved_sweep, number, lambda: chosen_models(*models).load())
    row = next(row for row in saved_sweep.rows if row["run"] == number)
    title = setting_names(row)["title"]
    drafter = next(point.entry.drafter for point in points(saved_sweep.grid) if point.run == number)
    message = say(word("notice_of_sweep", title=title, run=number), word("options_set"))
    in_watch = word("sweep_in_watch", run=number, setting=title, prompt=row["prompt"], seed=row["seed"])
    return RunOfTab(trace, models, drafter, message, say(in_watch, origin), not saved_sweep.recorded)


def run_of(saved_sweep: SavedSweep, number: int, load: Callable[[], LoadedPair]) -> tuple[Trace, str]:
    """Return the run with this number, and a sentence on where it comes from.

    Raises:
        PlaygroundError: if there is no such run, it failed, or made again it comes out differently.
    """
    row = next((row for row in saved_sweep.rows if row["run"] == number), None)
    if row is None:
        raise PlaygroundError("That run is not here. Choose a point or a row of the sweep that is shown.")
    if "failed" in row:
        raise PlaygroundError(f"Run {number} failed, so there is nothing to watch: {row['failed']}")
    if number in saved_sweep.kept_runs:
        return from_json(saved_sweep.kept_runs[number], f"Run {number}"), RECORDED
    if row.get("trace"):
        with saved_sweep.between_runs(), suppress(PlaygroundError):  # a folder may have been tidied up
            return trace_of(saved_sweep.folder, row), RECORDED
    if a_run_is_timed():
        raise PlaygroundError("This run was not recorded, and another is going on. Open it when that has ended.")
    trace = on_device(lambda: _again(saved_sweep, number, load()))
    if row.get("token_ids") != [node.token for node in best_text(trace)]:
        raise PlaygroundError(
            f"Run {number} was made again and came out with other tokens than its row has, so it is not shown: the "
            "models, their number format or the machine differ."
        )
    return trace, AGAIN


def _again(saved_sweep: SavedSweep, number: int, pair: LoadedPair) -> Trace:
    point = next(point for point in points(saved_sweep.grid) if point.run == number)
    turn = as_turn(pair.target, saved_sweep.grid.prompts[point.prompt - 1], chat=saved_sweep.grid.chat)
    settings = {"sampling": point.sampling, "seed": point.seed, "max_new_tokens": point.max_new_tokens}
    return run(point.entry.request(pair, turn.prompt, prompt_ids=turn.ids, message=turn.message, **settings))
