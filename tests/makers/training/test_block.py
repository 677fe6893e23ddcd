"""A block drafter as it trains."""

import torch

from playground.makers.training.block import BlockNetwork, BlockShape, attention_mask
from tests.models.small import wild


def test_a_mask_position_sees_the_text_up_to_its_anchor_and_those_of_its_block_before_it():
    mask, at = attention_mask(4, torch.tensor([1, 2]), 3)
    assert at.tolist() == [0, 1, 2, 3, 2, 3, 3, 4]
    assert [row.isfinite().nonzero().flatten().tolist() for row in mask] == [
        [0], [0, 1], [0, 1, 2], [0, 1, 2, 3], [0, 1, 4], [0, 1, 4, 5], [0, 1, 2, 6], [0, 1, 2, 6, 7],
    ]  # fmt: skip


def test_blocks_read_together_are_the_blocks_read_one_by_one():
    shape = BlockShape(layers=2, width=16, heads=2, feed_forward=24, vocab=30, positions=4, rank=2)
    made, draws = wild(BlockNetwork(shape), 0.3), torch.Generator().manual_seed(2)
    with torch.no_grad():
        text, features = torch.randn(2, 1, 9, 16, generator=draws)
        together = made(text, features, torch.tensor([2, 5]))
        for number, anchor in enumerate((2, 5)):
            alone = made(text[:, : anchor + 1], features[:, : anchor + 1], torch.tensor([anchor]))
            assert torch.allclose(together[:, number], alone[:, 0], atol=1e-5)
