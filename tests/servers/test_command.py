import json
from pathlib import Path

import pytest

from playground.cli import main
from playground.servers.findings import findings
from playground.servers.profile import profile
from playground.servers.record import Record

LOGS = Path(__file__).parent / "logs"


def printed(capsys, *arguments: str) -> str:
    assert main(["log", *arguments]) == 0
    return capsys.readouterr().out


def test_it_tells_totals_pictures_and_the_best_length(capsys):
    report = printed(capsys, str(LOGS / "vllm_responses.jsonl"), "--draft-cost", "0.02")
    assert "Recorded were rounds" in report and "would have been best" in report
    assert "10.8%" in report and "█" in report  # 15 of 139


def test_what_was_not_recorded_is_a_dash_or_not_there(capsys):
    report = printed(capsys, str(LOGS / "llama_cpp.json"))
    assert "–" in report and "position in the draft" not in report
    assert "brought 2.29 tokens with its own: 16 in 7 calls" in report and "are computed" in report


def test_as_json_it_is_one_value(capsys):
    record = json.loads(printed(capsys, str(LOGS / "sglang_detailed.json"), "--json", "--draft-cost", "0.1"))
    assert record["histogram"] == [1, 1, 0, 1] and record["survival"] == [[2, 3], [1, 3], [1, 2]]
    assert record["best_length"] == 3 and record["notes"] == []


def test_the_names_of_all_servers_are_told(capsys):
    report = printed(capsys, "--names")
    assert all(name in report for name in ("mean_acceptance_length", "spec_accept_length", "draft_n", "n_matches"))
    assert len(json.loads(printed(capsys, "--names", "--json"))) == len(report.splitlines()) - 1


@pytest.mark.parametrize("arguments", [[], ["nowhere.json"], [str(LOGS / "vllm.log"), "--draft-cost", "-1"]])
def test_a_mistake_is_one_sentence(capsys, arguments):
    assert main(["log", *arguments]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(("least", "code"), [("5.36", 0), ("5.37", 1), ("1", 0)])
def test_a_gate_is_an_exit_code_with_a_sentence(capsys, least, code):
    """323 accepted in 74 rounds: 5.365 tokens a call."""
    assert main(["log", str(LOGS / "vllm.log"), "--least", least, "--json"]) == code
    out, err = capsys.readouterr()
    assert json.loads(out)["accepted"] == 323
    assert err == f"5.36 tokens a target call, {'fewer than' if code else 'at least'} {least}.\n"


def test_a_gate_that_cannot_be_checked_is_a_mistake(capsys, tmp_path):
    log = tmp_path / "totals.log"
    log.write_text("draft acceptance rate = 0.37500 (    3 accepted /     8 generated)\n")
    assert main(["log", str(log), "--least", "2"]) == 2
    assert "cannot be checked" in capsys.readouterr().err
    assert main(["log", str(log), "--least", "0.5"]) == 2


def test_a_profile_that_was_written_is_read_again(capsys, tmp_path):
    file = tmp_path / "speculation_profile.json"
    printed(capsys, str(LOGS / "vllm_metrics.txt"), "--profile", str(file))
    profile = json.loads(file.read_text())
    assert profile["marginal_accept_rates"] == [0.8, 0.6, 0.4]
    assert profile["conditional_accept_rates"] == [0.8, 0.75, 0.666667]
    assert profile["mean_accept_length"] == 2.8 and profile["measurement_conditions"]["num_rounds"] == 100
    report = printed(capsys, str(file))
    told = ("as the server wrote", "2.80 tokens", "rates without counts")
    assert all(each in report for each in told)


def test_a_profile_counts_the_targets_own_token_in_its_histogram():
    """Rounds that accepted 0, 1, 1 and 3 emitted 1, 2, 2 and 4; nobody emitted 3."""
    written = profile(findings([Record("vLLM", 12, 5, rounds=4, histogram=(1, 2, 0, 1), length=3)]))
    assert written["acceptance_length_histogram"] == {"1": 1, "2": 2, "4": 1}
    assert written["mean_accept_length"] == 2.25 and written["marginal_accept_rates"] == [0.75, 0.25, 0.25]


def test_no_profile_is_written_of_what_was_not_recorded(capsys, tmp_path):
    for log in ("llama_cpp.json", "sglang_detailed.json"):
        assert main(["log", str(LOGS / log), "--profile", str(tmp_path / "profile.json")]) == 2
        assert "profile is" in capsys.readouterr().err and not (tmp_path / "profile.json").exists()
