"""The logit lens: what each layer of a model would say if it were the last one.

The stream after a layer goes through the model's own last norm and head, which were made for the last layer: what an
early layer says is a reading of it, and no distribution that the model was trained to have.
"""

from typing import Any

import torch

from playground.errors import PlaygroundError
from playground.models.modes import own_modes
from playground.models.passes.lean_pass import LeanPass
from playground.models.reading import Array, on_host


class LayerLens:
    """Predictions of each layer of one model, read in slots of its own: no cache of a run is touched."""

    def __init__(self, model: Any) -> None:
        """Look into a language model.

        Raises:
            PlaygroundError: if the model is not Llama-shaped.
        """
        forward_pass = getattr(model, "forward_pass", None)
        if not isinstance(forward_pass, LeanPass):
            raise PlaygroundError(
                f"The layers of {model.name} cannot be read: that takes a Llama-shaped model. Leave the layers out."
            )
        self._pass, self._vocab_size = forward_pass, model.vocab_size

    @own_modes
    @torch.inference_mode()
    def read(self, tokens: list[int], positions: list[int]) -> Array:
        """Next-token logits after some tokens of a text, of every layer; the last layer's are the model's own.

        Args:
            tokens: (T,) the text.
            positions: (n,) of its tokens, from 0.

        Returns:
            (n, L, V)
        """
        stream, everywhere = self._pass.embedded(tokens), list(range(len(tokens)))
        streams = self._pass.through(self._pass.slots(), 0, stream, everywhere, None, self._pass.num_layers)
        rows = [self._pass.logits(stream[positions])[:, : self._vocab_size] for stream in streams]
        return on_host(torch.stack(rows, 1))
