"""The pictures behind "Why not faster here?": what stands in them is what was measured."""

from __future__ import annotations

import json

from playground.metrics.diagnosis import diagnose
from playground.views.why_not_faster import round_cost_figure, verification_figure, why_panel
from tests.metrics.test_diagnosis import COSTS
from tests.metrics.traces import coinciding_trace, empty_trace
from tests.trace.example import speculative_trace


def test_an_empty_run_gets_a_sentence_and_no_picture():
    panel = why_panel(diagnose(empty_trace(), COSTS), COSTS)
    assert "no finished round" in panel["verdict"]
    assert "charts" not in panel


def test_the_bar_ends_at_the_rounds_cost_and_the_diamond_stands_at_the_tokens():
    found = diagnose(speculative_trace(), COSTS)
    figure = round_cost_figure(found)
    assert abs(sum(bar.x[0] for bar in figure.data if bar.type == "bar") - found.round_steps) < 1e-3
    marks = {trace.name: trace.x[0] for trace in figure.data if trace.type == "scatter"}
    assert abs(marks["emitted"] - found.emitted) < 1e-3


def test_the_curve_begins_at_one_and_the_runs_point_lies_on_it():
    found = diagnose(speculative_trace(), COSTS)
    chain, tree, point = verification_figure(found, COSTS).data
    assert chain.y[0] == tree.y[0] == 1
    assert point.y[0] == round(found.verification, 4)


def test_only_chains_have_a_break_even_line():
    ids = {
        name: [chart["id"] for chart in why_panel(diagnose(trace, COSTS), COSTS)["charts"]]
        for name, trace in (("chain", speculative_trace()), ("siblings", coinciding_trace()))
    }
    assert ids["chain"] == ["why_round", "why_verification", "why_break_even"]
    assert ids["siblings"] == ["why_round", "why_verification"]


def test_times_that_cannot_be_explain_nothing():
    """Ten times the tokens per call: the sentence says so, and what was counted is all that is told."""
    panel = why_panel(diagnose(speculative_trace(), COSTS, plain_s=1.0), COSTS)
    assert panel["verdict"].startswith("No answer. ") and panel["charts"] == [] and panel["try"] is None
    assert panel["facts"] and not any("oracle" in name or "cost ratio" in name for name, _ in panel["facts"])


def test_the_panel_is_plain_json_and_tables_are_rectangular():
    panel = why_panel(diagnose(speculative_trace(), COSTS), COSTS)
    assert json.loads(json.dumps(panel)) == panel
    for chart in panel["charts"]:
        assert {len(row) for row in chart["rows"]["body"]} == {len(chart["rows"]["header"])}
