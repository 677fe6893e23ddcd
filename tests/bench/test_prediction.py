"""The table of predictions counts what ran. How well it predicts is a measurement, not a test."""

from __future__ import annotations

from dataclasses import replace

import pytest

from playground.bench import prediction
from playground.bench.prediction import LENGTHS, Tally, _row, compare_with_prediction, fastest_of
from playground.decoding.decode import Request, Round, decode
from playground.decoding.method import make_method
from playground.models.table_model import TableModel
from playground.theory.cost_model import Costs
from playground.theory.speculation import expected_emitted

TARGET, DRAFT = TableModel.random(5, order=2, seed=5), TableModel.random(5, order=1, seed=6)
COSTS = Costs(step_s=1.0, sizes=(1, 3), chain_s=(1.0, 1.0), tree_sizes=(1,), tree_s=(1.0,), draft_s=0.1)


def test_a_row_for_every_draft_length():
    request = Request(make_method("autoregressive"), TARGET, "", DRAFT, max_new_tokens=20, prompt_ids=(0, 1))
    rows = compare_with_prediction([request], repeats=1)
    assert [row["draft_length"] for row in rows] == list(LENGTHS)
    for row in rows:
        assert 0 < row["acceptance_rate"] < 1
        assert min(row["predicted"], row["measured"]) > 0
        assert row["error"] == pytest.approx((row["predicted"] - row["measured"]) / row["measured"])


def test_a_machine_that_keeps_to_the_formula_is_predicted_without_error():
    """A draft call costs 0.1 of a step, further nodes nothing, a round's rest 0.3; alpha 0.5 emits 1.75 a round."""
    assert expected_emitted(0.5, 2) == 1.75
    drafted = Tally(tokens=175, seconds=150.0, rounds=100, rest_s=30.0, accepted=75, tested=150)
    row = _row(2, drafted, Tally(tokens=10, seconds=10.0, rounds=10), COSTS)
    assert row["predicted"] == pytest.approx(1.75 / 1.5)
    assert row["error"] == pytest.approx(0.0, abs=1e-12)


def test_a_tally_adds_up_what_its_runs_were():
    """Two rounds of a run that took 5 ms, of which 0.25 ms each outside the models, and the same run once more."""
    request = Request(make_method("speculative_sampling"), TARGET, "", DRAFT, max_new_tokens=8, prompt_ids=(0, 1))
    run = [replace(item, other_s=0.25, clock_s=2.0 + at) for at, item in enumerate(rounds_of(request))]
    outcomes = [each.outcome for item in run for each in item.verdict.judgements]
    tally = Tally()
    for _ in range(2):
        tally.add(run)
    assert (tally.tokens, tally.rounds, tally.rest_s) == (2 * 8, 2 * len(run), 0.5 * len(run))
    assert tally.seconds == 2 * (1.0 + len(run))
    accepted, rejected = (outcomes.count(each) for each in ("accepted", "rejected"))
    assert len(run) > 1 < accepted and rejected and len(outcomes) > accepted + rejected
    assert (tally.accepted, tally.tested) == (2 * accepted, 2 * (accepted + rejected))


def rounds_of(request):
    return [item for item in decode(request) if isinstance(item, Round)]


def test_the_fastest_repeat_and_the_fastest_calibration_count(monkeypatch):
    """Drafted repeats take 1, 2 and 3 times as long in turn, plain ones do not: of each the first counts."""
    calls = []

    def timed(request):
        calls.append(request.method.options)
        rounds = rounds_of(request)
        slower = 1 + (len(calls) - 1) // (1 + len(LENGTHS)) if request.method.needs_draft_model else 1
        yield from (replace(item, other_s=0.0, clock_s=slower * (1.0 + at)) for at, item in enumerate(rounds))

    monkeypatch.setattr(prediction, "decode", timed)
    monkeypatch.setattr(prediction, "calibrate", lambda target, draft: COSTS)
    run_request = Request(make_method("autoregressive"), TARGET, "", DRAFT, max_new_tokens=20, prompt_ids=(0, 1))
    rows = compare_with_prediction([run_request], repeats=3)
    assert len(calls) == 3 * (1 + len(LENGTHS))
    for row in rows:  # a round takes a second, drafted or not
        method = make_method("speculative_sampling", {"draft_length": row["draft_length"]})
        assert row["measured"] == pytest.approx(20 / len(rounds_of(replace(run_request, method=method))))
        emitted = float(expected_emitted(row["acceptance_rate"], row["draft_length"]))
        assert row["predicted"] == pytest.approx(emitted / (1 + 0.1 * row["draft_length"]))


def test_of_several_calibrations_the_least_of_every_number_counts():
    other = Costs(step_s=0.9, sizes=(1, 3), chain_s=(1.1, 0.8), tree_sizes=(1,), tree_s=(0.7,), draft_s=None)
    assert fastest_of([COSTS, other]) == Costs(0.9, (1, 3), (1.0, 0.8), (1,), (0.7,), 0.1)
    assert fastest_of([other, replace(COSTS, draft_s=0.05), COSTS]).draft_s == 0.05
    assert fastest_of([other]).draft_s is None
