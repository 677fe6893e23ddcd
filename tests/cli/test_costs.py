"""`costs`: a row in the form of the recorded ones, beside them. How large its numbers are is for a quiet machine."""

import json

import msgspec
import pytest

from playground.bench import calibration
from playground.lab.verification_costs import CostRow, cost_rows
from playground.makers.commands import main


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(calibration, "COST_SIZES", (1, 2, 4))
    monkeypatch.setattr(calibration.verification_costs, "__defaults__", (1,))


def test_json_is_a_row_as_the_recorded_ones(capsys):
    assert main(["costs", "--context", "16", "--json"]) == 0
    row = msgspec.convert(json.loads(capsys.readouterr().out), CostRow, strict=False)
    assert list(row.costs) == [1, 2, 4] and row.costs[1] == 1 and min(row.costs.values()) > 0
    assert row.context == 16 and row.threads == 1 and row.model.startswith("bundled target, ") and not row.source


def test_markdown_stands_beside_what_others_published(capsys):
    assert main(["costs", "--context", "16", "--markdown"]) == 0
    _, _, own, *others = capsys.readouterr().out.splitlines()
    assert own.startswith("| this playground, bundled target") and len(others) == len(cost_rows())
    assert any("[published](https://github.com/ml-explore/mlx/issues/4265), 2026-08-15" in line for line in others)


def test_text_says_up_to_which_length_drafts_pay(capsys):
    assert main(["costs", "--context", "16"]) == 0
    assert "At acceptance 0.9 drafts of up to " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--context", "0"], "A context of 0 tokens is out of range. Choose 1 to "),
        (["--context", "99999"], "A context of 99999 tokens is out of range"),
        (["--cost-ratio", "-1"], "A cost ratio of -1 is out of range. Choose 0 to 10."),
        (["--threads", "0"], "invalid choice"),
    ],
)
def test_what_cannot_be_measured_is_a_sentence(words, sentence, capsys):
    assert main(["costs", *words]) == 2
    assert sentence in capsys.readouterr().err
