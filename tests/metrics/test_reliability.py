"""Acceptance by q, and the best length in hindsight: by pencil, and on what has neither."""

from itertools import pairwise

import pytest

from playground.decoding.method import make_method
from playground.metrics.hindsight import RoundHindsight, _best_fixed, hindsight
from playground.metrics.reliability import ENDS, reliability
from playground.trace import load
from playground.trace.events import Trace, Verified
from tests.decoding.runs import request, trace_of
from tests.metrics.test_energy import known
from tests.metrics.traces import coinciding_trace, empty_trace, interrupted_trace
from tests.trace.example import autoregressive_trace, replace, speculative_trace


def with_tests(tests):
    start, *events = speculative_trace().events
    return Trace((replace(start, tests=tests), *events))


@pytest.mark.parametrize("trace", [empty_trace(), autoregressive_trace(), with_tests("prefixes"), with_tests("")])
def test_where_no_draw_is_judged_for_itself_nothing_is_claimed(trace):
    assert all(each.num_tested == 0 and each.rate is None for each in reliability(trace))


def test_the_example_by_pencil():
    """q of the four drafts: 0.5, 0.4, 0.5, 0.25; only the second was refused."""
    bins = reliability(speculative_trace())
    assert [(each.num_tested, each.num_accepted) for each in bins] == [(0, 0), (1, 1), (3, 2), (0, 0), (0, 0)]
    assert bins[2].rate == pytest.approx(2 / 3)
    assert [(each.low, each.high) for each in bins] == list(pairwise(ENDS))


def test_a_draw_that_was_not_tested_does_not_count():
    assert [(each.num_tested, each.num_accepted) for each in reliability(coinciding_trace())[1:3]] == [(1, 1), (1, 0)]


def test_what_was_certain_tells_nothing_of_the_draft_models_doubt():
    assert reliability(load("assets/traces/greedy_draft.json.gz")) == []


@pytest.mark.parametrize("name", ["speculative_sampling", "rsd_s", "specinfer", "sequoia"])
def test_every_judged_draw_is_in_one_interval(name):
    trace = load(f"assets/traces/{name}.json.gz")
    bins = reliability(trace)
    outcomes = [outcome for each in trace.rounds for outcome in each.verified.outcomes]
    assert sum(each.num_tested for each in bins) == len(outcomes) - outcomes.count("not_tested") > 0
    assert sum(each.num_accepted for each in bins) == outcomes.count("accepted")


def test_hindsight_of_the_example_by_pencil():
    """Of four depths one was refused, and its call took 2 ms of 31."""
    lengths = hindsight(speculative_trace())
    assert (lengths.drafted, lengths.accepted, lengths.whole) == (4, 3, 1)
    assert [(each.drafted, each.accepted, each.is_whole) for each in lengths.rounds] == [(2, 1, False), (2, 2, True)]
    assert lengths.wasted_s == pytest.approx(0.002) and lengths.best_s == pytest.approx(lengths.seconds - 0.002)
    assert lengths.actual.tokens == lengths.best.tokens == 2.5
    # a draft call costs a tenth of a target call, as the draft has a tenth of its parameters
    assert (lengths.actual.length, lengths.actual.cost) == (2, pytest.approx(1.2))
    assert (lengths.best.length, lengths.best.cost) == (1.5, pytest.approx(1.15))
    # The first round's cost: the budget may have cut the last.
    assert (lengths.fixed.length, lengths.fixed.tokens) == (1, 2)


@pytest.mark.parametrize("trace", [empty_trace(), autoregressive_trace(), with_tests("layers"), with_tests("")])
def test_without_drafts_or_with_several_texts_there_is_no_hindsight(trace):
    assert hindsight(trace) is None


def test_a_round_that_was_cut_is_in_no_number():
    assert len(hindsight(interrupted_trace()).rounds) == 1


@pytest.mark.parametrize(
    "name", ["mtad", "bild", "typical_acceptance", "importance_sampling", "rsd_s", "block_verification"]
)
def test_a_refused_draft_is_not_kept_where_the_correction_is_the_same_token(name):
    """By origin: a rule without a residual draws the refused token again, and others one that was not tested."""
    several = {"mtad": {"tau": 0.9}, "importance_sampling": {"num_drafts": 4, "lp_size": 1}}
    options = (several | {"typical_acceptance": {"epsilon": 0.6, "delta": 1.0}}).get(name, {})
    trace = trace_of(request(make_method(name, options), length=400))
    lengths = hindsight(trace)
    assert lengths.accepted == sum(each.committed.origins.count("accepted") for each in trace.rounds)
    by_token = sum(
        not set(drafted.nodes).isdisjoint(each.committed.nodes) for each in trace.rounds for drafted in each.drafted
    )
    assert by_token >= lengths.accepted and (by_token > lengths.accepted or name in ("rsd_s", "block_verification"))


@pytest.mark.parametrize("name", ["speculative_sampling", "block_verification", "greedy_draft", "rsd_s"])
def test_hindsight_keeps_every_emitted_draft(name):
    trace = load(f"assets/traces/{name}.json.gz")
    lengths = hindsight(trace)
    assert lengths.accepted == sum(each.committed.origins.count("accepted") for each in trace.rounds)
    assert 0 <= lengths.wasted_s <= sum(each.draft_s for each in lengths.rounds) <= lengths.seconds
    assert lengths.best.tokens == lengths.actual.tokens and lengths.best.cost <= lengths.actual.cost


def test_the_expected_rate_is_the_mean_chance_of_the_draws_and_an_edge_belongs_to_the_interval_above():
    """Chances 1, 0.25, 0.8 and 1 of the example's four drafts with q 0.5, 0.4, 0.5, 0.25."""
    bins = reliability(speculative_trace())
    assert [each.expected for each in bins] == [None, 1.0, pytest.approx((1 + 0.25 + 0.8) / 3), None, None]
    events = [replace(event, draft_probs=[0.2, 1.0]) if isinstance(event, Verified) else event
              for event in speculative_trace().events]  # fmt: skip
    assert [each.num_tested for each in reliability(Trace(tuple(events)))] == [0, 2, 0, 0, 2]


def test_the_cost_of_a_depth_is_that_of_the_passes_of_its_own_round():
    """A tenth of a target call per pass: 2 passes for 2 depths in the first round, 4 for 2 in the second."""
    lengths = hindsight(known(speculative_trace(), work=[[2, 3, 9], [4, 2, 12]]))
    assert [each.depth_cost for each in lengths.rounds] == pytest.approx([0.1, 0.2])
    assert [each.draft_s for each in lengths.rounds] == pytest.approx([0.004, 0.004])
    assert [each.wasted_s for each in lengths.rounds] == pytest.approx([0.002, 0])
    assert lengths.actual.cost == pytest.approx(1 + (2 * 0.1 + 2 * 0.2) / 2) and lengths.seconds == 0.031
    assert lengths.best.cost == pytest.approx(1 + (1 * 0.1 + 2 * 0.2) / 2)
    assert lengths.best.gain == pytest.approx(2.5 / 1.25) and lengths.actual.gain == pytest.approx(2.5 / 1.3)
    assert lengths.fixed.cost == pytest.approx(1.1)  # It is the first round's alone.


def chain_of(*kept, drafted=3, depth_cost=0.2):
    return [RoundHindsight(n, drafted, each, depth_cost, 0.0, 0.0) for n, each in enumerate(kept, 1)]


def test_the_best_fixed_length_is_the_beginning_of_what_was_kept():
    """Of four rounds of three drafts 3, 2, 1 and 0 were kept: lengths 0 .. 3 emit 1, 1.75, 2.25 and 2.5 tokens."""
    best = _best_fixed(chain_of(3, 2, 1, 0))
    assert (best.length, best.tokens, best.cost) == (2, 2.25, pytest.approx(1.4))
    assert _best_fixed(chain_of(3, 2, 1, 0, depth_cost=1.0)).length == 0  # too dear: not to draft
    assert _best_fixed(chain_of(3, 3, 3, 3, depth_cost=0.01)).length == 3
    assert _best_fixed([*chain_of(2, 2), *chain_of(1, drafted=2)]) is None
    assert _best_fixed([]) is None
    assert [each.is_whole for each in chain_of(3, 2)] == [True, False]
    assert not chain_of(0, drafted=0)[0].is_whole, "a round that drafted nothing"


@pytest.mark.parametrize("trace", [with_tests("prefixes"), with_tests("selected draws"), coinciding_trace()])
def test_only_a_chain_tested_draw_by_draw_has_a_best_fixed_length(trace):
    lengths = hindsight(trace)
    assert lengths.fixed is None and lengths.best.cost <= lengths.actual.cost


def test_trees_have_no_best_fixed_length_however_many_rounds_there_are():
    start, *events = coinciding_trace().events
    rounds = [replace(each, round=number) for number in (1, 2, 3) for each in events]
    assert hindsight(Trace((start, *rounds))).fixed is None
