import pytest
import torch

from playground.makers.training.network import Network
from playground.makers.training.pair.runs import divergence, next_token, rejection
from tests.makers.training.test_network import random_network

BATCH = torch.randint(0, 50, (3, 8), generator=torch.Generator().manual_seed(2))


def probs(network):
    return torch.softmax(network(BATCH[:, :-1]), -1)


def test_next_token_is_the_mean_surprise():
    network = random_network()
    surprise = -probs(network).log().gather(-1, BATCH[:, 1:, None])
    torch.testing.assert_close(next_token(network, BATCH), surprise.mean())


def test_divergence_is_from_the_target_to_the_draft():
    target, draft = random_network(), Network(random_network().shape)  # the draft is uniform
    p = probs(target)
    expected = (p * (p * 50).log()).sum(-1).mean()
    torch.testing.assert_close(divergence(target, draft, BATCH), expected)


def test_rejection_is_what_speculative_sampling_rejects():
    target, draft = random_network(), Network(random_network().shape)
    accepted = torch.minimum(probs(target), probs(draft)).sum(-1).mean()
    torch.testing.assert_close(rejection(target, draft, BATCH), 1 - accepted)


@pytest.mark.parametrize("objective", [divergence, rejection])
def test_the_target_learns_nothing(objective):
    target, draft = random_network(), Network(random_network().shape)
    objective(target, draft, BATCH).backward()
    assert all(weight.grad is None for weight in target.parameters())
    assert draft.lm_head.weight.grad is not None
