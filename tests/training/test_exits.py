"""Trained exits, from a target to the folder beside it, as a person makes them."""

import json

import pytest
import torch

from playground.cli import main
from playground.models.drafters.choice import with_drafter
from playground.models.loading import load_models
from playground.training.checkpoints import load_checkpoint
from playground.training.exits.evaluation import acceptance_by_depth
from playground.training.exits.network import Divergence, Exits
from playground.training.export import export
from playground.training.network import Network, Shape
from tests.training.tiny import prose, tiny_corpus

TARGET = Shape(layers=3, width=16, heads=2, feed_forward=24, vocab=300)


def train(*arguments):
    return main(["train", *map(str, arguments)])


def network():
    made = Network(TARGET)
    with torch.no_grad():
        for weight in made.parameters():
            weight.add_(torch.randn(weight.shape, generator=torch.Generator().manual_seed(1)) * 0.2)
    return made.eval()


@pytest.fixture
def work(tmp_path):
    corpus = tiny_corpus(tmp_path)
    export(network(), corpus.folder / "tokenizer.json", tmp_path / "models" / "target")
    return tmp_path


def exits(work, *more):
    flags = ("--tokens-per-step", 512, "--window", 64, "--warm-up", 1, "--no-low-precision", "--measure-steps", 99)
    flags += ("--feed-forward", 4, "--checkpoint-s", 1e9, "--decay-steps", 0)
    return train("exits", "--work", work, "--teacher", work / "models" / "target", *flags, *more)


def test_from_a_target_to_exits_that_draft_better_than_it_did(work, capsys):
    assert exits(work, "--depths", "1,2", "--max-steps", 30) == 0
    losses = [json.loads(line)["loss"] for line in (work / "exits" / "log.jsonl").read_text().splitlines()]
    assert losses[-1] < losses[0]
    models, held = work / "models", work / "held.txt"
    held.write_text(prose(60, seed=1))
    assert train("export", "--work", work, "--out", models, "--exits", "exits") == 0
    (models / "made.json").write_text(json.dumps(json.loads((models / "made.json").read_text()) | {"data": "Made up."}))
    assert train("evaluate", "--models", models, "--held-out", held, "--windows", 2, "--exits") == 0
    measured = json.loads((models / "evaluation.json").read_text())["exits"]
    for depth, found in measured["on_held_out_text"]["trained"].items():
        assert found["acceptance_1.0"] > measured["on_held_out_text"]["untrained"][depth]["acceptance_1.0"]
        assert f"{found['acceptance_1.0']:.3f}" in (models / "exits" / "README.md").read_text()
    draft = with_drafter(load_models(str(models / "target"), None), "exit2").draft
    assert draft.name.endswith("first 2 of 3 layers, trained exit") and draft.facts()["trained_exit"]
    capsys.readouterr()
    for wrong, said in (("3", "Choose depths from 1 to 2"), ("1", "exits after [1, 2]"), ("one", "Give numbers")):
        assert exits(work, "--depths", wrong) == 2
        assert said in capsys.readouterr().err


def test_exits_that_were_stopped_go_on_as_if_they_had_not_been(work):
    for steps in (1, 2):
        assert exits(work, "--name", "parts", "--max-steps", steps) == 0
    assert exits(work, "--name", "whole", "--max-steps", 2) == 0
    parts, whole = (load_checkpoint(work / name)["weights"] for name in ("parts", "whole"))
    assert all(torch.equal(parts[name], whole[name]) for name in whole)


def test_exits_begin_as_the_untrained_ones_and_learn_nothing_but_what_is_theirs():
    target, tokens = network(), torch.randint(300, (5, 17), generator=torch.Generator().manual_seed(0))
    begun = Exits(TARGET, [1, 2])
    result = acceptance_by_depth(target, begun, tokens)
    for depth in ("1", "2"):
        for name, value in result["untrained"][depth].items():
            assert result["trained"][depth][name] == pytest.approx(value, abs=1e-3)
    target.requires_grad_(requires_grad=False)
    Divergence(target)(begun, tokens).backward()
    assert all(weight.grad is not None for name, weight in begun.named_parameters() if "up" in name)
    assert all(weight.grad is None for weight in target.parameters())


def test_an_exit_after_the_last_layer_has_nothing_to_learn():
    target, tokens = network(), torch.randint(300, (2, 9), generator=torch.Generator().manual_seed(0))
    loss = Divergence(target)(Exits(TARGET, [3]), tokens)
    assert abs(loss.item()) < 1e-5
