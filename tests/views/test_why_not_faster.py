"""The pictures behind "Why not faster here?": what stands in them is what was measured."""

import json
from dataclasses import replace

import pytest

from playground.metrics.diagnosis import by_costs, diagnose
from playground.views.why_not_faster import (
    _round_chart,
    break_even_figure,
    counted,
    load_figure,
    round_cost_figure,
    step_costs,
    verification_figure,
    why_panel,
)
from tests.metrics.test_diagnosis import COSTS
from tests.metrics.traces import coinciding_trace, empty_trace
from tests.trace.example import speculative_trace


def test_an_empty_run_gets_a_sentence_and_no_picture():
    panel = why_panel(diagnose([empty_trace()], COSTS), COSTS)
    assert "no finished round" in panel["verdict"]
    assert "charts" not in panel


def test_only_chains_have_a_break_even_line():
    ids = {
        name: [chart["id"] for chart in why_panel(diagnose([trace], COSTS), COSTS)["charts"]]
        for name, trace in (("chain", speculative_trace()), ("siblings", coinciding_trace()))
    }
    assert ids["chain"] == ["why_round", "why_verification", "why_break_even", "why_load"]
    assert ids["siblings"] == ["why_round", "why_verification"]


def test_load_begins_at_the_prediction_for_a_single_sequence_and_names_the_batch_that_nothing_pays_at():
    """Costs that do not grow with nodes up to 8 and then by the node: what is free alone is paid for by a batch."""
    chain = diagnose([speculative_trace()], COSTS).chain
    costs = replace(COSTS, sizes=(1, 8, 16), chain_s=(0.01, 0.01, 0.02), tree_sizes=(1, 64), tree_s=(0.01, 0.08))
    figure = load_figure(chain, step_costs(chain, costs))
    this, best, perfect, _ = [trace.y for trace in figure.data]
    assert step_costs(chain, costs).tokens == (1, 8, 16, 64)
    assert step_costs(replace(chain, rest_s=0.002), costs).round_ms == pytest.approx(2)
    assert step_costs(replace(chain, rest_s=-0.002), costs).round_ms == 0, "no rest is less than nothing"
    assert load_figure(chain, step_costs(chain, costs, 12.0)).data[0].y[0] < this[0], "it reads 12 tokens a second time"
    assert this[0] <= best[0] <= perfect[0] and perfect[0] > 1 > perfect[-1]
    chart = why_panel(diagnose([speculative_trace()], COSTS), costs)["charts"][-1]
    rows = {row[0]: row for row in chart["rows"]["body"]}
    assert rows[32][1:3] == [0, "1.000"] and "even a perfect drafter loses" in chart["summary"]


def test_a_draft_longer_than_those_that_are_compared_has_its_own_line_under_load():
    chain = replace(diagnose([speculative_trace()], COSTS).chain, draft_length=32)
    this, best, *_ = load_figure(chain, step_costs(chain, COSTS)).data
    assert len(this.y) == 6 and this.y[0] < best.y[0]


def test_times_that_cannot_be_are_replaced_by_an_estimate_from_counts_and_costs():
    """Ten times the tokens per call: the answer is an estimate that no clock of the run has a part in."""
    diagnosis = diagnose([speculative_trace()], COSTS, plain_s=1.0)
    panel, estimate = why_panel(diagnosis, COSTS), by_costs(diagnosis, COSTS)
    assert panel["verdict"].startswith(f"Estimate: {estimate.speed_up:.2f}x") and panel["try"] is None
    undoubted = by_costs(diagnose([speculative_trace()], COSTS), COSTS)
    assert estimate.speed_up == undoubted.speed_up <= diagnosis.emitted
    [chart] = panel["charts"]
    assert chart["title"].endswith("(an estimate)") and len(chart["rows"]["body"]) == 5
    assert panel["facts"] and not any("oracle" in name or "cost ratio" in name for name, _ in panel["facts"])


def test_the_panel_is_plain_json_and_tables_are_rectangular():
    panel = why_panel(diagnose([speculative_trace()], COSTS), COSTS)
    assert json.loads(json.dumps(panel)) == panel
    for chart in panel["charts"]:
        assert {len(row) for row in chart["rows"]["body"]} == {len(chart["rows"]["header"])}


def test_the_facts_and_tables_of_the_example_by_hand():
    """Steps of 10 ms, a call over one node 9 ms and over three 11 ms, a draft call 2 ms; alpha 0.75."""
    panel = why_panel(diagnose([speculative_trace()], COSTS), COSTS)
    assert [value for _, value in panel["facts"]] == ["0.22", "75%", "75%", "25%", "10%", "1.94×"]
    cost, nodes, even, _ = panel["charts"]
    assert cost["rows"]["body"] == [
        ["target", "1.000"], ["draft", "0.400"], ["the rest", "0.150"], ["all of it", "1.550"],
        ["tokens emitted", "2.500"],
    ]  # fmt: skip
    assert nodes["rows"]["body"] == [[1, "9.00", "9.00"], [2, "10.00", "–"], [4, "12.00", "14.00"]]
    assert nodes["summary"].startswith("This run's 3.0 nodes a call take 1.22 times as long as one")
    assert even["summary"].startswith(
        "Acceptance is 0.75; draft length 2 needs 0.33 to break even by the textbook. Predicted 1.40x, measured 1.61x."
    )
    # 1 + 0.75, + 0.75^2, ... tokens in n draft calls, a target call over n + 1 nodes and 0.5 ms a node of all the rest
    assert even["rows"]["body"][:3] == [
        [1, f"{1.75 * 10 / (2 + 10 + 1):.3f}"],
        [2, f"{2.3125 * 10 / (4 + 11 + 1.5):.3f}"],
        [3, f"{2.734375 * 10 / (6 + 12 + 2):.3f}"],
    ]
    assert len(even["rows"]["body"]) == 16


def test_the_sentence_under_the_bar_says_what_a_round_brings_and_costs():
    diagnosis = diagnose([speculative_trace()], COSTS)  # a round takes 1.55 steps
    for emitted in (1.56, 1.0):
        summary = _round_chart(replace(diagnosis, emitted=emitted))["summary"]
        assert summary.startswith(f"A round brings {emitted:.2f} tokens and costs 1.55 plain steps.")


def test_the_lines_and_marks_of_the_example_stand_where_the_formulas_put_them():
    diagnosis = diagnose([speculative_trace()], COSTS)
    row, tree, point = verification_figure(diagnosis, COSTS).data
    assert (list(row.x), list(row.y)) == ([1, 2, 4], [1, 1.1111, 1.3333])
    assert (list(tree.x), list(tree.y)) == ([1, 4], [1, 1.5556]) and point.x[0] == 3
    predicted, textbook, even, mark = break_even_figure(diagnosis, diagnosis.chain, COSTS).data
    assert "predicted" in predicted.name and "textbook" in textbook.name and set(even.y) == {1}
    assert (predicted.y[0], predicted.y[-1]) == (round(10 / 16.5, 4), round(30 / 16.5, 4))  # 1 token, and all of 3
    assert (textbook.y[0], textbook.y[-1]) == (round(9 / 13, 4), round(27 / 13, 4))
    assert (predicted.x[0], predicted.x[-1]) == (0, 1) and (mark.x[0], mark.y[0]) == (0.75, round(50 / 31, 4))
    marks = {each.name: each.x[0] for each in round_cost_figure(diagnosis).data if each.type == "scatter"}
    assert marks == {"emitted": 2.5, "all accepted": 3}
    bars = {each.name: each.x[0] for each in round_cost_figure(diagnosis).data if each.type == "bar"}
    assert bars == {"target": 1.0, "draft": 0.4, "the rest": 0.15}


def test_what_is_counted_tells_positions_from_draws():
    """Three draws at one position: one rejected, one accepted, one not tested."""
    assert [value for _, value in counted(diagnose([coinciding_trace()], COSTS))] == ["100%", "50%", "67%"]
