"""What a network is trained for."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from playground.training.network import Network


def next_token(network: Network, batch: torch.Tensor) -> torch.Tensor:
    """Mean cross-entropy of the next token, in nats.

    Args:
        batch: (n, T + 1) tokens.
    """
    logits = network(batch[:, :-1]).float()  # (n, T, V)
    return F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
