"""DSBD: given the widths its beams are i.i.d. draws from the target's joint law, exactly and over several depths."""

import dataclasses
import itertools
from collections import defaultdict

import numpy as np
import pytest

from playground.decoding import beams, forest
from playground.decoding.method import make_method
from playground.errors import PlaygroundError
from playground.models.sampling import Sampling
from playground.models.table_model import TableModel
from playground.theory.beam_width import acceptance_rates, accepted_probabilities, reached_width
from playground.trace.events import Committed, Verified
from tests.decoding.methods.test_beam_sampling import PROMPT, assert_alike, beams_of, defined_law
from tests.decoding.runs import enumerated, request, rounds_of, trace_of
from tests.golden import ACCEPTANCE

GOLDEN = ACCEPTANCE["dsbd"]
TARGET = TableModel.random(2, order=2, seed=5)
ENDING = TableModel(TARGET.table, eos_ids=frozenset([1]))
DRAFT = TableModel.random(2, order=1, seed=6)
FIXED = {"draft_length": 1, "width": 2, "num_draws": 3, "threshold": 0}


def asked_for(num_steps, options, sampling=None, method_id="dsbd"):
    method = make_method(method_id, options)
    return request(method, target=TARGET, draft=DRAFT, prompt=PROMPT, length=num_steps, sampling=sampling)


def texts_of(found, tree):
    return tuple(tuple(tree.context(beam.node)[len(PROMPT) :]) for beam in found)


@pytest.mark.parametrize(("target", "temperature"), [(TARGET, 1.0), (TARGET, 0.5), (ENDING, 1.0)])
def test_the_beams_have_exactly_the_law_of_beam_sampling(target, temperature):
    """Every draw and both sides of every coin: depths accepted whole, then the bonus, and depths cut short.

    Of three beams a depth is enumerated below, where the width is chosen; more depths and spare draws are measured in
    tests/exactness/test_losslessness.py.
    """
    run_request = dataclasses.replace(asked_for(2, FIXED, Sampling(temperature)), target=target)
    assert_alike(enumerated(run_request, beams_of), defined_law(True, 2, temperature, target, FIXED["width"]))


@pytest.mark.parametrize(("threshold", "width"), [(0.6, 2), (1.0, 1)])
def test_the_beams_of_a_chosen_width_have_the_law_of_beam_sampling_of_that_width(threshold, width):
    """The first depth's width follows from the two models alone, and the depth after it keeps as many."""
    p, q = TARGET.table[PROMPT], DRAFT.table[PROMPT[-1]]
    assert max(1, reached_width(accepted_probabilities(acceptance_rates(p, q, 3)), threshold)) == width
    options = {"draft_length": 1, "width": 1, "num_draws": 3, "threshold": threshold}
    assert_alike(enumerated(asked_for(2, options), beams_of), defined_law(True, 2, target=TARGET, width=width))


class DepthReached(Exception):
    """The second depth has its beams; what comes after is of no interest here."""


def second_depth(monkeypatch, asked):
    """P(first depth's beams, second depth's width and beams), both in order; None where the round ended before."""

    def look(rounds):
        by_depth = []

        def extend(setting, above, log_probs, pairs):
            by_depth.append(beams.extend(setting, above, log_probs, pairs))
            if len(by_depth) == 4:  # two drafted, two verified
                raise DepthReached(tuple(texts_of(there, setting.tree) for there in by_depth[2:]))
            return by_depth[-1]

        monkeypatch.setattr(forest, "extend", extend)
        try:
            next(rounds)
        except DepthReached as reached:
            return reached.args[0]
        return None

    return enumerated(asked, look)


@pytest.mark.parametrize(
    ("target", "width", "num_draws", "temperature", "threshold", "widths"),
    [
        (TARGET, 1, 2, 1.0, 0.3, {(2, 1), (2, 2)}),
        (TARGET, 1, 2, 0.5, 0.2, {(2, 1), (2, 2)}),
        (TARGET, 1, 2, 1.0, 0.8, {(1, 1)}),
        (ENDING, 2, 2, 1.0, 0.3, {(2, 1), (2, 2)}),
    ],
    ids=["wide", "sharp", "narrow", "ending"],
)
def test_given_the_widths_each_depths_beams_are_independent_draws(
    monkeypatch, target, width, num_draws, temperature, threshold, widths
):
    """Enumerated: whatever the first depth's beams and the second one's width, p_beam^width in the order of the beams.

    How many draws survive the first depth is chance, and with them the width of the second; a text that ended in the
    first takes one of the least places along.
    """
    options = {"draft_length": 2, "width": width, "num_draws": num_draws, "threshold": threshold}
    run_request = dataclasses.replace(asked_for(3, options, Sampling(temperature)), target=target)
    distribution = second_depth(monkeypatch, run_request)
    assert sum(distribution.values()) == pytest.approx(1, abs=1e-12)
    groups = defaultdict(dict)
    for result, chance in distribution.items():
        if result is not None:
            groups[result[0], len(result[1])][result[1]] = chance
    assert {(len(above), width) for above, width in groups} == widths
    for (above, width), outputs in groups.items():
        weights = {}
        for text in above:
            if text[-1] not in target.eos_ids:
                row = TARGET.table[tuple([*PROMPT, *text][-2:])]
                joint = TARGET.table[PROMPT][text[0]] * row  # texts of one token so far
                for x in range(2):
                    weights[(*text, x)] = weights.get((*text, x), 0) + joint[x] ** (1 / temperature)
        p_beam = {text: weight / sum(weights.values()) for text, weight in weights.items()}
        total = sum(outputs.values())
        for texts in itertools.product(p_beam, repeat=width):
            expected = np.prod([p_beam[text] for text in texts])
            assert outputs.get(texts, 0) / total == pytest.approx(expected, abs=1e-12)


def test_the_workings_hold_the_golden_values():
    target, draft = TableModel(GOLDEN["p_beam"]), TableModel(GOLDEN["q_beam"])
    for threshold, width in ((0.5, 3), (0.7, 2), (0.9, 1), (0, 1)):
        method = make_method("dsbd", {"draft_length": 1, "width": 1, "num_draws": 6, "threshold": threshold})
        trace = trace_of(request(method, target=target, draft=draft, prompt=(0,), length=2))
        (shown,), golden = trace.events[3].workings, GOLDEN["W_S=6"]
        assert shown["rates"] == pytest.approx(golden["alphas"], abs=1e-9)
        assert shown["probabilities"] == pytest.approx(golden["P_exactly_k"], abs=1e-9)
        assert (shown["kind"], shown["depth"], shown["num_draws"], shown["min_width"]) == ("beam_width", 1, 6, 1)
        assert shown["threshold"] == (threshold or None) and shown["width"] == width
        assert shown["reached"] == (golden["W_tilde"][str(threshold)] if threshold else None)
        assert shown["accepted"] == trace.events[3].outcomes.count("accepted") <= width


def test_the_workings_agree_with_the_verdicts_of_every_depth():
    """And the beams of a round are as many as its last depth asked for, one more depth keeping the number alive."""
    for seed in range(20):
        trace = trace_of(request(make_method("dsbd"), seed=seed))
        rounds = zip(
            (event for event in trace.events if isinstance(event, Verified)),
            (event for event in trace.events if isinstance(event, Committed)),
            strict=True,
        )
        for judged, committed in rounds:
            tested = len(judged.outcomes) - judged.outcomes.count("not_tested")
            assert sum(shown["accepted"] for shown in judged.workings) == judged.outcomes.count("accepted")
            assert [shown["depth"] for shown in judged.workings] == list(range(1, len(judged.workings) + 1))
            for shown in judged.workings:
                assert len(shown["rates"]) == shown["num_draws"] == len(shown["probabilities"]) - 1 <= 6
                assert shown["width"] == max(shown["min_width"], shown["reached"]) and shown["min_width"] == 2
            assert tested <= sum(shown["num_draws"] for shown in judged.workings)
            if judged.workings:
                assert len(committed.frontier) == judged.workings[-1]["width"]


def test_a_run_is_over_when_the_least_width_has_ended():
    """Live beams beyond it are dropped, and the answer is an ended text; sixty seeds, often with more beams."""
    target, more = TableModel(TableModel.random(3, order=2, seed=5).table, eos_ids=frozenset([2])), 0
    models = {"target": target, "draft": TableModel.random(3, order=1, seed=6)}
    for seed in range(60):
        method = make_method("dsbd", {"width": 2, "threshold": 0.3})
        rounds = rounds_of(request(method, **models, seed=seed))
        for item in rounds:
            decided, tree = item.verdict.beams, item.tree
            assert all(tree.tokens[beam.node] == 2 for beam in decided.ended)
            assert all(2 not in tree.context(beam.node)[2:] for beam in decided.live)
            assert bool(decided.live) == (len(decided.ended) < 2)
            more += len(decided.live) > 2
        if rounds[-1].finish == "eos":
            assert tree.tokens[rounds[-1].best] == 2
    assert more > 20


@pytest.mark.parametrize("method_id", ["dsbd", "dsbd_one_cache"])
def test_a_width_that_no_depth_could_fill_is_refused(method_id):
    with pytest.raises(PlaygroundError, match=r"Draws per depth 3 can never fill a least width of 4\. Choose 4 draws"):
        make_method(method_id, {"num_draws": 3, "width": 4})
    assert make_method(method_id, {"num_draws": 4, "width": 4}).options.width == 4
