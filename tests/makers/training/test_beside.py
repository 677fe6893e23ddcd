"""Drafters beside a target, head and block: from a target to the folder beside it, as a person makes them."""

import json

import pytest
import torch

from playground.errors import PlaygroundError
from playground.makers.commands import main
from playground.makers.training.checkpoints import load_checkpoint
from playground.makers.training.export import export
from playground.makers.training.kinds import BESIDE
from playground.makers.training.network import Network, Shape
from playground.makers.training.pair.release import read_beside
from playground.models.drafters.choice import BLOCKS, with_drafter
from playground.models.loading import Models
from tests.makers.training.tiny import prose, tiny_corpus
from tests.models.small import wild

TARGET = Shape(layers=3, width=16, heads=2, feed_forward=24, vocab=300)
FLAGS = {
    "head": ("--tokens", 4096, "--feed-forward", 24),
    "block": ("--tokens", 4096, "--feed-forward", 24, "--positions", 3, "--rank", 2),
}
WORDS = {"head": ("head",), "block": BLOCKS}
STEPS = {"head": 4, "block": 4}


def train(*arguments):
    return main(["train", *map(str, arguments)])


@pytest.fixture
def work(tmp_path):
    corpus = tiny_corpus(tmp_path)
    export(wild(Network(TARGET), 0.2), corpus.folder / "tokenizer.json", tmp_path / "models" / "target")
    return tmp_path


def begin(kind, work, *more):
    flags = ("--tokens-per-step", 512, "--warm-up", 1, "--no-low-precision", "--measure-steps", 99)
    flags += ("--checkpoint-s", 1e9, "--teacher", work / "models" / "target")
    return train(kind, "--work", work, *flags, *FLAGS[kind], *more)


@pytest.mark.parametrize("kind", FLAGS)
def test_from_a_target_to_a_drafter_beside_it(work, kind):
    assert begin(kind, work, "--max-steps", STEPS[kind]) == 0
    losses = [json.loads(line)["loss"] for line in (work / kind / "log.jsonl").read_text().splitlines()]
    assert losses[-1] < losses[0]
    models, held = work / "models", work / "held.txt"
    held.write_text(prose(60, seed=1))
    pair = {"draft": {"parameters": 1}} | {name: {"acceptance_1.0": 0.5} for name in CONTEXTS}
    (models / "evaluation.json").write_text(json.dumps(pair))
    assert train("export", "--work", work, "--out", models, "--only", kind) == 0
    (models / "made.json").write_text(json.dumps(json.loads((models / "made.json").read_text()) | {"data": "Made up."}))
    assert train("evaluate", "--models", models, "--held-out", held, "--windows", 2, "--only", kind) == 0
    measured = json.loads((models / "evaluation.json").read_text())[kind]
    assert f"{SHOWN[kind](measured):.3f}" in (models / kind / "README.md").read_text()
    for word in WORDS[kind]:
        draft = with_drafter(Models(str(models / "target")).load(), word).draft
        assert draft.num_parameters == measured["parameters"] + 300 * 16, "and the embedding, which is the target's"
    with pytest.raises(PlaygroundError, match="was trained on another target"):
        read_beside(BESIDE[kind], models / kind, wild(Network(TARGET), 0.1))
    with pytest.raises(PlaygroundError, match=f"holds no {kind}"):
        read_beside(BESIDE[kind], work, Network(TARGET))


CONTEXTS = ("on_held_out_text", "on_text_of_the_target")
SHOWN = {
    "head": lambda measured: measured["on_held_out_text"]["acceptance_1.0"],
    "block": lambda measured: measured["on_held_out_text"]["with_bias"][2],
}


@pytest.mark.parametrize("kind", FLAGS)
def test_one_that_was_stopped_goes_on_as_if_it_had_not_been(work, kind):
    for steps in (1, 2):
        assert begin(kind, work, "--name", "parts", "--max-steps", steps) == 0
    assert begin(kind, work, "--name", "whole", "--max-steps", 2) == 0
    parts, whole = (load_checkpoint(work / name)["weights"] for name in ("parts", "whole"))
    assert all(torch.equal(parts[name], whole[name]) for name in whole)
