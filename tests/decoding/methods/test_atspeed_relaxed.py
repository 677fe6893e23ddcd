"""AtSpeed, relaxed: without spare draws the law of beam sampling, enumerated over whole runs; with them, another."""

import dataclasses

import pytest

from playground.decoding.method import claims, make_method
from playground.decoding.verification.lossy import relaxed
from playground.models.sampling import Sampling
from playground.models.table_model import TableModel
from playground.trace.events import RunStarted, Verified
from tests.decoding.methods.test_beam_sampling import defined_law
from tests.decoding.methods.test_dsbd import ENDING, TARGET, asked_for, beams_of, enumerated, enumerated_law
from tests.decoding.runs import request, trace_of

EXACT = {"draft_length": 1, "width": 2, "spare": 0}


def law_of(monkeypatch, asked):
    """P(the beams are these texts): every draw, and both sides of every coin."""
    return enumerated(monkeypatch, lambda: beams_of(asked), relaxed)


def distance(law, other):
    return sum(abs(law.get(texts, 0.0) - other.get(texts, 0.0)) for texts in {*law, *other}) / 2


@pytest.mark.parametrize(
    ("num_steps", "temperature", "options"),
    [
        (2, 1.0, EXACT),
        (2, 0.5, EXACT),
        (3, 1.0, EXACT | {"draft_length": 2, "width": 1}),
    ],
)
def test_without_spare_draws_the_beams_have_exactly_the_law_of_beam_sampling(
    monkeypatch, num_steps, temperature, options
):
    """Depths accepted whole, then the last one from p_beam, and depths that the residual completes.

    The rule itself is enumerated for three outputs in tests/decoding/verification/test_relaxed.py.
    """
    distribution = law_of(
        monkeypatch, asked_for(num_steps, options, Sampling(temperature), method_id="atspeed_relaxed")
    )
    defined = defined_law(True, num_steps, temperature, target=TARGET, width=options["width"])
    assert distance(distribution, defined) < 1e-12


def test_texts_that_end_do_so_as_often_as_in_beam_sampling(monkeypatch):
    """Three steps: a text that ends in a drafted depth leaves one output fewer to the next, and one draw too many."""
    options = {"draft_length": 2, "width": 2, "spare": 0}
    ending = dataclasses.replace(asked_for(3, options, method_id="atspeed_relaxed"), target=ENDING)
    plain = make_method("beam_sampling", {"width": 2})
    expected = enumerated_law(monkeypatch, dataclasses.replace(ending, method=plain))
    assert {len(text) for texts in expected for text in texts} == {1, 2, 3}
    assert distance(law_of(monkeypatch, ending), expected) < 1e-12


@pytest.mark.parametrize("options", [{"spare": 1}, {"spare": 0, "strike": 1}])
def test_otherwise_the_law_is_another_one(monkeypatch, options):
    """Two steps over three tokens."""
    target, draft = TableModel.random(3, order=2, seed=2), TableModel.random(3, order=1, seed=8)
    run_request = asked_for(2, EXACT | options, method_id="atspeed_relaxed")
    distribution = law_of(monkeypatch, dataclasses.replace(run_request, target=target, draft_model=draft))
    assert sum(distribution.values()) == pytest.approx(1, abs=1e-12)
    assert distance(distribution, defined_law(True, 2, target=target)) > 0.01


def test_only_the_exact_options_claim_a_law():
    for options, claim in [
        ({}, "none"),
        ({"spare": 0}, "i.i.d. beam sampling"),
        ({"spare": 1}, "none"),
        ({"spare": 0, "strike": 1}, "none"),
    ]:
        trace = trace_of(request(make_method("atspeed_relaxed", options), length=3))
        started = trace.events[0]
        assert isinstance(started, RunStarted)
        assert started.reproduces == claim and started.lossless == (claim != "none")
    assert claims("atspeed_relaxed") == [{}, {"spare": 0}]


def test_more_spare_draws_make_longer_rounds():
    """What the loss of exactness buys: the same texts in fewer target calls. Twenty seeds each."""
    calls = [
        sum(
            trace_of(request(make_method("atspeed_relaxed", {"spare": spare}), seed=seed)).events[-1].target_calls
            for seed in range(20)
        )
        for spare in (0, 4, 16)
    ]
    assert calls[0] > calls[1] > calls[2]


def test_the_workings_agree_with_the_verdicts_of_every_depth():
    for seed in range(20):
        trace = trace_of(request(make_method("atspeed_relaxed"), seed=seed))
        for judged in (event for event in trace.events if isinstance(event, Verified)):
            assert [shown["depth"] for shown in judged.workings] == list(range(1, len(judged.workings) + 1))
            assert sum(shown["accepted"] for shown in judged.workings) == judged.outcomes.count("accepted")
            for shown in judged.workings:
                assert shown["width"] == 4 and shown["num_draws"] <= 8
            assert all(shown["accepted"] == 4 for shown in judged.workings[:-1]), "only whole depths are gone past"
