import pytest
import torch

from playground.errors import PlaygroundError
from playground.makers.training.export import as_transformers
from playground.makers.training.network import Network, Shape

TOKENS = torch.randint(0, 50, (2, 9), generator=torch.Generator().manual_seed(0))


def random_network(tied=False):
    """Every weight random: a fresh network's blocks are the identity, which proves little."""
    network = Network(Shape(3, 24, 3, 40, vocab=50, tied=tied))
    draws = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for weight in network.parameters():
            weight.normal_(std=0.4, generator=draws)
    return network.eval()


@pytest.mark.parametrize("tied", [False, True])
@torch.inference_mode()
def test_logits_are_those_of_the_same_weights_in_transformers(tied):
    network = random_network(tied)
    expected = as_transformers(network)(input_ids=TOKENS).logits
    torch.testing.assert_close(network(TOKENS), expected, rtol=1e-4, atol=1e-4)


@torch.inference_mode()
def test_a_fresh_network_holds_every_token_equally_likely():
    logits = Network(Shape(2, 16, 2, 24, vocab=50, tied=False))(TOKENS)
    assert torch.equal(logits, torch.zeros_like(logits))


def test_the_same_seed_gives_the_same_weights():
    shape = Shape(2, 16, 2, 24, vocab=50)
    one, same, other = (torch.nn.utils.parameters_to_vector(Network(shape, seed=s).parameters()) for s in (1, 1, 2))
    assert torch.equal(one, same) and not torch.equal(one, other)


def test_a_tied_output_layer_is_counted_once():
    assert Network(Shape(1, 16, 2, 24, vocab=50)).num_parameters == 50 * 16 + 4 * 16**2 + 3 * 16 * 24 + 3 * 16


@pytest.mark.parametrize("shape", [(0, 16, 2, 24), (1, 15, 2, 24), (1, 6, 2, 24), (1, 16, 0, 24), (1, 16, 2, 0)])
def test_a_shape_that_cannot_be_is_refused(shape):
    with pytest.raises(PlaygroundError, match="cannot be"):
        Shape(*shape)
