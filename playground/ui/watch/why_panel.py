"""Why not faster here? On request the machine is measured, and the run that is on the page is explained by it."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import gradio as gr

from playground.bench.calibration import calibrate, plain_step_s
from playground.decoding.decode import Request
from playground.decoding.method import make_method
from playground.errors import PlaygroundError
from playground.metrics.diagnosis import diagnose
from playground.trace.events import Trace
from playground.ui.page.controls import chosen_models
from playground.ui.page.drawn_panel import PLAYER, drawn_panel
from playground.ui.page.files import shown_trace
from playground.ui.page.messages import complain, notice, say
from playground.ui.watch.live import on_device
from playground.views.why_not_faster import why_panel

if TYPE_CHECKING:
    from playground.models.loading import LoadedPair

INVITATION = "Measures both models on this machine for a second or two, and explains the run that is in the player."
NOT_OURS = "This run was not made here, so its times say nothing about this machine. Press Run, then ask again."
OTHER_MODELS = "The run on the page was made with other models than are chosen above. Press Run, then ask again."
ANOTHER_RUN = "The player shows another run than was explained. Press Measure and explain again."

_ON_LOAD = """
const host = element.querySelector('.why-host');
let panel = null;
function show() {
  const value = props.value;
  if (!value && !panel) return;
  panel = panel ?? specPlayer.explain(host);
  if (value) panel.show(value); else panel.clear();
}
watch('value', show);
show();
"""

_log = logging.getLogger(__name__)


def build(
    player: gr.HTML,
    runs: list[Any],
    models: list[Any],
    method: gr.Dropdown,
    prompt: gr.Textbox,
    lengths: dict[str, gr.Slider],
) -> None:
    """Lay the panel out and connect it.

    Args:
        player: holds the run to explain.
        runs: the events that start another run.
        models: the controls that choose the pair.
        method, prompt: the controls of the run that are set when a better draft length is to be tried,
        lengths: and by method, that of its draft length.
    """
    with gr.Accordion("Why not faster here?", open=False, elem_id="why-panel"):
        with gr.Row(elem_classes="low-row"):
            ask = gr.Button("Measure and explain", elem_id="why-ask", size="md")
            again = gr.Button("Try it", visible=False, elem_id="why-try", size="md")
        message = notice(INVITATION, elem_id="why-notice")
        shown = why_box("why")
    hidden: Any = {"show_progress": "hidden", "api_visibility": "private"}
    ask.click(lambda: say("Measuring ..."), None, message, queue=False, **hidden).then(
        explain, [player, *models], [shown, message, again], concurrency_limit=1, concurrency_id="compute", **hidden
    )
    gr.on(runs, lambda: (None, say(INVITATION), gr.Button(visible=False)), None, [shown, message, again], **hidden)
    set_again = [method, prompt, *lengths.values()]
    tried = again.click(partial(_set_length, list(lengths)), [player, shown], set_again, **hidden)
    tried.success(None, None, None, js="() => document.querySelector('#run')?.click()", **hidden)


def why_box(elem_id: str) -> gr.HTML:
    """Where an explanation is shown; its value is what `views.why_not_faster.why_panel` gives."""
    return drawn_panel("why", _ON_LOAD, {"specPlayer": PLAYER / "player.js"}, value=None, elem_id=elem_id)


def explain(shown: dict[str, Any], pair: str, target: str, draft: str) -> tuple[Any, Any, Any]:
    """(explanation, message, button that tries the better draft length) for the run that the player shows."""
    hidden = gr.Button(visible=False)
    try:
        trace = shown_trace(shown)
        if not (shown["live"] or shown.get("made_here")):
            raise PlaygroundError(NOT_OURS)
        found = on_device(lambda: explanation(trace, chosen_models(pair, target, draft)))
    except PlaygroundError as error:
        return None, complain(str(error)), hidden
    except Exception as error:
        _log.exception("A measurement failed")
        return (
            None,
            complain(f"The measurement broke off ({type(error).__name__}). The server's log says more."),
            hidden,
        )
    found["run"] = shown["run"]
    started = trace.started
    length = accepted_length(found, started.method, started.options)
    again = gr.Button(f"Try draft length {length}", visible=True) if length else hidden
    return found, say("Measured on this machine just now. Whatever else runs here makes times longer."), again


def accepted_length(found: dict[str, Any], method: str, options: dict[str, Any]) -> int | None:
    """The draft length that is predicted to do better, if there is one and the method can have it."""
    if found["try"]:
        with suppress(PlaygroundError):
            make_method(method, options | {"draft_length": found["try"]})
            return found["try"]
    return None


def _set_length(methods: list[str], shown: dict[str, Any], found: dict[str, Any]) -> list[Any]:
    """(method, prompt, *draft lengths): those of the run, with the length that was found better."""
    if found["run"] != shown["run"]:
        raise gr.Error(ANOTHER_RUN, print_exception=False)
    started = shown_trace(shown).started
    lengths = [found["try"] if name == started.method else gr.skip() for name in methods]
    return [started.method, started.prompt, *lengths]


def explanation(trace: Trace, pair: LoadedPair) -> dict[str, Any]:
    """The panel's content for a run of these models; measures them.

    Raises:
        PlaygroundError: if the run was made with other models.
    """
    started = trace.started
    names = [facts and facts["name"] for facts in (started.target, started.draft)]
    now = [model and model.facts()["name"] for model in (pair.target, pair.draft if started.draft else None)]
    if names != now:
        raise PlaygroundError(OTHER_MODELS)
    costs = calibrate(pair.target, pair.draft)
    plain = Request(
        make_method("autoregressive"),
        pair.target,
        started.prompt,
        prompt_ids=tuple(started.prompt_ids),
        max_new_tokens=32,
    )
    return why_panel(diagnose(trace, costs, plain_step_s(replace(plain, seed=started.seed))), costs)
