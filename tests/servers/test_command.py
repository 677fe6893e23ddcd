import json
from pathlib import Path

import pytest

from playground.cli import main

LOGS = Path(__file__).parent / "logs"


def printed(capsys, *arguments: str) -> str:
    assert main(["log", *arguments]) == 0
    return capsys.readouterr().out


def test_it_tells_totals_pictures_and_the_best_length(capsys):
    told = printed(capsys, str(LOGS / "vllm_responses.jsonl"), "--draft-cost", "0.02")
    assert "Recorded were steps" in told and "Survival" in told and "the best by your costs" in told
    assert "10.8 %" in told  # 15 of 139


def test_what_was_not_recorded_is_a_dash_or_not_there(capsys):
    told = printed(capsys, str(LOGS / "llama_cpp.json"))
    assert "–" in told and "Survival" not in told and "steps were not recorded" in told


def test_as_json_it_is_one_value(capsys):
    found = json.loads(printed(capsys, str(LOGS / "sglang_detailed.json"), "--json", "--draft-cost", "0.1"))
    assert found["histogram"] == [1, 1, 0, 1] and found["survival"] == [[2, 3], [1, 3], [1, 2]]
    assert found["best_length"] == 3 and found["notes"] == []


def test_the_names_of_all_servers_are_told(capsys):
    told = printed(capsys, "--names")
    assert all(name in told for name in ("mean_acceptance_length", "spec_accept_length", "draft_n", "n_matches"))
    assert len(json.loads(printed(capsys, "--names", "--json"))) == len(told.splitlines()) - 1


@pytest.mark.parametrize("arguments", [[], ["nowhere.json"], [str(LOGS / "vllm.log"), "--draft-cost", "-1"]])
def test_a_mistake_is_one_sentence(capsys, arguments):
    assert main(["log", *arguments]) == 2
    assert capsys.readouterr().err.count("\n") == 1
