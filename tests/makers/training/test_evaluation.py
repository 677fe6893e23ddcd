import numpy as np
import pytest
import torch

from playground.makers.training.evaluation import agreement, bits_per_byte, held_out_losses
from playground.makers.training.network import Network
from tests.makers.training.test_network import random_network

TOKENS = np.random.default_rng(0).integers(0, 50, 400).astype(np.uint16)


def test_a_uniform_model_needs_the_bits_of_its_vocabulary():
    uniform = Network(random_network().shape)
    nats = held_out_losses(uniform, TOKENS, count=5, length=20).mean()
    assert nats == pytest.approx(np.log(50), rel=1e-6)
    assert bits_per_byte(nats, 3.0) == pytest.approx(np.log2(50) / 3)


def test_the_loss_of_a_window_is_its_mean_surprise():
    network = random_network()
    windows = torch.from_numpy(TOKENS.astype(np.int64)).view(20, 20)
    with torch.inference_mode():
        logs = torch.log_softmax(network(windows[:, :-1]), -1)
    expected = -logs.gather(-1, windows[:, 1:, None]).mean(dim=(1, 2)).numpy()
    assert held_out_losses(network, TOKENS, count=20, length=20) == pytest.approx(expected, rel=1e-5)


def test_a_model_agrees_with_itself():
    network, batch = random_network(), torch.randint(0, 50, (5, 8))
    assert agreement(network, network, batch) == {
        "acceptance_1.0": pytest.approx(1, abs=1e-5),
        "acceptance_0.7": pytest.approx(1, abs=1e-5),
        "same_best": 1.0,
    }


def test_acceptance_is_the_overlap_at_each_temperature():
    def constant(*probs):
        return lambda tokens: torch.tensor(probs).log().expand(*tokens.shape, len(probs))

    target, draft = constant(0.5, 0.3, 0.2), constant(0.2, 0.2, 0.6)
    result = agreement(target, draft, torch.zeros(2, 3, dtype=torch.long))
    p, q = (np.array(row) ** (1 / 0.7) for row in ((0.5, 0.3, 0.2), (0.2, 0.2, 0.6)))
    assert result["acceptance_1.0"] == pytest.approx(0.6)
    assert result["acceptance_0.7"] == pytest.approx(np.minimum(p / p.sum(), q / q.sum()).sum())
    assert result["same_best"] == 0.0
