"""The explanation why an entry of a race was not faster: all its runs together, by the machine's measured costs."""

from statistics import fmean
from typing import Any

import gradio as gr

from playground.bench.calibration import plain_step_s
from playground.bench.entry import DRAFTER
from playground.decoding.record import run
from playground.decoding.run_spec import rebuild_request
from playground.errors import PlaygroundError
from playground.ui.contract.from_page import ExplainRow
from playground.ui.live.device import on_device
from playground.ui.page.controls import HIDDEN
from playground.ui.page.drawn_panel import heard, on_page, with_json
from playground.ui.page.messages import failure, notice, say
from playground.ui.page.model_chooser import chosen_models, models_of
from playground.ui.page.why import accepted_length, believed, why_box
from playground.ui.runs.race import lineup
from playground.ui.runs.race.papers import chosen, leave_paper
from playground.ui.runs.race.result import RACE_IS_OVER, Result
from playground.views.run.acceptance_by_depth import depth_chart
from playground.views.why_not_faster import why_panel
from playground.words import counted, word

MADE_AGAIN = 2  # runs of a recorded race, which were made elsewhere or at another time

_SHOW = on_page("scrollTo", "#race-why")


def build(panel: gr.HTML, result: gr.State, line_up: gr.Dropdown, of_paper: list[Any]) -> None:
    """Lay it out below the race and connect it.

    Args:
        panel: whose table asks.
        result: the race that is shown.
        line_up, of_paper: what a race of a better draft length changes.
    """
    with gr.Column(elem_id="race-why"):
        message = notice(elem_id="race-why-notice")
        again = gr.Button(visible=False, elem_id="race-why-try", size="md", scale=0)
        shown = why_box("race-why-box")
    better = gr.State([])  # the row's entry, and the same with a draft length that is predicted to do better
    panel.explain_row(lambda: say(word("measuring_models")), None, message, queue=False, **HIDDEN)
    panel.explain_row(None, None, None, js=_SHOW, **HIDDEN)
    explained = panel.explain_row(
        with_json(explain_row, 0),
        result,
        [shown, message, again, better],
        concurrency_limit=1,
        concurrency_id="compute",
        **HIDDEN,
    )
    explained.then(None, None, None, js=_SHOW, **HIDDEN)
    result.change(lambda: (None, say(""), gr.Button(visible=False)), None, [shown, message, again], **HIDDEN)
    tried = again.click(race_both, better, [line_up, *of_paper], **HIDDEN)
    tried.success(None, None, None, js=on_page("press", "#race"), **HIDDEN)


def explain_row(result: Result | None, event: gr.EventData) -> tuple[Any, Any, Any, list[str]]:
    """(explanation, message, button that races a better length, the two entries of that race)."""
    hidden = gr.Button(visible=False)
    label = heard(event, ExplainRow).label
    try:
        if result is None or label not in result.setup.names():
            raise PlaygroundError(RACE_IS_OVER)
        diagnosis = on_device(lambda: explanation(result, label))
    except Exception as error:
        return None, failure(word("watch_error_the_measurement"), error), hidden, []
    title = result.setup.names()[label]["title"]
    entry = next(entry for entry in result.setup.entries if entry.label == label)
    length = accepted_length(diagnosis["try"], entry.method, entry.options)
    said = entry.options | {DRAFTER: entry.drafter}
    both = [lineup.written(entry.method, each) for each in (said, said | {"draft_length": length})] if length else []
    again = gr.Button(word("race_against_length", length=length), visible=True) if length else hidden
    runs = len(result.runs.numbers(label))
    if result.recorded:
        runs = min(MADE_AGAIN, len(result.runs.traces(label)))
    key = "race_why_recorded" if result.recorded else "race_why"
    return diagnosis, say(word(key, entry=title, runs=counted("runs", runs)), word("race_calls_measured")), again, both


def explanation(result: Result, label: str) -> dict[str, Any]:
    """Return the panel's content for all runs of an entry; measures the models, and makes recorded runs again.

    Raises:
        PlaygroundError: if there are no runs to explain, or none of plain decoding to compare them with.
    """
    traces, plain_s = result.runs.traces(label), result.runs.plain_s(label)
    if not traces or plain_s is None:
        raise PlaygroundError(word("race_no_plain"))
    drafter = next(entry.drafter for entry in result.setup.entries if entry.label == label)
    pair = chosen_models(*models_of(result.setup), drafter).load()
    if result.recorded:  # calls cost something else where and when those runs were made
        requests = [rebuild_request(trace, pair) for trace in traces[:MADE_AGAIN]]
        traces, plain_s = [run(each) for each in requests], fmean(map(plain_step_s, requests))
    diagnosis, costs = believed(traces, plain_s, (pair.target, pair.draft), lambda: (traces, plain_s))
    panel = why_panel(diagnosis, costs)
    if diagnosis and diagnosis.depths:
        panel["charts"].append(depth_chart(diagnosis.depths))
    return panel


def race_both(better: list[str]) -> tuple[Any, ...]:
    """(line-up, preset, about, leave): the entry and its rival, and no paper's comparison."""
    return chosen(better), *leave_paper()
