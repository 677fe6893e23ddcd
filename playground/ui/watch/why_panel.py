"""The explanation why a run was not faster here: on request the machine is measured, and the run is explained by it."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import gradio as gr

from playground.bench.calibration import calibrate, expected_s, fastest_of, plain_step_s
from playground.decoding.method import make_method
from playground.decoding.record import run
from playground.decoding.run_spec import rebuild_request
from playground.errors import PlaygroundError
from playground.metrics.diagnosis import Diagnosis, diagnose_all
from playground.metrics.doubt import doubt
from playground.theory.cost_model import Costs
from playground.trace.events import Trace
from playground.ui.contract.to_page import Line, PlayerValue
from playground.ui.live.device import on_device
from playground.ui.page.controls import HIDDEN
from playground.ui.page.drawn_panel import drawn_panel, on_page, with_json
from playground.ui.page.files import shown_trace
from playground.ui.page.form import Controls
from playground.ui.page.messages import failure, notice, say
from playground.ui.page.model_chooser import chosen_models
from playground.ui.watch.form import WatchForm
from playground.views.why_not_faster import why_panel
from playground.words import word

if TYPE_CHECKING:
    from playground.models.loading import LoadedPair

INVITATION = word("explain_invitation")
NOT_OURS = word("explain_not_ours")
ANOTHER_RUN = word("explain_another_run")

REPEATS = 2  # of a run whose times cannot be
LONGEST = 128  # tokens of such a repeat


def build(player: gr.HTML, form: Controls[WatchForm]) -> None:
    """Lay the panel out and connect it. Another run on the stage empties it.

    Args:
        player: holds the run to explain.
        form: names the pair, and is set when a better draft length is to be tried.
    """
    with gr.Row(elem_classes="low-row"):
        ask = gr.Button(word("explain_ask"), elem_id="why-ask", size="md")
        again = gr.Button(word("explain_try"), visible=False, elem_id="why-try", size="md")
    message = notice(INVITATION, elem_id="why-notice")
    shown = why_box("why")
    ask.click(under_way, player, message, queue=False, **HIDDEN).then(
        with_json(explain, 0),
        [player, *form.some("pair", "target", "draft")],
        [shown, message, again],
        concurrency_limit=1,
        concurrency_id="compute",
        **HIDDEN,
    )
    emptied = [shown, message, again]
    player.turned(lambda: (None, say(INVITATION), gr.Button(visible=False)), None, emptied, **HIDDEN)
    tried = again.click(
        set_length, [player, shown, *form.some("options")], form.some("method", "prompt", "options"), **HIDDEN
    )
    tried.success(None, None, None, js=on_page("press", "#run"), **HIDDEN)


def why_box(elem_id: str) -> gr.HTML:
    """Return the panel of an explanation; its value is what `views.why_not_faster.why_panel` gives."""
    return drawn_panel("why", large=True, value=None, elem_id=elem_id)


def under_way(shown: PlayerValue) -> Line:
    """Return the line while the machine is measured: how long that may take."""
    with suppress(PlaygroundError):
        seconds = max(1, round(expected_s(shown_trace(shown))))
        return say(word("explain_measuring_about", seconds=seconds, most=1 + REPEATS))
    return say(word("explain_measuring"))


def explain(shown: PlayerValue, pair: str, target: str, draft: str) -> tuple[Any, Any, Any]:
    """(explanation, message, button that tries the better draft length) for the run that the player shows."""
    hidden = gr.Button(visible=False)
    try:
        trace = shown_trace(shown)
        if not (shown["live"] or shown.get("made_here")):
            raise PlaygroundError(NOT_OURS)
        panel = on_device(lambda: explanation(trace, chosen_models(pair, target, draft).load()))
    except Exception as error:
        return None, failure(word("watch_error_the_measurement"), error), hidden
    panel["run"] = shown["run"]
    started = trace.started
    length = accepted_length(panel, started.method, started.options)
    again = gr.Button(word("explain_try_length", length=length), visible=True) if length else hidden
    return panel, say(word("explain_measured")), again


def accepted_length(panel: dict[str, Any], method: str, options: dict[str, Any]) -> int | None:
    """Return the draft length that is predicted to do better, if there is one and the method can have it."""
    if panel["try"]:
        with suppress(PlaygroundError):
            make_method(method, options | {"draft_length": panel["try"]})
            return panel["try"]
    return None


def set_length(shown: PlayerValue, explained: str, options: dict[str, Any]) -> tuple[str, str, dict]:
    """Return (method, prompt, options) of the run, with the length that was found better."""
    panel = json.loads(explained)
    if panel["run"] != shown["run"]:
        raise gr.Error(ANOTHER_RUN, print_exception=False)
    started = shown_trace(shown).started
    own = options.get(started.method, {}) | {"draft_length": panel["try"]}
    return started.method, started.prompt, options | {started.method: own}


def explanation(trace: Trace, pair: LoadedPair) -> dict[str, Any]:
    """Return the panel's content for a run of these models; measures them.

    Raises:
        PlaygroundError: if the run was made with other models.
    """
    request = rebuild_request(trace, pair, LONGEST)

    def again() -> tuple[list[Trace], float]:
        before_s = plain_step_s(request)
        return [run(request)], (before_s + plain_step_s(request)) / 2

    # who drafted need not be the pair's draft model
    return why_panel(*believed([trace], plain_step_s(request), (pair.target, request.draft_model), again))


def believed(
    traces: list[Trace],
    plain_s: float,
    models: tuple[Any, Any],
    again: Callable[[], tuple[list[Trace], float]],
) -> tuple[Diagnosis | None, Costs]:
    """Diagnose runs by costs that are measured now: once more where the times are impossible.

    Then the machine was not equally busy for all that was measured.

    Args:
        traces: of one method with the same options.
        plain_s: seconds per token of plain decoding beside them.
        models: target and draft.
        again: gives the runs and the seconds to diagnose next: those of before, or made once more.
    """
    costs = calibrate(*models)
    diagnosis = diagnose_all(traces, costs, plain_s)
    for _ in range(REPEATS):
        if diagnosis is None or not doubt(diagnosis, costs):
            break
        traces, plain_s = again()
        costs = fastest_of([costs, calibrate(*models)])
        diagnosis = diagnose_all(traces, costs, plain_s)
    return diagnosis, costs
