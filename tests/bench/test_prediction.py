"""The table of predictions counts what ran. How well it predicts is a measurement, not a test."""

from __future__ import annotations

import pytest

from playground.bench.prediction import LENGTHS, Tally, _row, compare_with_prediction
from playground.decoding.decode import Request
from playground.decoding.method import make_method
from playground.models.table_model import TableModel
from playground.theory.cost_model import Costs
from playground.theory.speculation import expected_emitted

TARGET, DRAFT = TableModel.random(5, order=2, seed=5), TableModel.random(5, order=1, seed=6)


def test_a_row_for_every_draft_length():
    asked = Request(make_method("autoregressive"), TARGET, "", DRAFT, max_new_tokens=20, prompt_ids=(0, 1))
    rows = compare_with_prediction([asked], repeats=1)
    assert [row["draft_length"] for row in rows] == list(LENGTHS)
    for row in rows:
        assert 0 < row["acceptance_rate"] < 1
        assert min(row["predicted"], row["measured"]) > 0
        assert row["error"] == pytest.approx((row["predicted"] - row["measured"]) / row["measured"])


def test_a_machine_that_keeps_to_the_formula_is_predicted_without_error():
    """A draft call costs a tenth of a step, further nodes nothing, choosing nothing; alpha 0.5 emits 1.75 a round."""
    costs = Costs(step_s=1.0, sizes=(1, 3), chain_s=(1.0, 1.0), tree_sizes=(1,), tree_s=(1.0,), draft_s=0.1)
    assert expected_emitted(0.5, 2) == 1.75
    drafted = Tally(tokens=175, seconds=120.0, rounds=100, rest_s=0.0, accepted=75, judged=150)
    row = _row(2, drafted, Tally(tokens=10, seconds=10.0, rounds=10), costs)
    assert row["predicted"] == pytest.approx(1.75 / 1.2)
    assert row["error"] == pytest.approx(0.0, abs=1e-12)
