"""Growing draft trees: one draft-model call per level, whatever the number of nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch

from playground.decoding.method import option
from playground.decoding.round import Draft, Layer, Setting
from playground.decoding.sampling import categorical

if TYPE_CHECKING:
    from playground.decoding.sampling import Sampling

Draw = Callable[[torch.Tensor], list[int]]  # a row (V,) -> tokens in draw order


def temperature_factor() -> Any:
    """The option of a draft temperature of its own."""
    return option(
        1.0,
        label="Draft temperature factor",
        help="The draft samples at this multiple of the target's temperature. 1 keeps both equal, which accepts most.",
        low=0.1,
        high=4.0,
        step=0.05,
        unit="x",
    )


def heated(setting: Setting, factor: float) -> Sampling:
    """How the draft model samples at that multiple of the target's temperature."""
    sampling = setting.draft_model.sampling
    return replace(sampling, temperature=sampling.temperature * factor)


def grow_level(
    setting: Setting, draft: Draft, parents: list[int], draw: Draw, sampling: Sampling | None = None
) -> list[int]:
    """Ask the draft model at `parents` once, and hang below each what `draw` takes from its row.

    Args:
        setting: the round's setting.
        draft: gets one more layer, unless nothing was drawn.
        parents: one entry per draw-taking visit, in order; the same node may be visited twice.
        draw: from a distribution to tokens.
        sampling: how the draft model samples; as the target does when None.

    Returns:
        The drawn nodes in draw order. Handed back as parents, those that end the text grow nothing.
    """
    parents = [node for node in parents if setting.tree.tokens[node] not in setting.eos_ids]
    if not parents:
        return []
    asked = list(dict.fromkeys(parents))
    reading = setting.draft_model.read(asked, sampling)
    draft.probs.update(zip(asked, reading.probs, strict=True))
    layer = Layer([], [], reading.seconds)
    for parent in parents:
        for token in draw(draft.probs[parent]):
            layer.parents.append(parent)
            layer.nodes.append(setting.tree.add(parent, token))
    draft.layers.append(layer)
    return layer.nodes


def draft_chains(setting: Setting, draft_length: int, num_chains: int = 1, sampling: Sampling | None = None) -> Draft:
    """Independent chains, one draw each per level; a chain's place in a layer is its place in the draw order."""
    draft, chains = Draft(), setting.frontier * num_chains
    for _ in range(min(draft_length, setting.room - 1)):  # the last token is the target's own
        chains = grow_level(setting, draft, chains, independent_draws(setting, 1), sampling)
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
    noise = torch.from_numpy(setting.draft_rng.gumbel(size=like.shape))
    return noise.to(device=like.device, dtype=like.dtype)
