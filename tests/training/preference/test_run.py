"""Written, judged, trained on and exported, as a person does it."""

import json

import torch

from playground.cli import main
from playground.training.card import describe_training
from playground.training.checkpoints import load_checkpoint
from playground.training.preference.judged import write_judged
from playground.training.text.tokenizer import END_OF_TEXT
from tests.training.tiny import prose

SMALL = ("--width", "16", "--heads", "2", "--feed-forward", "24", "--tokens-per-step", "128", "--window", "32")
SMALL += ("--warm-up", "2", "--measure-steps", "5", "--no-low-precision")


def train(*arguments):
    return main(["train", *map(str, arguments)])


def test_a_target_learns_what_a_reader_kept(tmp_path, capsys):
    work, models, judged = tmp_path / "work", tmp_path / "models", tmp_path / "judged"
    stories = f"\n\n{END_OF_TEXT}\n\n".join(prose(sentences=12, seed=seed) for seed in range(12))
    (tmp_path / "stories.txt").write_text(stories, encoding="utf-8")
    judged.mkdir()
    assert train("tokenizer", "--text", tmp_path / "stories.txt", "--work", work, "--vocab", 300) == 0
    assert train("target", "--work", work, "--layers", 1, "--max-steps", 8, *SMALL) == 0
    write = ("continuations", "--work", work, "--out", judged / "1.jsonl", "--openings", 5, "--each", 3)
    assert train(*write) == 0
    lines = [json.loads(line) for line in (judged / "1.jsonl").read_text().splitlines()]
    assert len(lines) == 15 and len({line["opening"] for line in lines}) == 5
    assert len({line["text"] for line in lines}) > 5
    assert all(line["kept"] is None for line in lines)
    assert all(line["opening"] in stories for line in lines)
    before = (judged / "1.jsonl").read_bytes()
    assert train(*write) == 2  # a reader's work is not written over
    assert (judged / "1.jsonl").read_bytes() == before
    assert train(*write[:4], judged / "many.jsonl", "--openings", 99) == 2
    assert "beginnings that can be continued. Ask for no more" in capsys.readouterr().err

    learn = ("preferred", "--work", work, "--judged", judged, "--grow-from", "target")
    assert train(*learn) == 2
    assert "Judge several of each opening" in capsys.readouterr().err
    write_judged(judged / "1.jsonl", [line | {"kept": place % 3 == 0} for place, line in enumerate(lines)])
    assert train("preferred", "--work", work) == 2
    assert "--grow-from with the target" in capsys.readouterr().err
    assert train(*learn, "--compiled") == 2
    assert "Leave out --compiled" in capsys.readouterr().err
    assert train(*learn, "--name", "parts", "--max-steps", 2) == 0
    assert train("preferred", "--work", work, "--name", "parts", "--max-steps", 4) == 0
    assert train(*learn, "--name", "whole", "--max-steps", 4, "--decay-steps", 0) == 0
    assert train(*learn) == 0
    state = load_checkpoint(work / "preferred")
    target, made = load_checkpoint(work / "target")["weights"], state["weights"]
    assert any(not torch.equal(target[name], made[name]) for name in made)
    assert state["step"] == state["plan"]["max_steps"] == 10 * 3 // 16
    assert train("draft", "--work", work, "--source", "corpus", "--max-steps", 2, *SMALL) == 0
    assert train("export", "--work", work, "--out", models, "--target", "preferred") == 0
    told = json.loads((models / "made.json").read_text())["runs"]["target"]
    assert told["about"]["judged"] == "judged"  # no folder of this machine
    assert "direct preference optimisation, on 10 pairs of continuations" in describe_training(told)
    assert [each["about"]["source"] for each in told["before"]] == ["corpus"]
    write_judged(judged / "2.jsonl", [line | {"kept": place % 3 == 1} for place, line in enumerate(lines)])
    assert train("preferred", "--work", work, "--max-steps", 9) == 2
    assert "was begun with 10 pairs" in capsys.readouterr().err
