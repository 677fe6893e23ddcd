"""Acceptance by q, and the best length in hindsight: by pencil, and on what has neither."""

from dataclasses import replace
from itertools import pairwise

import pytest

from playground.metrics.hindsight import hindsight
from playground.metrics.reliability import ENDS, reliability
from playground.trace import load
from playground.trace.events import Trace
from tests.metrics.traces import coinciding_trace, empty_trace, interrupted_trace
from tests.trace.example import autoregressive_trace, speculative_trace


def with_tests(tests):
    start, *events = speculative_trace().events
    return Trace((replace(start, tests=tests), *events))


@pytest.mark.parametrize("trace", [empty_trace(), autoregressive_trace(), with_tests("prefixes"), with_tests("")])
def test_where_no_draw_is_judged_for_itself_nothing_is_claimed(trace):
    assert all(each.num_judged == 0 and each.rate is None for each in reliability(trace))


def test_the_example_by_pencil():
    """q of the four drafts: 0.5, 0.4, 0.5, 0.25; only the second was refused."""
    found = reliability(speculative_trace())
    assert [(each.num_judged, each.num_accepted) for each in found] == [(0, 0), (1, 1), (3, 2), (0, 0), (0, 0)]
    assert found[2].rate == pytest.approx(2 / 3)
    assert [(each.low, each.high) for each in found] == list(pairwise(ENDS))


def test_a_draw_that_was_not_tested_does_not_count():
    assert [(each.num_judged, each.num_accepted) for each in reliability(coinciding_trace())[1:3]] == [(1, 1), (1, 0)]


def test_what_was_certain_tells_nothing_of_the_draft_models_doubt():
    assert reliability(load("assets/traces/greedy_draft.json.gz")) == []


@pytest.mark.parametrize("name", ["speculative_sampling", "rsd_s", "specinfer", "sequoia"])
def test_every_judged_draw_is_in_one_interval(name):
    trace = load(f"assets/traces/{name}.json.gz")
    found = reliability(trace)
    outcomes = [outcome for each in trace.rounds for outcome in each.judged.outcomes]
    assert sum(each.num_judged for each in found) == len(outcomes) - outcomes.count("unjudged") > 0
    assert sum(each.num_accepted for each in found) == outcomes.count("accepted")


def test_hindsight_of_the_example_by_pencil():
    """Of four layers one was refused, and its call took 2 ms of 31."""
    found = hindsight(speculative_trace())
    assert (found.drafted, found.kept, found.whole) == (4, 3, 1)
    assert [(each.drafted, each.kept, each.is_whole) for each in found.rounds] == [(2, 1, False), (2, 2, True)]
    assert found.wasted_s == pytest.approx(0.002) and found.best_s == pytest.approx(found.seconds - 0.002)
    draft, target = (
        facts["parameters"] for facts in (speculative_trace().started.draft, speculative_trace().started.target)
    )
    assert found.taken.tokens == found.best.tokens == 2.5
    assert (found.taken.length, found.taken.cost) == (2, pytest.approx(1 + 2 * draft / target))
    assert (found.best.length, found.best.cost) == (1.5, pytest.approx(1 + 1.5 * draft / target))
    assert (found.fixed.length, found.fixed.tokens) == (1, 2)  # of the first round: the budget may have cut the last


@pytest.mark.parametrize("trace", [empty_trace(), autoregressive_trace(), with_tests("layers"), with_tests("")])
def test_without_drafts_or_with_several_texts_there_is_no_hindsight(trace):
    assert hindsight(trace) is None


def test_a_round_that_was_cut_is_in_no_number():
    assert len(hindsight(interrupted_trace()).rounds) == 1


@pytest.mark.parametrize("name", ["speculative_sampling", "block_verification", "greedy_draft", "rsd_s"])
def test_hindsight_keeps_every_emitted_draft(name):
    trace = load(f"assets/traces/{name}.json.gz")
    found = hindsight(trace)
    assert found.kept == sum(each.committed.origins.count("accepted") for each in trace.rounds)
    assert 0 <= found.wasted_s <= sum(each.draft_s for each in found.rounds) <= found.seconds
    assert found.best.tokens == found.taken.tokens and found.best.cost <= found.taken.cost
