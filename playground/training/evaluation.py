"""Numbers of a trained network on held-out text."""

from __future__ import annotations

import math

import numpy as np
import torch
import torch.nn.functional as F

from playground.training.corpus import even_windows


@torch.inference_mode()
def held_out_loss(network, tokens: np.ndarray, *, count: int = 60, length: int = 512) -> float:
    """Mean cross-entropy on windows spread over the held-out tokens, in nats a token."""
    total = 0.0
    batch = even_windows(tokens, count, length)
    for window in batch.split(4):
        logits = network(window[:, :-1]).float()
        total += F.cross_entropy(logits.flatten(0, 1), window[:, 1:].flatten()).item() * len(window)
    return total / len(batch)


def bits_per_byte(nats: float, bytes_per_token: float) -> float:
    """A loss in nats a token as bits a byte."""
    return nats / math.log(2) / bytes_per_token
