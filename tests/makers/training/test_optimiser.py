from copy import deepcopy

import pytest
import torch

from playground.makers.training.network import Network
from playground.makers.training.optimiser import Optimiser, Rates, rate_scale
from tests.makers.training.tiny import SHAPE


def stepped(network, optimiser, seed, scale=1.0):
    draws = torch.Generator().manual_seed(seed)
    for weight in network.parameters():
        weight.grad = torch.randn(weight.shape, generator=draws)
    optimiser.step(scale)


def test_every_weight_moves():
    network = Network(SHAPE)
    before = {name: weight.clone() for name, weight in network.named_parameters()}
    stepped(network, Optimiser(network, Rates()), seed=0)
    assert [name for name, weight in network.named_parameters() if torch.equal(weight, before[name])] == []


def test_at_rate_zero_nothing_moves():
    network = Network(SHAPE)
    before = torch.nn.utils.parameters_to_vector(network.parameters()).clone()
    stepped(network, Optimiser(network, Rates()), seed=0, scale=0.0)
    assert torch.equal(torch.nn.utils.parameters_to_vector(network.parameters()), before)


def test_a_restored_optimiser_goes_on_as_the_first_would_have():
    network = Network(SHAPE)
    optimiser = Optimiser(network, Rates())
    for seed in range(3):
        stepped(network, optimiser, seed)
    other = Network(SHAPE)
    other.load_state_dict(network.state_dict())
    restored = Optimiser(other, Rates())
    restored.restore(deepcopy(optimiser.state()))  # A file would give the same.
    for each, its_optimiser in ((network, optimiser), (other, restored)):
        stepped(each, its_optimiser, seed=9)
    assert all(torch.equal(one, two) for one, two in zip(network.parameters(), other.parameters(), strict=True))


def test_a_restored_optimiser_follows_the_rates_it_was_made_with():
    network = Network(SHAPE)
    optimiser = Optimiser(network, Rates())
    stepped(network, optimiser, seed=0)
    restored = Optimiser(network, Rates(matrices=0.0, embeddings=0.0, others=0.0))
    restored.restore(optimiser.state())
    before = torch.nn.utils.parameters_to_vector(network.parameters()).clone()
    stepped(network, restored, seed=1)
    assert torch.equal(torch.nn.utils.parameters_to_vector(network.parameters()), before)


@pytest.mark.parametrize(
    ("step", "scale"), [(0, 0.25), (3, 1.0), (10, 1.0), (16, 1.0), (17, 0.75), (19, 0.25), (20, 0.0)]
)
def test_the_rate_rises_holds_and_falls_to_zero(step, scale):
    assert rate_scale(step, warm_up=4, max_steps=20, decay_steps=4) == scale


def test_without_an_end_the_rate_holds():
    assert rate_scale(10**9, warm_up=4, max_steps=None, decay_steps=4) == 1.0
    assert rate_scale(19, warm_up=0, max_steps=20, decay_steps=0) == 1.0
