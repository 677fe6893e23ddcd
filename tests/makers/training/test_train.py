"""The whole script, from text to a measured pair, as a person runs it."""

import json

import pytest
import torch

from playground.makers.commands import main
from playground.makers.training.pair import evaluation
from playground.makers.training.text import sampled_text
from playground.models.loading import Models
from tests.makers.training.tiny import prose, write_text

SMALL = ("--width", "16", "--heads", "2", "--feed-forward", "24", "--tokens-per-step", "128", "--window", "32")
SMALL += ("--warm-up", "2", "--measure-steps", "5", "--no-low-precision")


def train(*arguments):
    return main(["train", *map(str, arguments)])


def curve(folder):
    lines = map(json.loads, (folder / "log.jsonl").read_text().splitlines())
    return [(line["step"], line["loss"]) for line in lines]


@pytest.fixture
def work(tmp_path, monkeypatch):
    """A folder with a tokenizer, where a batch of samples is a few."""
    monkeypatch.setattr(sampled_text, "AT_ONCE", 4)
    monkeypatch.setattr(evaluation, "SAMPLE_TOKENS", 20)
    work = tmp_path / "work"
    assert train("tokenizer", "--text", write_text(tmp_path / "text"), "--work", work, "--vocab", 300) == 0
    return work


@pytest.mark.slow
def test_from_a_folder_of_text_to_a_measured_pair(tmp_path, work, capsys):
    assert train("target", "--work", work, "--layers", 2, "--max-steps", 12, *SMALL) == 0
    assert train("samples", "--work", work, "--tokens", 100) == 0
    assert train("draft", "--work", work, "--max-steps", 6, *SMALL) == 0
    assert train("draft", "--work", work, "--name", "weaker", "--source", "corpus", "--max-steps", 3, *SMALL) == 0
    models = tmp_path / "models"
    words = ("--data", "Made-up sentences.", "--licence", "cc0-1.0")
    assert train("export", "--work", work, "--out", work) == 2  # The runs are there.
    assert curve(work / "target")
    assert train("export", "--work", work, "--out", models, "--also", "weaker", *words) == 0
    (tmp_path / "held.txt").write_text(prose(seed=1), encoding="utf-8")
    (tmp_path / "prompts.txt").write_text("The old man\nA fox\n")
    capsys.readouterr()
    evaluation = ("--models", models, "--held-out", tmp_path / "held.txt", "--prompts", tmp_path / "prompts.txt")
    assert train("evaluate", "--windows", 2, "--json", *evaluation) == 0

    measured = json.loads(capsys.readouterr().out)
    assert [len(sample["text"]) > 0 for sample in measured["samples"]] == [True, True]
    assert 0 < measured["on_text_of_the_target"]["acceptance_1.0"] <= 1
    assert measured == json.loads((models / "evaluation.json").read_text())
    card = (models / "target" / "README.md").read_text()
    assert card.startswith("---\nlicense: cc0-1.0\nlibrary_name") and "bf16 products" not in card
    assert "Made-up sentences." in card and f"{measured['target']['bits_per_byte']:.3f} bits" in card
    assert "1 layer, width 16" in (models / "draft" / "README.md").read_text()
    weaker, found = (models / "weaker" / "README.md").read_text(), measured["others"]["weaker"]
    assert "second draft" in weaker and f"{found['on_held_out_text']['acceptance_1.0']:.3f}" in weaker
    pair = Models(str(models / "target"), str(models / "weaker")).load()
    assert pair.target.num_parameters > pair.draft.num_parameters
    finished = json.loads((models / "made.json").read_text())["runs"]["target"]
    assert finished["tokens"] == 12 * 128

    again = ("draft", "--work", work, "--name", "again", "--start-from", "draft", "--max-steps", 2, *SMALL)
    assert train(*again, "--objective", "rejection") == 0
    before = {file: file.read_bytes() for file in models.glob("*/*.safetensors")}
    assert train("export", "--work", work, "--out", models, "--only", "draft", "--run", "again") == 0
    changed = {file.parent.name for file, weights in before.items() if file.read_bytes() != weights}
    record = json.loads((models / "made.json").read_text())
    assert changed == {"draft"} and record["data"] == "Made-up sentences." and record["runs"]["target"] == finished
    assert [each["tokens"] for each in record["runs"]["draft"]["before"]] == [6 * 128]
    assert train("evaluate", "--windows", 2, *evaluation) == 0
    card = (models / "draft" / "README.md").read_text()
    assert "KL divergence" in card and "; then distillation: 1 - sum min(p, q)" in card
    onward = ("draft", "--work", work, "--name", "onward", "--teacher", models / "target", "--source", "corpus")
    assert train(*onward, "--start-from", models / "draft", "--max-steps", 3, *SMALL) == 0
    for words in ((), ("--data", "Others, too.")):  # and is told no second time
        assert train("export", "--work", work, "--out", models, "--only", "draft", "--run", "onward", *words) == 0
        record = json.loads((models / "made.json").read_text())
        last = record["runs"]["draft"]
        assert [each["tokens"] for each in [*last["before"], last]] == [6 * 128, 2 * 128, 3 * 128]
        assert all("machine" in each for each in [*last["before"], last])
    assert record["data"] == "Others, too." and record["licence"] == "cc0-1.0"
    assert train("export", "--work", work, "--out", models, "--only", "tail") == 2
    assert "no exported pair with a tail" in capsys.readouterr().err


def test_runs_keep_the_tokenizer_they_began_with(tmp_path, work, capsys):
    tokenizer = ("tokenizer", "--text", tmp_path / "text", "--work", work)
    assert train("target", "--work", work, "--layers", 1, "--max-steps", 1, *SMALL) == 0
    kept = (work / "corpus" / "tokenizer.json").read_bytes()
    assert train(*tokenizer, "--vocab", 290) == 2
    assert "another tokenizer" in capsys.readouterr().err
    assert train(*tokenizer, "--vocab", 300) == 0
    assert (work / "corpus" / "tokenizer.json").read_bytes() == kept


def test_a_draft_on_samples_needs_them_and_they_belong_to_the_weights_that_wrote_them(work, capsys):
    assert train("target", "--work", work, "--layers", 1, "--max-steps", 1, *SMALL) == 0
    assert train("draft", "--work", work) == 2
    assert "Run the step samples first" in capsys.readouterr().err
    assert train("samples", "--work", work, "--tokens", 10) == 0
    assert train("samples", "--work", work, "--tokens", 20) == 0
    assert train("target", "--work", work, "--max-steps", 2) == 0
    assert train("samples", "--work", work, "--tokens", 20) == 2
    assert train("draft", "--work", work, "--max-steps", 1, *SMALL) == 2
    assert capsys.readouterr().err.count("by another target, or by this one before") == 2


def test_a_step_that_is_interrupted_says_so(work, monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("playground.makers.training.pair.runs.make_samples", interrupted)
    assert train("samples", "--work", work) == 130
    assert capsys.readouterr().err.endswith("Stopped.\n")


def test_a_draft_begins_as_an_earlier_one(work):
    """What it started from may be gone once it has begun; another shape than that cannot be asked for."""
    assert train("target", "--work", work, "--layers", 1, "--max-steps", 2, *SMALL) == 0
    flags = ("--teacher", "target", "--source", "corpus", "--objective", "next-token")
    shape = ("--layers", 1, "--max-steps", 8, *SMALL)
    assert train("draft", "--work", work, *flags, *shape) == 0
    assert train("draft", "--work", work, "--name", "second", "--start-from", "draft", *flags, *shape) == 0
    assert train("draft", "--work", work, "--name", "second", "--start-from", "gone by now") == 0
    assert curve(work / "second")[0][1] < 0.95 * curve(work / "draft")[0][1]


def test_a_run_goes_on_with_its_own_settings(work, monkeypatch, capsys):
    assert train("target", "--work", work, "--layers", 1, "--max-steps", 2, *SMALL) == 0
    capsys.readouterr()
    request: list[int] = []
    monkeypatch.setattr(torch, "set_num_threads", request.append)
    assert train("target", "--work", work, "--max-steps", 4, "--threads", 2, "--json") == 0
    assert request == [2]
    assert json.loads(capsys.readouterr().out)["tokens"] == 4 * 128


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["target"], "Run the step tokenizer first"),
        (["draft"], "Run the step tokenizer first"),
        (["target", "--threads", "0"], "0 is not a number from 1"),
        (["tokenizer", "--text", "nowhere"], "nowhere does not exist"),
        (["export", "--out", "out"], "Run the step tokenizer first"),
        (["samples", "--tokens", "0"], "0 is not a number from 1"),
        (["sing"], "invalid choice"),
    ],
)
def test_a_mistake_is_one_sentence(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert train(*arguments, "--work", "work") == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


def test_steps_out_of_order_are_refused(work, capsys):
    for arguments, message in (
        (["draft"], "'target' is neither a run"),
        (["target", "--start-from", "seed"], "'seed' is neither a run"),
        (["target", "--window", 0], "window is 0. Choose 1 or more"),
        (["target", "--decay-steps", 5], "needs at least that many max steps"),
        (["target", "--rate-matrices", -1], "rate matrices is -1.0"),
        (["target", "--heads", 7], "cannot be"),
        (["draft", "--objective", "divergance", "--teacher", "target"], "Did you mean 'divergence'"),
        (["export", "--out", "out"], "Train this model first"),
    ):
        assert train(*arguments, "--work", work) == 2
        assert message in capsys.readouterr().err
