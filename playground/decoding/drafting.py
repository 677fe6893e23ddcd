"""Growing draft trees: one draft-model call per level, whatever the number of nodes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from playground.decoding.round import Draft, Layer, Setting
from playground.decoding.sampling import categorical

Draw = Callable[[torch.Tensor], list[int]]  # a row (V,) -> tokens in draw order


def grow_level(setting: Setting, draft: Draft, parents: list[int], draw: Draw) -> list[int]:
    """Ask the draft model at `parents` once, and hang below each what `draw` takes from its row.

    Args:
        setting: the round's setting.
        draft: gets one more layer, unless nothing was drawn.
        parents: one entry per draw-taking visit, in order; the same node may be visited twice.
        draw: from a distribution to tokens.

    Returns:
        The drawn nodes in draw order. Handed back as parents, those that end the text grow nothing.
    """
    parents = [node for node in parents if setting.tree.tokens[node] not in setting.eos_ids]
    if not parents:
        return []
    asked = list(dict.fromkeys(parents))
    reading = setting.draft_model.read(asked)
    draft.probs.update(zip(asked, reading.probs, strict=True))
    layer = Layer([], [], reading.seconds)
    for parent in parents:
        for token in draw(draft.probs[parent]):
            layer.parents.append(parent)
            layer.nodes.append(setting.tree.add(parent, token))
    draft.layers.append(layer)
    return layer.nodes


def draft_chains(setting: Setting, draft_length: int, num_chains: int = 1) -> Draft:
    """Independent chains, one draw each per level; a chain's place in a layer is its place in the draw order."""
    draft, chains = Draft(), setting.frontier * num_chains
    for _ in range(min(draft_length, setting.room - 1)):  # the last token is the target's own
        chains = grow_level(setting, draft, chains, independent_draws(setting, 1))
    return draft


def independent_draws(setting: Setting, num_draws: int) -> Draw:
    """K i.i.d. draws: a token may come twice."""
    return lambda probs: [categorical(probs, setting.draft_rng.random()) for _ in range(num_draws)]


def distinct_draws(setting: Setting, num_draws: int) -> Draw:
    """K draws without replacement, in draw order, by the Gumbel-top-k trick; fewer where q has fewer tokens."""

    def draw(probs: torch.Tensor) -> list[int]:
        support = int((probs > 0).sum())
        return (torch.log(probs) + gumbel(setting, probs)).topk(min(num_draws, support)).indices.tolist()

    return draw


def most_likely(probs: torch.Tensor) -> list[int]:
    """The one most likely token; no chance is in it."""
    return [int(probs.argmax())]


def gumbel(setting: Setting, like: torch.Tensor) -> torch.Tensor:
    """Standard Gumbel noise from the draft stream. (V,)"""
    noise = torch.from_numpy(-np.log(setting.draft_rng.standard_exponential(like.shape)))  # faster than rng.gumbel
    return noise.to(device=like.device, dtype=like.dtype)
