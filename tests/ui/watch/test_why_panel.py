"""The "Why not faster here?" panel's handlers, called as plain functions."""

from __future__ import annotations

import gradio as gr
import pytest

from playground.decoding.method import make_method
from playground.models.loading import LoadedPair
from playground.models.table_model import TableModel
from playground.trace.events import Trace
from playground.ui.page.drawn_panel import json_text
from playground.ui.page.messages import complain
from playground.ui.watch import why_panel
from playground.ui.watch.again import OTHER_MODELS
from playground.ui.watch.player_panel import chunk, live_value, recorded_value
from tests.decoding.runs import request, trace_of
from tests.trace.example import speculative_trace
from tests.ui.live.measured import measure_briefly
from tests.ui.watch.test_tab import run


@pytest.mark.slow
def test_a_run_made_here_is_explained(monkeypatch):
    measure_briefly(monkeypatch, "playground.ui.watch.why_panel")
    value, _ = run(method="speculative_sampling", tokens=24)[-1]
    result, message, _ = why_panel.explain(value, "bundled", "", "")
    assert message["kind"] == "quiet"
    assert result["verdict"].split(",")[0] in ("Faster", "Slower", "As fast")
    assert [chart["id"] for chart in result["charts"]] == [
        "why_round", "why_verification", "why_break_even", "why_load",
    ]  # fmt: skip


def test_a_run_whose_times_cannot_be_is_made_again(monkeypatch):
    """Plain decoding is said to take a minute a token: no run of the toys is believed beside that."""
    target, draft = TableModel.random(5, order=2, seed=5), TableModel.random(5, order=1, seed=6)
    run_request = request(make_method("speculative_sampling"), target=target, draft=draft, length=12)
    trace, made = trace_of(run_request), []
    monkeypatch.setattr(why_panel, "plain_step_s", lambda _: 60.0)
    monkeypatch.setattr(why_panel, "run", lambda again: made.append(again) or trace_of(again))
    result = why_panel.explanation(trace, LoadedPair(target, draft))
    assert result["verdict"].startswith("Estimate: ") and len(result["charts"]) == 1 and result["try"] is None
    assert len(made) == why_panel.REPEATS
    assert [event.tokens for event in trace_of(made[0]).committed] == [event.tokens for event in trace.committed]


def test_a_recorded_run_is_refused_for_its_times_are_of_elsewhere():
    result, message, button = why_panel.explain(recorded_value(speculative_trace()), "bundled", "", "")
    assert result is None and not button.visible
    assert message == complain(why_panel.NOT_OURS)


def test_a_run_of_other_models_is_refused():
    value = live_value() | {"chunks": [chunk(speculative_trace().events)]}
    assert why_panel.explain(value, "bundled", "", "")[1]["text"] == OTHER_MODELS


def test_an_empty_player_is_refused():
    assert "No run is on the page" in why_panel.explain(live_value(), "bundled", "", "")[1]["text"]


def test_the_better_length_goes_to_the_runs_own_method(monkeypatch):
    trace = speculative_trace()
    value = live_value() | {"chunks": [chunk(Trace(trace.events).events)]}
    chosen = {"bild": {"rollback": 2}, trace.started.method: {"draft_temperature_factor": 2}}
    method, prompt, options = why_panel.set_length(value, json_text({"try": 3, "run": value["run"]}), chosen)
    assert (method, prompt) == (trace.started.method, trace.started.prompt)
    assert options == chosen | {method: {"draft_temperature_factor": 2, "draft_length": 3}}


def test_a_length_found_for_another_run_is_not_tried():
    value = live_value() | {"chunks": [chunk(speculative_trace().events)]}
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
    assert why_panel.accepted_length({"try": length}, method, options) == offered


def test_whatever_breaks_becomes_a_sentence(monkeypatch):
    def broken(*_):
        raise RuntimeError("<b>no</b>")

    monkeypatch.setattr(why_panel, "explanation", broken)
    value = live_value() | {"chunks": [chunk(speculative_trace().events)]}
    assert "broke off (RuntimeError)" in why_panel.explain(value, "bundled", "", "")[1]["text"]
