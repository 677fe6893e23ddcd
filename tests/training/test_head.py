"""A drafting head, from a target to the folder beside it, as a person makes it."""

import json

import pytest
import torch

from playground.cli import main
from playground.models.drafters.choice import with_drafter
from playground.models.loading import load_models
from playground.training.checkpoints import load_checkpoint
from playground.training.export import export
from playground.training.head.features import AT_ONCE, LENGTH, make_features
from playground.training.head.network import HeadNetwork
from playground.training.head.objectives import Recursion
from playground.training.network import Network, Shape
from tests.training.tiny import prose, tiny_corpus

TARGET = Shape(layers=1, width=16, heads=2, feed_forward=24, vocab=300)


def train(*arguments):
    return main(["train", *map(str, arguments)])


@pytest.fixture
def work(tmp_path):
    corpus = tiny_corpus(tmp_path)
    network = Network(TARGET)
    with torch.no_grad():
        for weight in network.parameters():
            weight.add_(torch.randn(weight.shape, generator=torch.Generator().manual_seed(1)) * 0.1)
    export(network, corpus.folder / "tokenizer.json", tmp_path / "models" / "target")
    return tmp_path


def head(work, *more):
    flags = ("--tokens", 4096, "--tokens-per-step", 512, "--warm-up", 1, "--no-low-precision", "--measure-steps", 99)
    flags += ("--feed-forward", 24, "--checkpoint-s", 1e9)
    return train("head", "--work", work, "--teacher", work / "models" / "target", *flags, *more)


def test_from_a_target_to_a_head_that_drafts_for_it(work, capsys):
    for objective in ("divergence", "features"):
        assert head(work, "--name", objective, "--objective", objective, "--max-steps", 4) == 0
        losses = [json.loads(line)["loss"] for line in (work / objective / "log.jsonl").read_text().splitlines()]
        assert losses[-1] < losses[0]
    assert head(work, "--objective", "feature") == 2
    assert "Did you mean 'features'" in capsys.readouterr().err
    models, held = work / "models", work / "held.txt"
    held.write_text(prose(60, seed=1))
    (models / "evaluation.json").write_text(json.dumps(FIGURES))
    assert train("export", "--work", work, "--out", models, "--head", "divergence") == 0
    (models / "made.json").write_text(json.dumps(json.loads((models / "made.json").read_text()) | {"data": "Made up."}))
    assert train("evaluate", "--models", models, "--held-out", held, "--windows", 2, "--head") == 0
    measured = json.loads((models / "evaluation.json").read_text())["head"]
    assert f"{measured['on_held_out_text']['acceptance_1.0']:.3f}" in (models / "head" / "README.md").read_text()
    pair = with_drafter(load_models(str(models / "target"), None), "head")
    assert pair.draft.num_parameters == measured["parameters"] + 300 * 16  # and the embedding, which is the target's


def test_a_head_that_was_stopped_goes_on_as_if_it_had_not_been(work):
    for steps in (1, 2):
        assert head(work, "--name", "parts", "--max-steps", steps) == 0
    assert head(work, "--name", "whole", "--max-steps", 2) == 0
    parts, whole = (load_checkpoint(work / name)["weights"] for name in ("parts", "whole"))
    assert all(torch.equal(parts[name], whole[name]) for name in whole)


def test_a_head_that_says_what_the_target_says_has_nothing_to_learn(tmp_path):
    """Its loss is the divergence: zero where the guess of every step is the feature itself."""

    class Knowing(HeadNetwork):
        def forward(self, embedded, features, steps):
            return [features] * steps

    corpus, network = tiny_corpus(tmp_path), Network(TARGET)
    features = make_features(network, corpus.train, tmp_path / "kept", num_tokens=AT_ONCE * LENGTH)
    assert abs(Recursion(network, features, 2)(Knowing(TARGET), torch.tensor([0, 3])).item()) < 1e-6
    assert sorted(features.order(16, 16, seed=0).tolist()) == list(range(16))


FIGURES = {
    "draft": {"parameters": 1},
    "on_held_out_text": {"acceptance_1.0": 0.5},
    "on_text_of_the_target": {"acceptance_1.0": 0.5},
}
