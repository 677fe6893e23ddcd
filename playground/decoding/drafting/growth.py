"""Growing draft trees: one call of the draft model per level, whatever the number of nodes and draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import mul
from typing import Any, NamedTuple

import numpy as np
import torch

from playground.decoding.drafting.draft import Draft
from playground.decoding.law import Certain, Distinct, Guessed, Independent, Law
from playground.decoding.method import Options, option
from playground.decoding.sampling import categorical
from playground.decoding.setting import Setting
from playground.errors import PlaygroundError

MAX_DRAWS = 512  # of one round


class Draw(NamedTuple):
    """What is drawn below a node, and the law that draws of this kind come by.

    Attributes:
        take: a row (V,) -> tokens in draw order.
        law: that row -> their law.
    """

    take: Callable[[torch.Tensor], list[int]]
    law: Callable[[torch.Tensor], Law]


def grow(setting: Setting, draft: Draft, level: Sequence[int], draw: Draw) -> None:
    """Ask the draft model at all nodes of a level, once, and hang below each what is drawn there.

    Below a node where the draft model can write nothing that is allowed, nothing is drawn.

    Args:
        setting: the round's setting.
        draft: gets one more layer.
        level: distinct nodes, as `setting.levels` hands them out.
        draw: what is taken at each.
    """
    grow_each(setting, draft, dict.fromkeys(level, draw))


def grow_each(setting: Setting, draft: Draft, draws: Mapping[int, Draw]) -> None:
    """The same where every node has a draw of its own."""
    reading = setting.draft_model.read(list(draws))
    rows = reading.distributions()  # node -> (V,)
    drawn = [(node, token) for node, row in rows.items() for token in draws[node].take(row)]
    laws = {node: draws[node].law(row) for node, row in rows.items()}
    draft.hang(setting.tree, drawn, laws, reading.seconds)


def length_option(*, low: int = 1, high: int = 32) -> Any:
    """The field of `Options` for the length of a draft that is one chain."""
    return option(
        4,
        label="Draft length",
        help="Tokens the draft model writes ahead in a round; gamma in the papers.",
        low=low,
        high=high,
        unit="tokens",
        key="draft_length",
    )


def layers_option(default: int = 3, *, high: int = 16) -> Any:
    """The field of `Options` for the depth of a draft that is a tree or a forest."""
    return option(
        default,
        label="Draft length",
        help="Layers drafted per round.",
        low=1,
        high=high,
        unit="layers",
        key="draft_layers",
    )


@dataclass(frozen=True, slots=True)
class BranchingOptions(Options):
    """Options of a tree that has a fixed number of draws below each node of a level, at most MAX_DRAWS in all."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if self.num_draws > MAX_DRAWS:
            raise PlaygroundError(
                f"{len(self.branching())} levels with these numbers of draws make a tree of {self.num_draws:,}, and "
                f"{MAX_DRAWS} is the most. Choose a smaller depth or fewer draws."
            )

    def branching(self) -> list[int]:
        """Draws below each node, level by level."""
        raise NotImplementedError

    @property
    def num_draws(self) -> int:
        """Draws of the whole tree."""
        return sum(accumulate(self.branching(), mul))


# What is drawn from a row


def independent_draws(setting: Setting, num_draws: int) -> Draw:
    """K i.i.d. draws: a token may come twice."""
    rng = setting.draft_rng
    return Draw(lambda probs: [categorical(probs, rng.random()) for _ in range(num_draws)], Independent)


def distinct_draws(setting: Setting, num_draws: int) -> Draw:
    """K draws without replacement, in draw order, by the Gumbel-top-k trick; fewer where q has fewer tokens."""

    def take(probs: torch.Tensor) -> list[int]:
        support = int((probs > 0).sum())
        return (torch.log(probs) + gumbel(setting, probs)).topk(min(num_draws, support)).indices.tolist()

    return Draw(take, Distinct)


def _best(probs: torch.Tensor) -> list[int]:
    return [int(probs.argmax())]


MOST_LIKELY = Draw(_best, Certain)  # the one most likely token; no chance is in it
BEST_GUESS = Draw(_best, Guessed)  # the same, for lossy rules: they hold its probability against the target's


def gumbel(setting: Setting, like: torch.Tensor) -> torch.Tensor:
    """Standard Gumbel noise from the draft stream. (V,)"""
    noise = torch.from_numpy(-np.log(setting.draft_rng.standard_exponential(like.shape)))  # faster than rng.gumbel
    return noise.to(device=like.device, dtype=like.dtype)
