"""The draft of a round: draws in the order they were made, with the distribution they came from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from playground.decoding.distribution import DraftDistribution
from playground.tree import TokenTree


@dataclass(slots=True)
class Draws:
    """The draws below one node, in draw order; two that coincide are one node, twice."""

    nodes: list[int]  # (K,) node of each draw
    tokens: list[int]  # (K,) token of each draw
    distribution: DraftDistribution
    _probs: list[float] = field(default_factory=list, init=False, repr=False)

    def probs(self) -> list[float]:
        """q of each draw, see `DraftDistribution.probs`. Read once, for the rule and for the record. (K,)"""
        if len(self._probs) != len(self.tokens):
            self._probs = self.distribution.probs(self.tokens)
        return self._probs


@dataclass(slots=True)
class DraftDepth:
    """Draws at one depth, in draw order, below any of the nodes of the depth above."""

    parents: list[int]
    nodes: list[int]
    seconds: float  # inside the draft models
    model_indices: list[int] = field(default_factory=list)  # draft model of each draw; empty: the first


@dataclass(slots=True)
class Draft:
    """All draws of a round, depth by depth and by parent."""

    depths: list[DraftDepth] = field(default_factory=list)  # the draws at depth 1, 2, ... below the frontier
    draws: dict[int, Draws] = field(default_factory=dict)  # parent node -> the draws below it

    def hang(
        self,
        tree: TokenTree,
        draws: Iterable[tuple[int, int]],
        distributions: DraftDistribution | Mapping[int, DraftDistribution],
        seconds: float = 0.0,
        model_indices: Sequence[int] = (),
    ) -> list[int]:
        """Add a depth to the draft, and to the tree.

        Args:
            draws: parent node and token of each draw, in draw order.
            distributions: distribution of all draws, or of those below each parent.
            seconds: time inside the draft models.
            model_indices: draft model of each draw.

        Returns:
            The draws' nodes; none, and no depth, where nothing was drawn.
        """
        drafted = DraftDepth([], [], seconds, list(model_indices))
        for parent, token in draws:
            node = tree.add(parent, token)
            drafted.parents.append(parent)
            drafted.nodes.append(node)
            below = self.draws.get(parent)
            if below is None:
                is_shared = isinstance(distributions, DraftDistribution)
                below = self.draws[parent] = Draws([], [], distributions if is_shared else distributions[parent])
            below.nodes.append(node)
            below.tokens.append(token)
        if drafted.nodes:
            self.depths.append(drafted)
        return drafted.nodes

    def nodes(self) -> list[int]:
        """Distinct drafted nodes, in the order they were first drawn."""
        return list(dict.fromkeys(node for depth in self.depths for node in depth.nodes))

    def num_draws(self) -> int:
        """Count the draws at all depths; draws that coincide count each."""
        return sum(len(depth.nodes) for depth in self.depths)
