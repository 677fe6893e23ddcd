"""The headless interface, called as a user calls it: standard output is one JSON value, mistakes are one sentence."""

import itertools
import json
from pathlib import Path

import pytest

from playground.decoding.method import make_method
from playground.exactness import losslessness
from playground.makers.commands import main
from playground.metrics.summary import summarise
from playground.models.sampling import Sampling
from playground.trace import load, validate
from playground.trace.events import Drafted

ROOT = Path(__file__).resolve().parents[1]
RUN = ["run", "--method", "speculative_sampling", "--prompt", "Once upon a time"]


def printed(capsys, *arguments):
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def refused(capsys, *arguments):
    assert main(list(arguments)) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.count("\n") == 1, captured
    return captured.err


def test_methods_pairs_and_presets_are_listed(capsys):
    listed = {method["id"]: method for method in printed(capsys, "methods")}
    assert {"autoregressive", "speculative_sampling"} <= listed.keys()
    first = listed["speculative_sampling"]["options"][0]
    assert first.keys() == {"name", "type", "default", "min", "max", "help"}
    bundled = printed(capsys, "pairs")[0]
    assert bundled["id"] == "bundled" and bundled["on_this_machine"] and bundled["tokenizers"] == "the same"
    assert {"rsd-figure5", "dsbd-table1"} <= {preset["id"] for preset in printed(capsys, "compare", "--preset", "list")}


def test_run_prints_the_summary_and_repeats_itself(capsys, tmp_path):
    arguments = [*RUN, "--max-new-tokens", "24", "--seed", "3", "--trace", str(tmp_path / "t.json.gz")]
    first, second = printed(capsys, *arguments), printed(capsys, *arguments)
    assert first["token_ids"] == second["token_ids"] and first["num_tokens"] == len(first["token_ids"]) == 24
    assert {
        "method", "text", "rounds", "target_calls", "draft_calls", "acceptance_per_position", "acceptance_per_draw",
        "draft_efficiency", "block_efficiency", "seconds", "prefill_s", "draft_s", "verify_s", "other_s",
        "tokens_per_s", "perplexity", "energy", "peak_cache_bytes", "options", "seed", "finish_reason",
    } <= first.keys()  # fmt: skip
    assert first["seconds"] == pytest.approx(first["draft_s"] + first["verify_s"] + first["other_s"], rel=1e-4)
    assert first["tokens_per_s"] == pytest.approx(24 / first["seconds"], rel=1e-4)
    trace = load(tmp_path / "t.json.gz")
    validate(trace)
    assert summarise(trace)["token_ids"] == second["token_ids"]
    plain = printed(capsys, *RUN, "--max-new-tokens", "9", "--set", "draft_length=0")
    assert (plain["options"]["draft_length"], plain["target_calls"], plain["draft_calls"]) == (0, 9, 0)


def test_several_drafts_are_named_one_by_one(capsys, tmp_path):
    models = {name: str(ROOT / "assets" / "models" / name) for name in ("target", "draft")}
    run = ["run", "--method", "specinfer", "--prompt", "Once upon a time", "--max-new-tokens", "12"]
    named = ["--target", models["target"], "--draft", models["draft"], "--other-draft", models["draft"]]
    printed(capsys, *run, *named, "--set", "draft_models=2", "--trace", str(tmp_path / "t.json"))
    trace = load(tmp_path / "t.json")
    validate(trace)
    assert [facts["name"] for facts in trace.events[0].other_drafts] == ["bundled draft"]
    assert any(set(event.draft_models) == {0, 1} for event in trace.events if isinstance(event, Drafted))


def test_validate_and_export(capsys, tmp_path):
    recorded = "assets/traces/speculative_sampling.json.gz"
    assert printed(capsys, "validate", recorded)["complete"]
    page, graph = tmp_path / "page.html", tmp_path / "round.graphml"
    assert printed(capsys, "export", recorded, "--html", str(page), "--graphml", str(graph))["written"]
    assert "specPlayer" in page.read_text() and "<graphml" in graph.read_text()


def test_check_prints_the_verdict(capsys):
    result = printed(capsys, "check", "speculative_sampling", "--samples", "300", "--seed", "1")
    names = {"method", "reproduces", "tv", "noise_floor", "p_value", "verdict", "samples", "vocab_size"}
    assert names <= result.keys()
    assert result["verdict"] == "lossless within noise" and result["samples"] == 300
    result = printed(capsys, "check", "mtjd", "--samples", "100", "--set", "sample=1", "--set", "block_length=3")
    assert result["options"] == {"block_length": 3, "sample": 1}
    assert main(["check", "typical_acceptance", "--samples", "100"]) == 0
    captured = capsys.readouterr()  # The models and the method are said on standard error.
    assert "typical_acceptance: distinguishable from the target" in captured.out and captured.err.count("\n") == 1


def test_check_of_all_prints_a_row_for_every_claim(capsys, monkeypatch):
    claims = [("autoregressive", {}), ("beam_sampling", {}), ("beam_sampling", {"replacement": 0})]
    monkeypatch.setattr(losslessness, "every_claim", lambda: claims)
    rows = printed(capsys, "check", "all", "--samples", "100")
    assert [row["reproduces"] for row in rows] == [make_method(*claim).reproduces for claim in claims]
    assert all(row["tv"] is not None for row in rows)


def test_acceptance_normalises_and_says_so_and_leaves_blank_what_it_cannot_enumerate(capsys):
    plain = printed(capsys, *acceptance("0.2,0.3,0.5", "0.5,0.25,0.25", 2))
    scaled = printed(capsys, *acceptance("2,3,5", "0.5,0.25,0.25", 2))
    assert scaled.pop("normalised") and not plain.pop("normalised") and scaled == pytest.approx(plain)
    row = ",".join(["1"] * 60)
    record = printed(capsys, *acceptance(row, row, 8))
    assert record["recursive"] is None and record["speculative"] == pytest.approx(1)
    chain = printed(capsys, *acceptance("0.5,0.5", "0.75,0.25", 2), "--draft-length", "2")
    assert (chain["accepted_by_token"], chain["accepted_by_block"]) == pytest.approx((1.3125, 1.375))


def acceptance(target, draft, num_drafts):
    return ["acceptance", f"--target={target}", f"--draft={draft}", f"--num-drafts={num_drafts}"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "required"),
        (["rum"], "invalid choice"),
        (["run", "--method", "nope", "--prompt", "x"], "Unknown method 'nope'"),
        (["run", "--method", "autoregressive", "--prompt", "  "], "The prompt is empty"),
        ([*RUN, "--temperature", "warm"], "invalid float"),
        ([*RUN, "--set", "draft_length"], "has no value"),
        ([*RUN, "--set", "draft_length=99"], "out of range"),
        ([*RUN, "--pair", "bundeld"], "Did you mean 'bundled'"),
        ([*RUN, "--target", "/nowhere"], "no folder"),
        ([*RUN, "--draft", "/nowhere"], "needs a target"),
        ([*RUN, "--other-draft", "/nowhere"], "need a first one"),
        (["run", "--method", "specinfer", "--prompt", "x", "--set", "draft_models=4"], "needs 4 draft models"),
        ([*RUN, "--max-new-tokens", "1", "--trace", "/nowhere/t.json"], "/nowhere"),
        ([*RUN, "--allow", "/nowhere.txt"], "Cannot read the allowed texts"),
        ([*RUN, "--allow", "assets/playground.gif"], "it is not text"),
        (["run", "--method", "autoregressive", "--prompt", "word " * 1200], "exceed the 1024 that the target can read"),
        (["validate", "/nowhere.json"], "nowhere.json"),
        (["validate", "README.md"], "README.md"),
        (["export", "assets/traces/greedy.json.gz"], "Nothing to export"),
        (["export", "assets/traces/greedy.json.gz", "--html", "/nowhere/x.html"], "cannot be written"),
        (["export", "assets/traces/greedy.json.gz", "--graphml", "/tmp/x.graphml", "--round", "9999"], "9999"),
        (["check", "spectr", "--samples", "many"], "is a method of ours"),
        (["check", "all", "--set", "width=1"], "Name it instead of all"),
        (["check", "spectr", "--workers", "0"], "invalid choice"),
        (["check", "spectr", "--draft-length", "5"], "Say the options of a method by --set"),
        (["check", "all", "--drawn", "distinct"], "Say the options of a method by --set"),
        (["recommender", "check", "--threads", "0"], "invalid choice"),
        (acceptance("0.5,0.5", "1", 2), "2 entries and the draft row has 1"),
        (acceptance("0.5,0.5", "a,b", 2), "--draft a,b is not a row of numbers"),
        (acceptance("0.5,-0.5", "0.5,0.5", 2), "target row has an entry that is not a probability"),
        (acceptance("1e308,1e308", "0.5,0.5", 2), "target row sums to inf"),
        (acceptance("0.5,0.5", "0.5,0.5", 0), "0 drafts is out of range"),
    ],
)
def test_mistakes_are_one_sentence_with_exit_code_2(capsys, arguments, message):
    assert message in refused(capsys, *arguments)


def test_compare_prints_a_row_per_method_with_the_baseline_at_one(capsys, tmp_path):
    prompts = tmp_path / "prompts.txt"
    prompts.write_text(
        "Once upon a time\nThe old house\nA ship\nMy dear sister\nIn the morning\n"
    )  # fewer: no interval
    flags = ["--prompts", str(prompts), "--repeats", "1", "--max-new-tokens", "8"]
    rows = printed(capsys, "compare", "--methods", "rsd_c", *flags)
    assert [row["method"] for row in rows] == ["autoregressive", "rsd_c"]
    assert rows[0]["speed_up"]["median"] == 1 and rows[1]["speed_up"]["low"] <= rows[1]["speed_up"]["median"]
    measured = rows[1]["joules_per_token"]
    assert measured["median"] > 0 if measured else rows[1]["energy_reason"]
    assert rows[1]["estimated_joules_per_token"]["median"] > rows[1]["estimated_rejected_joules_per_token"]["median"]
    assert main(["compare", "--methods", "autoregressive", *flags, "--seed", "7", "--markdown"]) == 0
    table = capsys.readouterr().out
    assert "| `autoregressive` | 8 | 0 |" in table and "with seeds from 7" in table


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--workers", "2"], "one run at a time"),
        (["--estimate-with", "cpu-core"], "Did you mean 'cpu_core'"),
        (["--preset", "rsd-figure"], "Did you mean 'rsd-figure"),
        (["--preset", "rsd-figure5", "--methods", "rsd_s"], "Leave out --methods"),
        (["--methods", "rsd_s:width"], "width has no value"),
        (["--prompts", "nowhere"], "not a text file"),
    ],
)
def test_a_race_that_cannot_start_says_why(capsys, arguments, message):
    assert message in refused(capsys, "compare", *arguments)


SWEEP = ["sweep", "--method", "rsd_s", "--grid", "width=1,2", "temperature=0.5,1", "--max-new-tokens", "4"]


def test_sweep_prints_one_summary_and_resumes(capsys, tmp_path):
    prompts, out = tmp_path / "prompts.txt", tmp_path / "out"
    prompts.write_text("Once upon a time\n")
    arguments = [*SWEEP, "--prompts", str(prompts), "--seeds", "0,1", "--out", str(out)]
    first = printed(capsys, *arguments)
    assert (first["done"], first["total"], first["new"], first["failed"], first["stopped"]) == (8, 8, 8, 0, False)
    rows = [json.loads(line) for line in Path(first["rows"]).read_text().splitlines()]
    settings = {(row["options"]["width"], row["temperature"], row["seed"]) for row in rows}
    assert settings == set(itertools.product((1, 2), (0.5, 1), (0, 1)))
    assert first["trace_bytes"] == sum(row["trace_bytes"] for row in rows)
    validate(load(out / rows[0]["trace"]))
    assert printed(capsys, *arguments)["new"] == 0
    assert "seeds was [0, 1] and is [0, 1, 2]" in refused(capsys, *arguments[:-3], "0,1,2", "--out", str(out))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--out"),
        (["--out", "/proc/nowhere"], "cannot be written"),
        (["--out", "x", "--grid", "width=3"], "width is given twice"),
        (["--out", "x", "--seeds", "one"], "not a list of whole numbers"),
        (["--out", "x", "--prompts", "nowhere"], "not a text file"),
        (["--out", "x", "--estimate-with", "l41"], "Did you mean 'l40'"),
    ],
)
def test_a_sweep_that_cannot_start_says_why_and_makes_no_folder(capsys, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert message in refused(capsys, *SWEEP, *arguments)
    assert not (tmp_path / "x").exists()


def test_meters_say_what_is_here(capsys):
    cpu = printed(capsys, "meters", "--idle", "0.01")[0]
    assert cpu["device"] == "cpu" and (cpu["source"] or cpu["reason"])


def test_compare_runs_the_comparison_of_a_paper_beside_its_numbers(capsys, tmp_path):
    prompts = tmp_path / "prompts.txt"
    prompts.write_text("Once upon a time\n")
    flags = ["--preset", "mtad-table7", "--prompts", str(prompts), "--repeats", "1", "--max-new-tokens", "6"]
    record = printed(capsys, "compare", *flags)
    assert [row["options"].get("beam_width") for row in record["rows"]] == [None, 2, 4, 6, 8]
    assert Sampling(**record["preset"]["sampling"]) == Sampling(1.0, top_k=20, top_p=0.9)
    assert {result["place"] for result in record["reported"]} == {"Table 7"}
    assert main(["compare", *flags]) == 0
    shown = capsys.readouterr().out
    changed = "Changed: prompts 1 in place of 10, repeats 1 in place of 2, new tokens at most 6 in place of 64."
    assert record["beside"]["missing"] == [changed] and changed in shown
    assert "in place of" in shown and "Table 7: Llama-2-13B with Llama-68M, ChatGPT-Prompt, one NVIDIA L40" in shown


def test_chains_are_expected_from_an_acceptance_for_each_position(capsys):
    """With .8 and then .5: 1, 1 + .8 and 1 + .8 + .4 tokens, in 1, 1.1 and 1.2 target calls."""
    flags = ["--cost-ratio", "0.1", "--draft-length", "2", "--arrivals", "1"]
    found = printed(capsys, "expect", "--acceptance", "0.8,0.5", *flags)
    rows = found["lengths"]
    assert all(0 < each["median_s"] <= each["slowest_in_20_s"] for each in found["arrivals"].values())
    assert [row["emitted"] for row in rows] == pytest.approx([1, 1.8, 2.2])
    assert [row["speed_up"] for row in rows] == pytest.approx([1, 1.8 / 1.1, 2.2 / 1.2])
    assert rows[1]["crossover_batch"]["a100"] == pytest.approx(rows[0]["crossover_batch"]["a100"] / 2)
    assert main(["expect", "--acceptance", "0.8,1.5"]) == 2
