"""A block drafter, from a target to the folder beside it, as a person makes it."""

import json

import pytest
import torch

from playground.cli import main
from playground.models.drafters.choice import BLOCKS, with_drafter
from playground.models.loading import load_models
from playground.training.block.network import BlockNetwork, BlockShape, attention_mask
from playground.training.checkpoints import load_checkpoint
from playground.training.export import export
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


def block(work, *more):
    flags = ("--tokens", 4096, "--tokens-per-step", 512, "--warm-up", 1, "--no-low-precision", "--measure-steps", 99)
    flags += ("--feed-forward", 24, "--positions", 3, "--rank", 2, "--checkpoint-s", 1e9)
    return train("block", "--work", work, "--teacher", work / "models" / "target", *flags, *more)


def test_from_a_target_to_a_block_drafter_that_drafts_for_it(work):
    assert block(work, "--max-steps", 4) == 0
    losses = [json.loads(line)["loss"] for line in (work / "block" / "log.jsonl").read_text().splitlines()]
    assert losses[-1] < losses[0]
    models, held = work / "models", work / "held.txt"
    held.write_text(prose(60, seed=1))
    assert train("export", "--work", work, "--out", models, "--block", "block") == 0
    (models / "made.json").write_text(json.dumps(json.loads((models / "made.json").read_text()) | {"data": "Made up."}))
    assert train("evaluate", "--models", models, "--held-out", held, "--windows", 2, "--block") == 0
    measured = json.loads((models / "evaluation.json").read_text())["block"]
    assert [len(rates) for rates in measured["on_held_out_text"].values()] == [3, 3, 3]
    base, biased = (measured["on_held_out_text"][name] for name in ("base", "with_bias"))
    assert base[0] == biased[0], "the first row knows the token before it"
    assert f"{biased[2]:.3f}" in (models / "block" / "README.md").read_text()
    for word in BLOCKS:
        draft = with_drafter(load_models(str(models / "target"), None), word).draft
        assert draft.num_parameters == measured["parameters"] + 300 * 16  # and the embedding, which is the target's


def test_a_block_drafter_that_was_stopped_goes_on_as_if_it_had_not_been(work):
    for steps in (1, 2):
        assert block(work, "--name", "parts", "--max-steps", steps) == 0
    assert block(work, "--name", "whole", "--max-steps", 2) == 0
    parts, whole = (load_checkpoint(work / name)["weights"] for name in ("parts", "whole"))
    assert all(torch.equal(parts[name], whole[name]) for name in whole)


def test_a_mask_position_sees_the_text_up_to_its_anchor_and_those_of_its_block_before_it():
    mask, at = attention_mask(4, torch.tensor([1, 2]), 3)
    assert at.tolist() == [0, 1, 2, 3, 2, 3, 3, 4]
    assert [row.isfinite().nonzero().flatten().tolist() for row in mask] == [
        [0], [0, 1], [0, 1, 2], [0, 1, 2, 3], [0, 1, 4], [0, 1, 4, 5], [0, 1, 2, 6], [0, 1, 2, 6, 7],
    ]  # fmt: skip


def test_blocks_read_together_are_the_blocks_read_one_by_one():
    shape = BlockShape(layers=2, width=16, heads=2, feed_forward=24, vocab=30, positions=4, rank=2)
    made, draws = BlockNetwork(shape), torch.Generator().manual_seed(2)
    with torch.no_grad():
        for weight in made.parameters():
            weight.add_(torch.randn(weight.shape, generator=draws) * 0.3)
        text, features = torch.randn(2, 1, 9, 16, generator=draws)
        together = made(text, features, torch.tensor([2, 5]))
        for number, anchor in enumerate((2, 5)):
            alone = made(text[:, : anchor + 1], features[:, : anchor + 1], torch.tensor([anchor]))
            assert torch.allclose(together[:, number], alone[:, 0], atol=1e-5)
