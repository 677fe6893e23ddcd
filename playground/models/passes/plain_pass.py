"""One forward pass as transformers makes it: what every architecture has, and what a leaner pass must equal."""

from collections.abc import Iterator
from typing import Any

import torch
from torch.func import functional_call
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

from playground.models.passes.windows import WindowMasks


class GrowingCache:
    """Keys and values in a cache of transformers; slot i is row i of every layer, also of one that sees a window."""

    def __init__(self, config: Any) -> None:
        self.cache = DynamicCache(config=config)
        # a layer with a window would drop what a branch still sees
        slides = self.cache.is_sliding
        self.cache.layers = [
            DynamicLayer() if slid else layer for slid, layer in zip(slides, self.cache.layers, strict=True)
        ]
        self.windows = WindowMasks(config)  # The layers see by them.
        self.positions: list[int] = []  # Each slot's token has one.

    def keep(self, prefix: int, tail: list[int]) -> None:
        """Keep the first `prefix` slots, and move these up after them."""
        length = prefix + len(tail)
        self.positions[prefix:] = [self.positions[slot] for slot in tail]
        if not tail or tail[-1] == length - 1:
            # transformers 5: a negative length drops from the end
            self.cache.crop(length - self.cache.get_seq_length())
            return
        index = torch.tensor([*range(prefix), *tail])
        for layer, keys, values in self._layers():
            index = index.to(keys.device)
            layer.keys, layer.values = keys.index_select(-2, index), values.index_select(-2, index)

    def bytes_per_token(self) -> int:
        """Bytes of all layers' slots; 0 before anything was read."""
        return sum(keys[0, :, 0].nbytes + values[0, :, 0].nbytes for _, keys, values in self._layers())

    def _layers(self) -> Iterator[tuple[DynamicLayer, torch.Tensor, torch.Tensor]]:
        """Yield the layers that hold something. `loading` has refused models with other kinds of layers."""
        for layer in self.cache.layers:
            assert isinstance(layer, DynamicLayer), f"a {type(layer).__name__} cannot hold a token tree"
            if layer.keys is not None and layer.values is not None:
                yield layer, layer.keys, layer.values


class PlainPass:
    """The pass of one model."""

    name = "transformers"

    def __init__(self, model: Any) -> None:
        self._model = model

    def slots(self) -> GrowingCache:
        """Room for the keys and values of one tree."""
        return GrowingCache(self._model.config)

    def run(
        self, slots: GrowingCache, tokens: list[int], positions: list[int], mask: torch.Tensor | None, rows: list[int]
    ) -> torch.Tensor:
        """Read n tokens; see `ForwardPass.run`."""
        device = self._model.device
        keep: Any = 0  # transformers: 0 keeps every row
        if len(rows) < len(tokens):
            keep = torch.tensor(rows, device=device)
        slots.positions += positions
        # four dimensions are taken as they are; eager attention misreads a mask of booleans
        masks, buffers = None if mask is None else mask[None, None], {}
        if mask is not None and slots.windows.hide(slots.positions):
            masks, buffers = slots.windows.of(mask, positions, slots.positions)
        arguments = {
            "input_ids": torch.tensor([tokens], device=device),
            "attention_mask": masks,
            # A missing position is silently wrong in a tree, and OPT derives it from the mask: always say it.
            "position_ids": torch.tensor([positions], device=device),
            "cache": slots.cache,
            "use_cache": True,
            "logits_to_keep": keep,
        }
        output = functional_call(self._model, buffers, kwargs=arguments) if buffers else self._model(**arguments)
        return output.logits[0]
