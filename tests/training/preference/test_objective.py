import math

import pytest
import torch
from torch.nn import functional

from playground.training.network import Network
from playground.training.preference.judged import Continuation
from playground.training.preference.objective import Preference, log_probs
from tests.training.tiny import SHAPE

WHOLE = [Continuation((5, 6, 7), (8, 9, 10, 0)), Continuation((11,), (12, 13)), Continuation((5, 6), (9,) * 12)]
PAIRS = [(WHOLE[0], WHOLE[2]), (WHOLE[1], WHOLE[2]), (WHOLE[1], WHOLE[0])]


@pytest.fixture
def network():
    """One with an opinion: a new one's output layer is zero."""
    network = Network(SHAPE, seed=1)
    torch.nn.init.normal_(network.lm_head.weight, generator=torch.Generator().manual_seed(2))
    return network


def test_together_each_has_the_probability_that_it_has_alone(network):
    found = log_probs(network, WHOLE)
    for each, value in zip(WHOLE, found.tolist(), strict=True):
        row = torch.tensor([*each.opening, *each.tokens])
        logs = functional.log_softmax(network(row[None, :-1])[0], -1)
        alone = sum(logs[place, row[place + 1]].item() for place in range(len(each.opening) - 1, len(row) - 1))
        assert value == pytest.approx(alone, abs=1e-3)


def test_the_network_itself_prefers_nothing(network):
    objective = Preference(PAIRS, network, beta=0.1, low_precision=False)
    assert objective(network, torch.arange(3)).item() == pytest.approx(math.log(2), abs=1e-4)


def test_the_loss_is_that_of_the_paper(network):
    objective = Preference(PAIRS, network, beta=0.3, low_precision=False)
    other = Network(SHAPE, seed=3)  # all tokens alike: log(1 / V) each
    reference = log_probs(network, WHOLE).tolist()
    rewards = [-len(each.tokens) * math.log(SHAPE.vocab) - was for each, was in zip(WHOLE, reference, strict=True)]
    margins = [rewards[WHOLE.index(preferred)] - rewards[WHOLE.index(less)] for preferred, less in PAIRS]
    losses = [math.log1p(math.exp(-0.3 * margin)) for margin in margins]
    assert objective(other, torch.tensor([0, 2])).item() == pytest.approx((losses[0] + losses[2]) / 2, rel=1e-3)
    assert objective(other, torch.tensor([1])).item() == pytest.approx(losses[1], rel=1e-3)


def test_what_was_preferred_becomes_likelier_than_the_other(network):
    objective = Preference(PAIRS[:2], network, beta=0.1, low_precision=False)
    before = log_probs(network, WHOLE).detach()
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-3)
    for _ in range(10):
        optimiser.zero_grad()
        objective(network, torch.arange(2)).backward()
        optimiser.step()
    change = log_probs(network, WHOLE).detach() - before
    assert change[0] > change[2] + 1
    assert change[1] > change[2] + 1


def test_a_pass_reads_every_pair_once_and_a_place_in_it_depends_on_its_number_alone(network):
    objective = Preference(PAIRS * 3, network, beta=0.1, low_precision=False)
    read = objective.order(0, 27, seed=4).tolist()
    assert [sorted(read[at : at + 9]) for at in (0, 9, 18)] == [list(range(9))] * 3
    assert read[:9] != read[9:18]
    assert objective.order(7, 5, seed=4).tolist() == read[7:12]
    assert objective.order(0, 27, seed=5).tolist() != read
