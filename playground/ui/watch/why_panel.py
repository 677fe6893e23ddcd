"""The explanation why a run was not faster here: on request the machine is measured, and the run is explained by it."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import gradio as gr

from playground.bench.calibration import expected_s, plain_step_s
from playground.decoding.record import run
from playground.decoding.run_spec import rebuild_request
from playground.errors import PlaygroundError
from playground.trace.events import Trace
from playground.ui.contract.to_page import Line, PlayerValue
from playground.ui.live.device import on_device
from playground.ui.page.controls import HIDDEN
from playground.ui.page.drawn_panel import on_page, with_json
from playground.ui.page.files import shown_trace
from playground.ui.page.form import Controls
from playground.ui.page.messages import failure, notice, say
from playground.ui.page.model_chooser import chosen_models
from playground.ui.page.why import REPEATS, accepted_length, believed, why_box
from playground.ui.watch.form import WatchForm
from playground.views.why_not_faster import why_panel
from playground.words import word

if TYPE_CHECKING:
    from playground.models.loading import LoadedPair

INVITATION = word("explain_invitation")
NOT_OURS = word("explain_not_ours")
ANOTHER_RUN = word("explain_another_run")

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
    length = accepted_length(panel["try"], started.method, started.options)
    again = gr.Button(word("explain_try_length", length=length), visible=True) if length else hidden
    return panel, say(word("explain_measured")), again


def set_length(shown: PlayerValue, explained: str, options: dict[str, dict[str, float]]) -> tuple[str, str, dict]:
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

    # Another drafter than the pair's draft model may have drafted.
    return why_panel(*believed([trace], plain_step_s(request), (pair.target, request.draft_model), again))
