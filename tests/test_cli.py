"""The headless interface, called as a user calls it: standard output is one JSON value, mistakes are one sentence."""

import json
import subprocess
import sys

import pytest

from playground.cli import main
from playground.metrics.summary import summarise
from playground.trace import load, validate

RUN = ["run", "--method", "speculative_sampling", "--prompt", "Once upon a time"]


def printed(capsys, *arguments):
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def refused(capsys, *arguments):
    assert main(list(arguments)) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.count("\n") == 1, captured
    return captured.err


def test_methods_list_their_options(capsys):
    listed = {method["id"]: method for method in printed(capsys, "methods")}
    assert {"autoregressive", "speculative_sampling"} <= listed.keys()
    first = listed["speculative_sampling"]["options"][0]
    assert first.keys() == {"name", "type", "default", "min", "max", "help"}


def test_pairs_say_what_is_here(capsys):
    bundled = printed(capsys, "pairs")[0]
    assert bundled["id"] == "bundled" and bundled["on_this_machine"] and bundled["tokenizers"] == "the same"


def test_run_prints_the_summary_and_repeats_itself(capsys, tmp_path):
    arguments = [*RUN, "--max-new-tokens", "24", "--seed", "3", "--trace", str(tmp_path / "t.json")]
    first, second = printed(capsys, *arguments), printed(capsys, *arguments)
    assert first["token_ids"] == second["token_ids"] and first["num_tokens"] == len(first["token_ids"]) == 24
    assert {
        "method", "text", "rounds", "target_calls", "draft_calls", "acceptance_rate", "draft_efficiency",
        "block_efficiency", "seconds", "prefill_s", "draft_s", "verify_s", "other_s", "tokens_per_s", "perplexity",
        "energy", "peak_cache_bytes", "options", "seed", "finish_reason",
    } <= first.keys()  # fmt: skip
    assert first["seconds"] == pytest.approx(first["draft_s"] + first["verify_s"] + first["other_s"], rel=1e-4)
    assert first["tokens_per_s"] == pytest.approx(24 / first["seconds"], rel=1e-4)
    trace = load(tmp_path / "t.json")
    validate(trace)
    assert summarise(trace)["token_ids"] == second["token_ids"]


def test_options_reach_the_method(capsys):
    summary = printed(capsys, *RUN, "--max-new-tokens", "9", "--set", "draft_length=0")
    assert summary["options"]["draft_length"] == 0 and summary["target_calls"] == 9 and summary["draft_calls"] == 0


def test_validate_and_export(capsys, tmp_path):
    recorded = "assets/traces/speculative_sampling.json"
    assert printed(capsys, "validate", recorded)["complete"]
    page, graph = tmp_path / "page.html", tmp_path / "round.graphml"
    assert printed(capsys, "export", recorded, "--html", str(page), "--no-charts", "--graphml", str(graph))["written"]
    assert "specPlayer" in page.read_text() and "<graphml" in graph.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "required"),
        (["rum"], "invalid choice"),
        (["run", "--method", "nope", "--prompt", "x"], "Unknown method 'nope'"),
        (["run", "--method", "autoregressive", "--prompt", "  "], "The prompt is empty"),
        ([*RUN, "--temperature", "-1"], "out of range"),
        ([*RUN, "--temperature", "warm"], "invalid float"),
        ([*RUN, "--max-new-tokens", "0"], "out of range"),
        ([*RUN, "--seed", "-4"], "out of range"),
        ([*RUN, "--set", "draft_length"], "has no value"),
        ([*RUN, "--set", "draft_length=99"], "out of range"),
        ([*RUN, "--set", "gamma=4"], "has no option 'gamma'"),
        ([*RUN, "--pair", "bundeld"], "Did you mean 'bundled'"),
        ([*RUN, "--target", "/nowhere"], "no folder"),
        ([*RUN, "--draft", "/nowhere"], "needs --target"),
        ([*RUN, "--max-new-tokens", "1", "--trace", "/nowhere/t.json"], "/nowhere"),
        (["run", "--method", "autoregressive", "--prompt", "word " * 1200], "read 1024 in all"),
        (["validate", "/nowhere.json"], "nowhere.json"),
        (["validate", "README.md"], "README.md"),
        (["export", "assets/traces/greedy.json"], "Nothing to export"),
        (["export", "assets/traces/greedy.json", "--html", "/nowhere/x.html"], "cannot be written"),
        (["export", "assets/traces/greedy.json", "--graphml", "/tmp/x.graphml", "--round", "9999"], "9999"),
    ],
)
def test_mistakes_are_one_sentence_with_exit_code_2(capsys, arguments, message):
    assert message in refused(capsys, *arguments)


def test_the_module_runs_and_prints_nothing_but_json():
    """A whole process: libraries must not print on standard output, and prompts of any characters must survive."""
    command = [sys.executable, "-m", "playground", *RUN[:-1], "caf\u00e9 \U0001f642 <img src=x> ${x}", "--json"]
    done = subprocess.run([*command, "--max-new-tokens", "4"], capture_output=True, check=True, timeout=120)
    assert json.loads(done.stdout)["num_tokens"] == 4


def test_compare_prints_a_row_per_method_with_the_baseline_at_one(capsys, tmp_path):
    prompts = tmp_path / "prompts.txt"
    prompts.write_text("Once upon a time\n")
    flags = ["--prompts", str(prompts), "--repeats", "1", "--max-new-tokens", "8"]
    rows = printed(capsys, "compare", "--methods", "rsd_c", *flags)
    assert [row["method"] for row in rows] == ["autoregressive", "rsd_c"]
    assert rows[0]["speed_up"]["median"] == 1 and rows[1]["speed_up"]["low"] <= rows[1]["speed_up"]["median"]
    assert rows[1]["joules_per_token"] is None and rows[1]["energy_source"] == "not measured"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--methods", "nope"], "Unknown method"),
        (["--methods", "rsd_c,rsd_c"], "stands twice"),
        (["--prompts", "nowhere"], "no text file"),
    ],
)
def test_a_race_that_cannot_start_says_why(capsys, arguments, message):
    assert message in refused(capsys, "compare", *arguments)
