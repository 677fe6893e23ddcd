"""The numbers that runs are compared by."""

import json
from statistics import fmean

import pytest

from playground.decoding.method import make_method
from playground.metrics.comparison import (
    accepted_width,
    draft_sizes,
    drafting_cost,
    memory_bound_speed_up,
    run_numbers,
    verified_nodes,
)
from playground.metrics.energy import energy
from playground.metrics.hindsight import hindsight
from playground.trace.events import Scored, Trace
from tests.decoding.runs import request, trace_of
from tests.metrics.test_energy import known
from tests.metrics.traces import empty_trace, interrupted_trace
from tests.trace.example import autoregressive_trace, replace, speculative_trace


def test_the_empty_trace_has_no_costs():
    assert verified_nodes(Trace(())) is None and memory_bound_speed_up(Trace(())) is None
    numbers = run_numbers(empty_trace())
    assert numbers["verified_nodes"] is None and numbers["joules_per_token"] is None and numbers["mbsu"] is None


def test_plain_decoding_verifies_nothing_and_gains_nothing():
    assert verified_nodes(autoregressive_trace()) == 0
    assert memory_bound_speed_up(autoregressive_trace()) == 1


def test_beams_that_nobody_drafted_are_no_drafts():
    trace = trace_of(request(make_method("beam_search", {"width": 3}), length=4))
    assert max(len(event.nodes) for event in trace.events if isinstance(event, Scored)) == 3
    assert verified_nodes(trace) == 0


def test_the_accepted_width_is_told_of_rules_that_fill_depths():
    trace = trace_of(request(make_method("dsbd", {"num_draws": 4, "threshold": 0.7, "width": 1}), length=8))
    tested = [
        [outcome == "accepted" for node, outcome in zip(each.verified.nodes, each.verified.outcomes, strict=True)
         if outcome != "not_tested" and each.depth_of[node] == depth]
        for each in trace.rounds for depth in set(each.depth_of.values())
    ]  # fmt: skip
    assert accepted_width(trace) == pytest.approx(fmean(sum(depth) for depth in tested if depth))
    assert accepted_width(speculative_trace()) is None and accepted_width(Trace(())) is None


def test_the_example_by_hand():
    """Two rounds of two drafts, two draft calls each, 5 tokens; the draft has a tenth of the target's parameters."""
    trace = known(speculative_trace())
    assert verified_nodes(trace) == 2
    assert memory_bound_speed_up(trace) == pytest.approx(2.5 / (1 + 0.1 * 2))


def test_without_sizes_there_is_no_memory_bound_speed_up():
    """A trace that another tool wrote may not say them: the rest of its numbers stand."""
    trace = speculative_trace()
    start = trace.started
    bare = replace(start, target={key: value for key, value in start.target.items() if key != "parameters"})
    trace = Trace((bare, *trace.events[1:]))
    assert run_numbers(trace)["mbsu"] is None and hindsight(trace) is None
    assert run_numbers(trace)["block_efficiency"] == run_numbers(speculative_trace())["block_efficiency"]


def test_energy_is_told_per_emitted_token_and_its_lack_with_a_reason():
    numbers = run_numbers(known(speculative_trace()))
    assert numbers["joules_per_token"] is None and numbers["energy_reason"] == "no sensor"
    assert 0 < numbers["estimated_rejected_joules_per_token"] < numbers["estimated_joules_per_token"]


def test_a_row_is_flat_json_with_the_same_keys_whatever_happened():
    rows = [run_numbers(trace) for trace in (empty_trace(), interrupted_trace(), speculative_trace())]
    assert len({tuple(json.loads(json.dumps(row, allow_nan=False))) for row in rows}) == 1
    assert not any(isinstance(value, dict | list) for row in rows for value in row.values())


def test_every_number_per_token_is_its_total_over_the_emitted_tokens():
    *before, end = known(speculative_trace()).events
    trace = Trace((*before, replace(end, energy={"joules": 12.5, "source": "a counter", "reason": None})))
    numbers, whole = run_numbers(trace), energy(trace)
    assert [numbers[f"{part}_s_per_token"] for part in ("draft", "verify", "other")] == pytest.approx(
        [0.008 / 5, 0.02 / 5, 0.003 / 5]
    )
    assert (numbers["joules"], numbers["joules_per_token"], numbers["energy_source"]) == (12.5, 2.5, "a counter")
    for name in ("joules", "rejected_joules"):
        assert numbers[f"estimated_{name}_per_token"] == pytest.approx(whole[f"estimated_{name}"] / 5)


def test_several_draft_models_cost_what_each_of_them_reads():
    """Drafts of a tenth and of a fifth of the target; 3 and 2 passes of the first in two rounds, 1 and 4 of the other.

    One pass of the smaller is 0.1 of a target call, so the rounds' drafting is (5 * 0.1 + 5 * 0.2) / 2 of one.
    """
    trace = known(speculative_trace(), work=[[3, 3, 9, 1, 2, 4], [2, 2, 12, 4, 5, 7]])
    two = replace(trace.started, other_drafts=[trace.started.draft | {"parameters": 10}])
    trace = Trace((two, *trace.events[1:]))
    assert draft_sizes(trace) == pytest.approx([0.1, 0.2])
    assert drafting_cost(trace) == pytest.approx(0.75)
    assert memory_bound_speed_up(trace) == pytest.approx(2.5 / 1.75)
