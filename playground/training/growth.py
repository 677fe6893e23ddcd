"""A larger network that computes what a smaller one did: the start of a run that need not begin from nothing.

The stream gets new entries, which begin as zero, because nothing writes into them yet; what reads them is random, so
that they begin to learn at once. New heads, feed-forward units and layers begin silent for the same reason: what they
write is zero.
"""

from __future__ import annotations

import torch

from playground.errors import PlaygroundError
from playground.training.network import Network, Shape


@torch.no_grad()
def grow(small: Network, shape: Shape, *, seed: int = 0) -> Network:
    """Return a network of this shape with the same logits as `small`.

    Args:
        small: what it grows from.
        shape: at least as large in everything, with heads of the same size.
        seed: of what is new.

    Raises:
        PlaygroundError: if the shape is smaller in something, its heads or vocabulary differ, or it ties what is not.
    """
    old = small.shape
    pairs = ((old.layers, shape.layers), (old.heads, shape.heads), (old.feed_forward, shape.feed_forward))
    same_heads = old.width * shape.heads == shape.width * old.heads
    ties = shape.tied and not old.tied
    if any(before > after for before, after in pairs) or old.vocab != shape.vocab or not same_heads or ties:
        raise PlaygroundError(
            f"A network of {old} cannot grow into one of {shape}. Keep the vocabulary, the width of a head and an "
            "output layer of its own, and choose nothing smaller."
        )
    large = Network(shape, seed=seed)
    large.model.embed_tokens.weight.zero_()
    weights: dict[str, torch.Tensor] = dict(small.named_parameters())
    if old.tied and not shape.tied:
        weights["lm_head.weight"] = small.lm_head.weight
    # a norm divides by the mean square over the width, and the new entries are zero
    shrink = (old.width / shape.width) ** 0.5
    for name, weight in large.named_parameters():
        if weight.dim() == 1:
            weight.mul_(shrink)
        if name in weights:
            part = weights[name]
            block = weight[tuple(slice(size) for size in part.shape)]
            block.copy_(part * shrink if part.dim() == 1 else part)
    return large
