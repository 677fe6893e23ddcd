"""Sliding windows of a model's layers, as one more condition in the mask of a tree over a cache that keeps every token.

A token sees those of its path that are nearer than the window. While every token sees all before it, transformers' own
masks say so; in a tree a slot is no position, so the depths of the nodes decide. Models take the masks in three ways:

    all layers alike      one mask                          Mistral, Phi-3, StarCoder2
    by type of layer      a mask for each                   Gemma 2 and 3, Qwen2, gpt-oss, OLMo 3
    in the attention      its buffer, for one pass          GPT-Neo
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.nn.functional import pad

BUFFERS = {"gpt_neo": "transformer.h.{}.attn.attention.bias"}  # (1, 1, slots, slots) of bool, by family


def layer_windows(config: Any) -> list[int | None]:
    """Return the number of tokens that each layer sees, the reading one included; None where it sees all."""
    from transformers import DynamicCache

    if config.model_type == "gpt_neo":
        return [config.window_size if kind == "local" else None for kind in config.attention_layers]
    return [getattr(layer, "sliding_window", None) for layer in DynamicCache(config=config).layers]


def shortest_window(config: Any) -> int | None:
    """Return the shortest of a model's windows that hides anything of its longest text; None if there is none."""
    longest = getattr(config, "max_position_embeddings", None) or 2**31
    return min((window for window in layer_windows(config) if window and window < longest), default=None)


@contextmanager
def narrowed(model: Any, window: int) -> Iterator[None]:
    """Shorten the windows and chunks of a transformers model, in its configuration and where its modules keep them.

    A number that is named after layers counts those, and no tokens. A window in a buffer stays as wide as it is.
    """
    before = [
        (owner, name, value)
        for owner in (
            () if model.config.model_type in BUFFERS else (model.config.get_text_config(decoder=True), *model.modules())
        )
        for name, value in vars(owner).items()
        if type(value) is int and value > window and ("window" in name or "chunk" in name) and "layer" not in name
    ]
    for owner, name, _ in before:
        setattr(owner, name, window)
    try:
        yield
    finally:
        for owner, name, value in before:
            setattr(owner, name, value)


class WindowMasks:
    """Attention masks for a tree that is longer than one of a model's windows."""

    def __init__(self, config: Any) -> None:
        self._windows = layer_windows(config)
        self._types = getattr(config.get_text_config(decoder=True), "layer_types", None)
        self._buffer = BUFFERS.get(config.model_type)
        self._shortest = min((window for window in self._windows if window), default=2**31)

    def hide(self, positions: list[int]) -> bool:
        """Return whether a window hides anything of tokens at these positions, the last that are read among them.

        A window in a buffer counts slots, and a tree has more of them than depths.
        """
        extent = len(positions) if self._buffer else max(positions) - min(positions) + 1
        return extent > self._shortest

    def of(self, mask: torch.Tensor, read: list[int], seen: list[int]) -> tuple[Any, dict[str, torch.Tensor]]:
        """Return the mask or masks, and the buffers to put in place, both for one pass.

        Args:
            mask: (n, s + n) to add to the scores, without windows.
            read: positions of the tokens that are read. (n,)
            seen: those of all columns. (s + n,)
        """
        behind = torch.tensor(read)[:, None] - torch.tensor(seen)  # (n, s + n)
        nearer = {window: (behind < window).to(mask.device) for window in set(self._windows) if window}
        if self._buffer:
            everything = torch.ones_like(mask, dtype=torch.bool)
            above = (0, 0, mask.shape[1] - mask.shape[0], 0)  # The last rows of the square are read.
            squares = {window: pad(each, above)[None, None] for window, each in ({None: everything} | nearer).items()}
            buffers = {self._buffer.format(layer): squares[window] for layer, window in enumerate(self._windows)}
            return mask[None, None], buffers
        lowest = torch.finfo(mask.dtype).min
        masks: dict[int | None, torch.Tensor] = {None: mask[None, None]}
        masks |= {window: mask.masked_fill(~near, lowest)[None, None] for window, near in nearer.items()}
        if len(set(self._windows)) == 1:
            return masks[self._windows[0]], {}
        return {kind: masks[window] for kind, window in zip(self._types or (), self._windows, strict=True)}, {}
