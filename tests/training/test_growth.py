from dataclasses import replace

import pytest
import torch

from playground.errors import PlaygroundError
from playground.training.growth import grow
from tests.training.test_network import TOKENS, random_network

LARGER = {"layers": 5, "width": 40, "heads": 5, "feed_forward": 64}


@pytest.mark.parametrize("tied", [(False, False), (True, True), (True, False)])
@torch.inference_mode()
def test_a_grown_network_has_the_same_logits(tied):
    small = random_network(tied[0])
    large = grow(small, replace(small.shape, **LARGER, tied=tied[1]))
    torch.testing.assert_close(large(TOKENS), small(TOKENS), rtol=1e-3, atol=1e-3)


def test_every_new_part_learns_within_two_steps():
    """What reads and what writes a new entry cannot both be silent, or neither would ever learn."""
    small = random_network()
    large = grow(small, replace(small.shape, **LARGER))
    moved = {name: torch.zeros_like(weight, dtype=torch.bool) for name, weight in large.named_parameters()}
    optimiser = torch.optim.SGD(large.parameters(), lr=0.1)
    for _ in range(3):
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(large(TOKENS[:, :-1]).flatten(0, 1), TOKENS[:, 1:].flatten()).backward()
        optimiser.step()
        for name, weight in large.named_parameters():
            moved[name] |= weight.grad != 0
    unmoved = {name for name, where in moved.items() if not where.any(-1).all() and "embed" not in name}
    assert unmoved == set()


@pytest.mark.parametrize("change", [{"tied": True}, {"layers": 2}, {"feed_forward": 8}, {"width": 48}, {"vocab": 60}])
def test_a_shape_it_cannot_grow_into_is_refused(change):
    small = random_network()
    with pytest.raises(PlaygroundError, match="cannot grow"):
        grow(small, replace(small.shape, **change))
