"""A trained exit: a module between a middle layer of a target and the target's own last norm and output layer.

Those were made for the last layer, so what they make of an earlier one is a poor guess at the target's next token. A
few weights in front of them, x + up(down(x)) of the layer's normed stream x, were trained to mend that: the layers
themselves stay the target's, and so do its cache and its text. They belong to the one target that they were trained
on, and are saved next to it in the folder `exits`, for some depths.

Source: Belrose et al. 2023, "Eliciting Latent Predictions from Transformers with the Tuned Lens", arXiv 2303.08112: an
affine map for each layer, trained by the divergence from the model's own distribution. Differs from it: the map is of
low rank and reads the normed stream; it drafts here, where there it is looked at.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch.nn.functional import linear

from playground.errors import PlaygroundError
from playground.models.bundled import EXITS
from playground.models.drafters.beside import fingerprint, weights_below
from playground.models.passes.lean_pass import Norm
from playground.models.sources.checkpoint import check_weights
from playground.models.sources.folder import read_part

if TYPE_CHECKING:
    from playground.models.language_model import LanguageModel

CONFIG, WEIGHTS = "exits.json", "exits.safetensors"


class TrainedExit:
    """A trained exit: a small residual block in front of the last norm."""

    def __init__(self, weights: dict[str, torch.Tensor], eps: float) -> None:
        """Take the weights of one depth, by the names that training gives them."""
        self._norm = Norm(weights["norm.weight"], eps)
        self._down = weights["down.weight"]  # (rank, width)
        self._up, self._shift = weights["up.weight"], weights["up.bias"]  # (width, rank), (width,)
        self.num_parameters = sum(weight.numel() for weight in weights.values())

    def of(self, stream: torch.Tensor) -> torch.Tensor:
        """(n, width) to (n, width)"""
        normed = self._norm.of(stream)
        return normed + linear(linear(normed, self._down), self._up, self._shift)


def trained_exit(target: LanguageModel, depth: int) -> TrainedExit | None:
    """Return the trained exit after this many layers that is stored with a target; None where there is none.

    Raises:
        PlaygroundError: if there is one, and it cannot be read.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    path = str(target.model.name_or_path)  # a model made in memory has none
    folder = Path(path).parent / EXITS
    if not path or not (folder / CONFIG).is_file():
        return None
    try:
        config = read_part(folder / CONFIG, folder / WEIGHTS)
        if depth not in config["depths"] or config["fingerprint"] != fingerprint(target.model):
            return None
        own = weights_below(load_file(folder / WEIGHTS), f"exits.{depth}.")
        weights = {name: weight.to(target.device, target.dtype) for name, weight in own.items()}
        width, rank = target.config.hidden_size, len(weights.get("down.weight", ()))
        shapes = {"norm.weight": (width,), "down.weight": (rank, width), "up.weight": (width, rank)}
        check_weights(weights, shapes | {"up.bias": (width,)})
        return TrainedExit(weights, config["norm_eps"])
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise PlaygroundError(
            f"The trained exits of {target.name} cannot be read: {str(error).splitlines()[0]} Train them again, or "
            f"remove the folder {EXITS}: the target can be left early without them."
        ) from error
