"""Growing draft trees: one call of the draft model per depth, or from paths of tokens without a draft model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import mul
from typing import Any, NamedTuple

import numpy as np

from playground.decoding.distribution import BestGuess, Deterministic, Distinct, DraftDistribution
from playground.decoding.drafting.draft import Draft
from playground.decoding.method import Options, option
from playground.decoding.ranking import largest
from playground.decoding.setting import Setting
from playground.errors import PlaygroundError
from playground.models.reading import Array
from playground.words import word

MAX_DRAWS = 512  # One round draws no more.


class Draw(NamedTuple):
    """A way to draw below a node."""

    take: Callable[[Array], list[int]]  # draft model's row (V,) -> tokens in draw order
    distribution: Callable[[Array], DraftDistribution]  # A row of q gives the distribution of its draws.


def grow(setting: Setting, draft: Draft, parents: Sequence[int], draw: Draw) -> None:
    """Draft the next depth: one call of the draft model for all its parents, and draws below each.

    Below a node where the draft model can write nothing that is allowed, nothing is drawn.

    Args:
        draft: gets one more depth.
        parents: distinct nodes, as `setting.parents_by_depth` yields them.
        draw: the way to draw below each.
    """
    grow_each(setting, draft, dict.fromkeys(parents, draw))


def grow_each(setting: Setting, draft: Draft, draws: Mapping[int, Draw]) -> None:
    """Draft the next depth where every parent has a way to draw of its own; see `grow`."""
    reading = setting.draft_model.read(list(draws))
    rows = reading.distributions()  # node -> (V,)
    drawn = [(node, token) for node, row in rows.items() for token in draws[node].take(row)]
    distributions = {node: draws[node].distribution(row) for node, row in rows.items()}
    draft.hang(setting.tree, drawn, distributions, reading.seconds)


def hang_paths(setting: Setting, draft: Draft, paths: Sequence[Sequence[int]], limit: int) -> list[list[int]]:
    """Draft paths of tokens below the frontier as deterministic draws, depth by depth; where they coincide, once.

    Args:
        draft: an empty draft.
        paths: tokens of each path; siblings are tested in this order.

    Returns:
        Nodes of each path, up to the limit or to where its text ends.
    """
    nodes: list[list[int]] = [[] for _ in paths]
    for depth in range(limit):
        draws = {}  # index of a path -> its draw at this depth
        for index, (path, above) in enumerate(zip(paths, nodes, strict=True)):
            parent = above[-1] if above else setting.frontier[0]
            if depth == len(above) < len(path) and not (depth and setting.ends(parent)):
                draws[index] = parent, path[depth]
        distinct = list(dict.fromkeys(draws.values()))  # a token that two paths share is tested once
        node_of = dict(zip(distinct, draft.hang(setting.tree, distinct, Deterministic()), strict=True))
        for index, draw in draws.items():
            nodes[index].append(node_of[draw])
    return nodes


def length_option(*, low: int = 1, high: int = 32) -> Any:
    """Field of `Options`: length of a draft that is one chain."""
    return option(
        4,
        label="Draft length",
        help="Tokens the draft model writes ahead in a round; gamma in the papers.",
        low=low,
        high=high,
        unit="tokens",
        key="draft_length",
    )


def depth_option(default: int = 3, *, high: int = 16) -> Any:
    """Field of `Options`: depth of a draft that is a tree or a forest."""
    return option(
        default,
        label="Draft length",
        help="Depths drafted per round.",
        low=1,
        high=high,
        unit="depths",
        key="draft_layers",
    )


@dataclass(frozen=True, slots=True)
class BranchingOptions(Options):
    """Options of a tree that has a fixed number of draws below each node of a depth, at most MAX_DRAWS in all."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if self.num_drafted > MAX_DRAWS:
            raise PlaygroundError(
                word("refused_tree", depths=len(self.branching()), count=f"{self.num_drafted:,}", most=MAX_DRAWS)
            )

    def branching(self) -> list[int]:
        """Draws below each node, depth by depth."""
        raise NotImplementedError

    @property
    def num_drafted(self) -> int:
        """Number of draws in the whole tree."""
        return sum(accumulate(self.branching(), mul))


# Ways to draw from a row


def distinct_draws(setting: Setting, num_draws: int) -> Draw:
    """K draws without replacement, in draw order, by the Gumbel-top-k trick; fewer where q has fewer tokens."""

    def take(probs: Array) -> list[int]:
        _, tokens = largest(perturbed(setting, probs), min(num_draws, int(np.count_nonzero(probs))))
        return tokens.tolist()

    return Draw(take, Distinct)


def _best(probs: Array) -> list[int]:
    return [int(probs.argmax())]


MOST_LIKELY = Draw(_best, Deterministic)  # the draft model's argmax
BEST_GUESS = Draw(_best, BestGuess)  # Lossy rules take the token with the draft model's own probability.


def perturbed(setting: Setting, probs: Array) -> Array:
    """Probabilities over exponential noise E: in the order of log p with Gumbel noise, which is -log E. (V,)"""
    return probs / setting.draft_rng.standard_exponential(probs.shape)
