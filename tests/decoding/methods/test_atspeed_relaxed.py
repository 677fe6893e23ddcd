"""AtSpeed, relaxed: without spare draws the law of beam sampling, enumerated over whole runs; with them, another."""

import dataclasses

import pytest

from playground.decoding.method import claims, make_method
from playground.models.sampling import Sampling
from playground.trace.events import Verified
from tests.decoding.methods.test_beam_sampling import assert_alike, beams_of, defined_law
from tests.decoding.methods.test_dsbd import ENDING, TARGET, asked_for
from tests.decoding.runs import enumerated, request, trace_of

EXACT = {"draft_length": 1, "width": 2, "spare": 0}


@pytest.mark.parametrize(
    ("target", "num_steps", "temperature", "options"),
    [
        (TARGET, 2, 1.0, EXACT),
        (TARGET, 2, 0.5, EXACT),
        (TARGET, 3, 1.0, EXACT | {"draft_length": 2, "width": 1}),
        (ENDING, 3, 1.0, EXACT | {"draft_length": 2}),
    ],
)
def test_without_spare_draws_the_beams_have_exactly_the_law_of_beam_sampling(target, num_steps, temperature, options):
    """Depths accepted whole, then the last one from p_beam, and depths that the residual completes; a text that ends in
    a drafted depth leaves one output fewer to the next, and one draw too many.

    The rule itself is enumerated in tests/decoding/verification/test_relaxed.py, for three outputs, and for spare draws
    and strikes, which make the law another one.
    """
    run_request = asked_for(num_steps, options, Sampling(temperature), method_id="atspeed_relaxed")
    measured = enumerated(dataclasses.replace(run_request, target=target), beams_of)
    assert_alike(measured, defined_law(True, num_steps, temperature, target, options["width"]))


def test_only_the_exact_options_claim_a_law():
    exact = "i.i.d. beam sampling"
    for options, claim in [
        ({}, "none"),
        ({"spare": 0}, exact),
        ({"spare": 1}, "none"),
        ({"spare": 0, "strike": 1}, "none"),
    ]:
        started = trace_of(request(make_method("atspeed_relaxed", options), length=3)).started
        assert started.reproduces == claim and started.lossless == (claim != "none")
    assert claims("atspeed_relaxed") == [{}, {"spare": 0}]


def test_more_spare_draws_make_longer_rounds():
    """Fewer target calls for texts of the same length are what the loss of exactness buys. Ten seeds each."""

    def num_calls(spare):
        method = make_method("atspeed_relaxed", {"spare": spare})
        return sum(trace_of(request(method, seed=seed)).finished.target_calls for seed in range(10))

    assert num_calls(0) > num_calls(4) > num_calls(16)


def test_the_workings_agree_with_the_verdicts_of_every_depth():
    for seed in range(20):
        trace = trace_of(request(make_method("atspeed_relaxed"), seed=seed))
        for judged in (event for event in trace.events if isinstance(event, Verified)):
            assert [shown["depth"] for shown in judged.workings] == list(range(1, len(judged.workings) + 1))
            assert sum(shown["accepted"] for shown in judged.workings) == judged.outcomes.count("accepted")
            for shown in judged.workings:
                assert shown["width"] == 4 and shown["num_draws"] <= 8
            assert all(shown["accepted"] == 4 for shown in judged.workings[:-1]), "only whole depths are gone past"
