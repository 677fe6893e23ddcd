"""The "Why not faster here?" panel's handlers, called as plain functions."""

from __future__ import annotations

from playground.trace.events import Trace
from playground.ui import why_panel
from playground.ui.player_panel import chunk, live_value, recorded_value
from tests.trace.example import speculative_trace
from tests.ui.test_watch import run


def test_a_run_made_here_is_explained():
    value, _ = run(method="speculative_sampling", max_new_tokens=24)[-1]
    found, message, _ = why_panel.explain(value, "bundled", "", "")
    assert message["kind"] == "quiet"
    assert found["verdict"].split(",")[0] in ("Faster", "Slower")
    assert [chart["id"] for chart in found["charts"]] == ["why_round", "why_verification", "why_break_even"]


def test_a_recorded_run_is_refused_for_its_times_are_of_elsewhere():
    found, message, button = why_panel.explain(recorded_value(speculative_trace()), "bundled", "", "")
    assert found is None and not button.visible
    assert message == {"text": why_panel.NOT_OURS, "kind": "error"}


def test_a_run_of_other_models_is_refused():
    value = live_value() | {"chunks": [chunk(speculative_trace().events)]}
    assert why_panel.explain(value, "bundled", "", "")[1]["text"] == why_panel.OTHER_MODELS


def test_an_empty_player_is_refused():
    assert "No run is on the page" in why_panel.explain(live_value(), "bundled", "", "")[1]["text"]


def test_the_better_length_goes_to_the_runs_own_method(monkeypatch):
    value = live_value() | {"chunks": [chunk(Trace(speculative_trace().events).events)]}
    values = why_panel._set_length(["bild", "speculative_sampling"], value, {"try": 3})
    assert values[1] == 3 and values[0] != 3


def test_whatever_breaks_becomes_a_sentence(monkeypatch):
    def broken(*_):
        raise RuntimeError("<b>no</b>")

    monkeypatch.setattr(why_panel, "explanation", broken)
    value = live_value() | {"chunks": [chunk(speculative_trace().events)]}
    assert "broke off (RuntimeError)" in why_panel.explain(value, "bundled", "", "")[1]["text"]
