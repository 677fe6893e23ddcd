"""A run against plain decoding: the parts of its cost add up, and the sentences say what the numbers say."""

import pytest
import torch

from playground.decoding.method import make_method, methods
from playground.metrics.diagnosis import ChainPrediction, ReadAgain, advice, by_costs, diagnose, verdict
from playground.metrics.speed import speed
from playground.models.table_model import TableModel
from playground.theory.cost_model import Costs
from playground.trace.events import Committed, Drafted, Paths, Scored, Trace, Verified
from playground.views.why_not_faster import counted
from tests.decoding.runs import request, trace_of
from tests.metrics.traces import coinciding_trace, empty_trace, interrupted_trace
from tests.trace.example import autoregressive_trace, replace, speculative_trace

COSTS = Costs(0.010, (1, 2, 4), (0.009, 0.010, 0.012), (1, 4), (0.009, 0.014), 0.002)


def test_a_run_that_has_only_begun_has_nothing_to_explain():
    assert diagnose([empty_trace()], COSTS) is None


def test_the_example_by_hand():
    """Two rounds of two drafts, three nodes a call, 31 ms for 5 tokens; a step of plain decoding takes 10 ms."""
    diagnosis = diagnose([speculative_trace()], COSTS)
    assert (diagnosis.emitted, diagnosis.num_verified, diagnosis.depth, diagnosis.wasted) == (2.5, 3, 2, 0.25)
    assert (diagnosis.draft_steps, diagnosis.verify_steps, diagnosis.rest_steps) == pytest.approx((0.4, 1.0, 0.15))
    assert diagnosis.speed_up == pytest.approx(5 * 10 / 31) and diagnosis.oracle == pytest.approx(3 * 20 / 31)
    assert diagnosis.cost_ratio == pytest.approx(2 / 9) and diagnosis.verification == pytest.approx(11 / 9)
    assert diagnosis.pace == pytest.approx(1.0 / 1.1)  # 10 ms a call, and the curve says 11; a step is 10
    chain = diagnosis.chain
    assert (chain.acceptance_rate, chain.draft_length, chain.emitted) == pytest.approx((0.75, 2, 1 + 0.75 + 0.75**2))
    assert chain.rest_s == pytest.approx(0.0015) and chain.cost_ratio == diagnosis.cost_ratio
    assert chain.speed_up == pytest.approx(chain.emitted * 10 / (2 * 2 + 11 + 1.5))
    assert verdict(diagnosis) == (
        "Faster, 1.61x the speed of plain decoding: a round emits 2.50 tokens in 1.55 plain steps "
        "(0.40 in the draft model, 1.00 in the target over 3.0 nodes, 0.15 outside both)."
    )


def test_the_estimate_by_the_machines_costs_by_hand():
    """Two draft calls of 2 ms, a call over 3 nodes of 11, and what a plain step of 10 has outside its call of 9."""
    estimate = by_costs(diagnose([speculative_trace()], COSTS), COSTS)
    assert (estimate.draft_steps, estimate.verify_steps, estimate.rest_steps) == pytest.approx((0.4, 1.1, 0.1))
    assert (estimate.speed_up, estimate.oracle) == pytest.approx((2.5 / 1.6, 3 / 1.6))
    longer = replace(COSTS, step_s=0.008)  # a step that was measured shorter than its call leaves nothing
    assert by_costs(diagnose([speculative_trace()], longer), longer).rest_steps == 0


def test_what_is_read_again_is_said_by_round():
    """Of two calls one took the state back: 3 tokens in a pass of 2 ms by themselves, 7 in all; 2 steps are 20 ms."""
    paths = iter([Paths(passes=1, rows=1, tokens=3, again=0, again_s=0.0), Paths(2, 2, 7, 3, 0.002)])
    trace = speculative_trace()
    started = replace(trace.events[0], target=trace.started.target | {"state_bytes": 5_000_000})
    scored = [replace(each, paths=next(paths)) if isinstance(each, Scored) else each for each in trace.events[1:]]
    diagnosis = diagnose([Trace((started, *scored))], COSTS)
    assert diagnosis.again == ReadAgain(1.5, 1.5, 1.5, pytest.approx(0.1), 5_000_000)
    assert "after rejections 1.5 tokens a round are read again in 1.5 calls" in verdict(diagnosis)
    assert ["tokens read a second time per round", "1.50"] in counted(diagnosis)
    assert ["state of one path, without what grows with the text", "5.00 MB"] in counted(diagnosis)
    assert diagnose([trace], COSTS).again is None


def test_two_drafts_at_a_position_are_no_chain_and_a_chain_is_read_off_its_own_curve():
    start, drafted, scored, judged, committed = coinciding_trace().events
    names = ("parents", "nodes", "tokens", "draft_probs")
    two = replace(drafted, **{name: getattr(drafted, name)[:2] for name in names})
    judged = replace(judged, nodes=[2, 3], outcomes=["rejected", "accepted"])
    diagnosis = diagnose([Trace((start, two, scored, judged, committed))], COSTS)
    assert diagnosis.chain is None and "several tokens at a position" in diagnosis.no_prediction
    dearer = replace(COSTS, tree_s=(0.018, 0.028))
    assert diagnose([speculative_trace()], dearer).verification == pytest.approx(11 / 9)


def test_siblings_and_plain_decoding_by_hand():
    tree = diagnose([coinciding_trace()], COSTS)
    assert (tree.depth, tree.num_verified, tree.wasted) == (1, 3, pytest.approx(2 / 3))
    assert tree.verification == pytest.approx((9 + 5 * 2 / 3) / 9)  # the curve of siblings
    plain = diagnose([autoregressive_trace()], COSTS)
    assert (plain.cost_ratio, plain.wasted, plain.chain, plain.no_prediction) == (None, None, None, "")
    assert (plain.emitted, plain.depth, plain.verification) == (1, 0, 1)
    assert verdict(plain) == ("Autoregressive drafts nothing, so 0.91x is plain decoding's speed.")
    assert advice(plain) == "A method that drafts may be faster."


@pytest.mark.parametrize(
    ("lengths", "is_fixed"), [([2] * 6, True), ([1] + [2] * 4 + [1], True), ([1, 1] + [2] * 6, False)]
)
def test_a_draft_length_counts_as_fixed_where_an_end_cut_one_in_five_at_most(lengths, is_fixed):
    """The last round may be cut by the budget, so it does not count; 1 of 5 others is allowed, and 2 of 7 are not."""
    start, *events = speculative_trace().events
    whole = events[5:10]
    short = [
        replace(event, nodes=event.nodes[:1], outcomes=event.outcomes[:1]) if isinstance(event, Verified) else event
        for event in whole
        if not (isinstance(event, Drafted) and event.depth == 2)
    ]
    rounds = [replace(each, round=n) for n, length in enumerate(lengths) for each in (whole if length == 2 else short)]
    why = diagnose([Trace((start, *rounds))], COSTS).no_prediction
    assert why.startswith("Draft lengths vary") != is_fixed


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"oracle": 1.0, "depth": 2}, "With every draft accepted it would be only 1.00x: a round takes longer than "
         "the 3.0 tokens it can emit."),
        ({"oracle": 1.01, "chain": None, "no_prediction": "So."}, "With every draft accepted it would be 1.01x. So."),
    ],
)  # fmt: skip
def test_the_advice_names_what_could_be_won_at_most(changed, says):
    assert advice(replace(diagnose([speculative_trace()], COSTS), **changed)).startswith(says)


@pytest.mark.parametrize("trace", [speculative_trace(), interrupted_trace(), coinciding_trace()])
def test_tokens_over_steps_is_the_speed_up(trace):
    diagnosis = diagnose([trace], COSTS)
    assert diagnosis.speed_up == pytest.approx(diagnosis.emitted / diagnosis.round_steps)
    assert diagnosis.speed_up == pytest.approx(diagnosis.counts.num_emitted * 0.010 / speed(trace).seconds)
    assert diagnosis.oracle >= diagnosis.speed_up


def test_plain_decoding_measured_beside_the_run_goes_before_the_machines():
    twice = diagnose([speculative_trace()], COSTS, plain_s=0.020)
    assert twice.speed_up == pytest.approx(2 * diagnose([speculative_trace()], COSTS).speed_up)


@pytest.mark.parametrize(("times", "word"), [(0.01, "Faster"), (100.0, "Slower")])
def test_the_verdict_says_faster_exactly_when_it_was(times, word):
    found = diagnose([slowed(speculative_trace(), times)], COSTS)
    assert verdict(found).startswith(word)
    assert f"{found.speed_up:.2f}x" in verdict(found)


def test_a_call_over_a_tree_is_set_beside_one_node_of_the_same_curve():
    costs = replace(COSTS, tree_s=(0.018, 0.028))  # every tree twice as dear, as a mask would make it
    assert diagnose([coinciding_trace()], costs).verification == diagnose([coinciding_trace()], COSTS).verification


@pytest.mark.parametrize(
    ("tests", "why"),
    [("prefixes", "whole prefixes"), ("layers", "several texts"), ("", "This older trace")],
)
def test_a_rule_that_judges_no_position_gets_no_prediction_and_the_reason(tests, why):
    start, *events = speculative_trace().events
    diagnosis = diagnose([Trace((replace(start, tests=tests), *events))], COSTS)
    assert diagnosis.chain is None and why in diagnosis.no_prediction and diagnosis.no_prediction in advice(diagnosis)


@pytest.mark.parametrize("name", [name for name, method in methods().items() if method.needs_draft_model])
def test_what_is_predicted_of_a_methods_run_is_what_was_measured(name):
    """Tokens per round: the formula's beside those counted, within 15 %; or no formula, and a sentence why.

    Toy models whose overlap is the same everywhere, as the formula takes it; 200 tokens of 4 seeds, so that chance
    alone moves the mean by some 4 %.
    """
    target = TableModel(torch.tensor([0.6, 0.3, 0.1]).expand(3, 3))
    draft = TableModel(torch.tensor([0.2, 0.7, 0.1]).expand(3, 3))
    method = make_method(name)
    traces = [trace_of(request(method, target=target, draft=draft, seed=seed, length=50)) for seed in range(4)]
    result = diagnose(traces, COSTS)
    if result.chain is None:
        assert result.no_prediction.endswith(".")
    else:
        assert result.chain.emitted == pytest.approx(result.emitted, rel=0.15)


@pytest.mark.parametrize(
    ("now", "best", "length", "better"),
    [
        (0.5, 0.9, 2, None),  # better, and still slower than plain decoding
        (0.5, 1.0, 2, 2),  # the edge counts as winning
        (0.5, 1.3, 2, 2),
        (1.3, 1.3 * 1.04, 2, None),  # within what the prediction misses by
        (1.3, 1.3 * 1.06, 2, 2),
        (1.3, 1.3 * 1.06, 5, None),  # the length it has
    ],
)
def test_no_length_is_recommended_that_is_slower_than_plain_decoding_or_hardly_better(now, best, length, better):
    chain = ChainPrediction(0.7, 5, 2.5, 0.2, now, None, length, best, rest_s=0.001)
    assert chain.better_length == better
    says = advice(replace(diagnose([speculative_trace()], COSTS), chain=chain))
    if better:
        assert says == f"Draft length 2 is predicted to give {best:.2f}x, 5 gives {now:.2f}x."
    else:
        assert says.startswith(
            "No draft length is predicted to win" if best < 1 else "Draft length 5 is about the best"
        )


def test_without_a_model_that_drafts_there_is_no_cost_to_predict_with():
    start, *events = speculative_trace().events
    for trace, costs in [
        (Trace((replace(start, draft=None), *events)), COSTS),
        (speculative_trace(), replace(COSTS, draft_s=None)),
    ]:
        diagnosis = diagnose([trace], costs)
        assert diagnosis.chain is None and diagnosis.cost_ratio is None
        assert diagnosis.no_prediction == "No model drafts, so a draft call has no cost."


def slowed(trace: Trace, times: float) -> Trace:
    """The same run in so many times the time."""
    return Trace(
        tuple(
            replace(
                event, draft_s=event.draft_s * times, verify_s=event.verify_s * times, other_s=event.other_s * times
            )
            if isinstance(event, Committed)
            else event
            for event in trace.events
        )
    )


def test_of_sample_and_match_no_other_length_is_predicted():
    """The same chains, of a rule that is asked for q and of one that is not."""
    runs = {name: trace_of(request(make_method(name), length=100)) for name in ("sample_and_match", "greedy_draft")}
    results = {name: diagnose([trace], COSTS) for name, trace in runs.items()}
    assert results["greedy_draft"].chain is not None
    assert (
        results["sample_and_match"].chain is None and "two draws coincide" in results["sample_and_match"].no_prediction
    )
    assert "So no other draft length" in advice(results["sample_and_match"])
