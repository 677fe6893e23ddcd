"""A drafter that is trained for a target and saved next to it, head or block: what is written of each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import torch

from playground.makers.training.network import Network, Trained

TEXTS = ("on_held_out_text", "on_text_of_the_target")  # All drafters are measured on both.
Weights = dict[str, torch.Tensor]


class Beside(Trained, ABC):
    """One such drafter."""

    name: str  # Its folder and its entries in `made.json` and `evaluation.json` have it.
    files: tuple[str, str]  # names of its config and of its weights in that folder

    @classmethod
    @abstractmethod
    def of_config(cls, config: dict[str, object], target: Network, weights: Weights) -> Beside:
        """Return a network for the weights in a file, by its config and the target."""

    @staticmethod
    @abstractmethod
    def config_of(state: dict[str, object]) -> dict[str, object]:
        """Return what the file says of a run's checkpoint, besides the fingerprint of its target."""

    @abstractmethod
    def measure(self, target: Network, *texts: torch.Tensor) -> dict[str, object]:
        """Return its figures on windows of the two texts, (n, T) each."""

    @staticmethod
    @abstractmethod
    def figures(run: dict[str, Any], numbers: dict[str, Any], evaluation: dict[str, object]) -> dict[str, object]:
        """Return what its template, assets/cards/NAME.md, says that other cards do not."""
