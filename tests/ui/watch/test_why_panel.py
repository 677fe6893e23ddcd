"""The "Why not faster here?" panel's handlers, called as plain functions."""

import gradio as gr
import pytest

from playground.decoding.method import make_method
from playground.decoding.run_spec import OTHER_MODELS
from playground.models.loading import LoadedPair
from playground.models.table_model import TableModel
from playground.trace.storage import events_json
from playground.ui.page import why
from playground.ui.page.drawn_panel import json_text
from playground.ui.watch import why_panel
from playground.ui.watch.player_panel import live_value, recorded_value
from tests.decoding.runs import request, trace_of
from tests.trace.example import speculative_trace
from tests.ui.live.measured import measure_briefly
from tests.ui.watch.test_tab import run


@pytest.mark.slow
def test_a_run_made_here_is_explained(monkeypatch):
    measure_briefly(monkeypatch)
    value, _ = run(method="speculative_sampling", tokens=24)[-1]
    result, message, _ = why_panel.explain(value, "bundled", "", "")
    assert message["kind"] == "quiet"
    assert result["verdict"].split(",")[0] in ("Faster", "Slower", "As fast")
    drawn = ["why_round", "why_verification", "why_break_even", "why_load"]
    assert [chart["id"] for chart in result["charts"]] == drawn


def test_a_run_whose_times_cannot_be_is_made_again(monkeypatch):
    """Plain decoding is said to take a minute a token, before and after a repeat on average.

    No run of the toys is believed beside that.
    """
    target, draft = TableModel.random(5, order=2, seed=5), TableModel.random(5, order=1, seed=6)
    run_request = request(make_method("speculative_sampling"), target=target, draft=draft, length=12)
    trace, made, steps_s, diagnose = trace_of(run_request), [], [], why.diagnose
    seconds = iter([60.0, 40.0, 80.0, 40.0, 80.0])
    monkeypatch.setattr(why_panel, "plain_step_s", lambda _: next(seconds))
    monkeypatch.setattr(why, "diagnose", lambda *of: steps_s.append(of[2]) or diagnose(*of))
    monkeypatch.setattr(why_panel, "run", lambda again: made.append(again) or trace_of(again))
    result = why_panel.explanation(trace, LoadedPair(target, draft))
    assert result["verdict"].startswith("Estimate: ") and len(result["charts"]) == 1 and result["try"] is None
    assert len(made) == why.REPEATS and set(steps_s) == {60.0}
    assert [event.tokens for event in trace_of(made[0]).committed] == [event.tokens for event in trace.committed]


def ours():
    """Return what the player shows of a run that was made here, by models of somebody's."""
    return live_value() | {"chunks": [events_json(speculative_trace().events)]}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (recorded_value(speculative_trace()), why_panel.NOT_OURS),  # its times are of elsewhere
        (ours(), OTHER_MODELS),
        (live_value(), "No run is on the page"),
    ],
)
def test_what_cannot_be_explained_is_refused(value, said):
    result, message, button = why_panel.explain(value, "bundled", "", "")
    assert result is None and not button.visible
    assert message["kind"] == "error" and str(said) in message["text"]


def test_the_better_length_goes_to_the_runs_own_method(monkeypatch):
    trace = speculative_trace()
    value = ours()
    chosen = {"bild": {"rollback": 2}, trace.started.method: {"draft_temperature_factor": 2}}
    method, prompt, options = why_panel.set_length(value, json_text({"try": 3, "run": value["run"]}), chosen)
    assert (method, prompt) == (trace.started.method, trace.started.prompt)
    assert options == chosen | {method: {"draft_temperature_factor": 2, "draft_length": 3}}
    with pytest.raises(gr.Error, match="another run"):
        why_panel.set_length(value, json_text({"try": 3, "run": "of before"}), {})


@pytest.mark.parametrize(
    ("method", "options", "length", "offered"),
    [
        ("speculative_sampling", {}, 7, 7),
        ("speculative_sampling", {}, None, None),
        ("dynamic_tree", {"width": 1}, 7, None),  # has no draft length
        ("rsd_c", {"first_branching": 1, "second_branching": 1}, 12, None),  # takes up to 8
    ],
)
def test_only_a_length_that_the_method_takes_is_offered(method, options, length, offered):
    assert why.accepted_length(length, method, options) == offered


def test_whatever_breaks_becomes_a_sentence(monkeypatch):
    monkeypatch.setattr(why_panel, "explanation", lambda *_: 1 // 0)
    assert "broke off (ZeroDivisionError)" in why_panel.explain(ours(), "bundled", "", "")[1]["text"]
