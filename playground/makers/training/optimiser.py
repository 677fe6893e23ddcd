"""The optimiser: Muon for the matrices of the blocks, AdamW for the others, one schedule for both.

The schedule is warm-up, then constant, then a decay to zero that may be started from any checkpoint. A run of unknown
length keeps the constant rate, and a decay branch turns any moment of it into a finished model.

Paper: Jordan et al. 2024, Muon; Hu et al. 2024, MiniCPM (warm-up, stable, decay).
"""

import math
from dataclasses import asdict, dataclass
from typing import Any

import torch

from playground.errors import PlaygroundError
from playground.makers.training.network import Trained


@dataclass(frozen=True, slots=True)
class Rates:
    """Peak learning rates.

    Raises:
        PlaygroundError: if one is negative.
    """

    matrices: float = 0.02  # Muon has it, whose updates are nearly orthogonal matrices.
    embeddings: float = 0.02  # AdamW has it for the embedding.
    others: float = 0.006  # AdamW has it for an untied output layer and the norms.
    decay: float = 0.02  # decoupled weight decay of the matrices, times their rate

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not 0 <= value < math.inf:
                raise PlaygroundError(f"The rate {name} is {value}. Choose 0 or more.")


class Optimiser:
    """Muon and AdamW as one."""

    def __init__(self, network: Trained, rates: Rates) -> None:
        named = dict(network.named_parameters())
        embedding = named.pop("model.embed_tokens.weight", None)  # a drafting head has none of its own
        matrices = [weight for name, weight in named.items() if weight.dim() == 2 and name != "lm_head.weight"]
        chosen = {id(weight) for weight in matrices}
        others = [weight for weight in named.values() if id(weight) not in chosen]
        self._parts = [
            torch.optim.Muon(matrices, lr=rates.matrices, weight_decay=rates.decay, momentum=0.95),
            torch.optim.AdamW(
                [
                    *([] if embedding is None else [{"params": [embedding], "lr": rates.embeddings}]),
                    {"params": others, "lr": rates.others},
                ],
                betas=(0.9, 0.95),
                eps=1e-10,
                weight_decay=0.0,
            ),
        ]
        self._peaks = [group["lr"] for group in self._groups()]

    def step(self, scale: float) -> None:
        """Move the weights along their gradients, at `scale` times the peak rates, and clear the gradients."""
        for group, peak in zip(self._groups(), self._peaks, strict=True):
            group["lr"] = peak * scale
        for part in self._parts:
            part.step()
            part.zero_grad(set_to_none=True)

    def state(self) -> list[dict[str, Any]]:
        """State for a checkpoint."""
        return [part.state_dict()["state"] for part in self._parts]

    def restore(self, state: list[dict[str, object]]) -> None:
        """Restore a checkpoint; the rates stay those of this run."""
        for part, part_state in zip(self._parts, state, strict=True):
            part.load_state_dict({"state": part_state, "param_groups": part.state_dict()["param_groups"]})

    def _groups(self) -> list[dict[str, Any]]:
        return [group for part in self._parts for group in part.param_groups]


def rate_scale(step: int, warm_up: int, max_steps: int | None, decay_steps: int) -> float:
    """Share of the peak rate at a step: a ramp up, then 1, then a ramp down to zero.

    Args:
        warm_up: steps of the ramp up.
        max_steps: where the run ends; None if that is not known.
        decay_steps: steps of the ramp down, the last of the run; 0 for none.
    """
    scale = min(1.0, (step + 1) / warm_up) if warm_up else 1.0
    if max_steps is not None and decay_steps:
        scale *= min(1.0, max(0, max_steps - step) / decay_steps)
    return scale
