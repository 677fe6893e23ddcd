"""Exits as they train."""

import pytest
import torch

from playground.makers.training.exits import Exits, acceptance_by_depth, divergence
from playground.makers.training.network import Network, Shape
from tests.models.small import wild

TARGET = Shape(layers=3, width=16, heads=2, feed_forward=24, vocab=300)


def test_exits_begin_as_the_untrained_ones_and_learn_nothing_but_what_is_theirs():
    target, tokens = wild(Network(TARGET), 0.2), torch.randint(300, (5, 17), generator=torch.Generator().manual_seed(0))
    begun = Exits(TARGET, [1, 2])
    result = acceptance_by_depth(target, begun, tokens)
    for depth in ("1", "2"):
        for name, value in result["untrained"][depth].items():
            assert result["trained"][depth][name] == pytest.approx(value, abs=1e-3)
    target.requires_grad_(requires_grad=False)
    divergence(target, begun, tokens).backward()
    assert all(weight.grad is not None for name, weight in begun.named_parameters() if "up" in name)
    assert all(weight.grad is None for weight in target.parameters())


def test_an_exit_after_the_last_layer_has_nothing_to_learn():
    target, tokens = wild(Network(TARGET), 0.2), torch.randint(300, (2, 9), generator=torch.Generator().manual_seed(0))
    loss = divergence(target, Exits(TARGET, [3]), tokens)
    assert abs(loss.item()) < 1e-5
