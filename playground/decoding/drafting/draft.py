"""What a round drafted: draws in the order they were made, with the law they came by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from playground.decoding.law import Law
from playground.tree import TokenTree


@dataclass(slots=True)
class Draws:
    """The draws below one node, in draw order; two that coincide are one node, twice.

    Attributes:
        nodes: (K,) what they became in the tree.
        tokens: (K,) theirs.
        law: what they were drawn by.
    """

    nodes: list[int]
    tokens: list[int]
    law: Law
    _probs: list[float] = field(default_factory=list, init=False, repr=False)

    def probs(self) -> list[float]:
        """q of each draw, see `Law.probs`: read once, for whoever judges and for whoever records."""
        if len(self._probs) != len(self.tokens):
            self._probs = self.law.probs(self.tokens)
        return self._probs


@dataclass(slots=True)
class Layer:
    """Draws made in one step of drafting, in draw order, whatever node they hang below."""

    parents: list[int]
    nodes: list[int]
    seconds: float  # inside the draft models
    writers: list[int] = field(default_factory=list)  # which draft model each draw is from; empty: the first


@dataclass(slots=True)
class Draft:
    """Everything that was drafted, twice over: step by step, and below each node.

    Attributes:
        layers: from the frontier downwards.
        draws: parent node -> what was drawn there.
    """

    layers: list[Layer] = field(default_factory=list)
    draws: dict[int, Draws] = field(default_factory=dict)

    def hang(
        self,
        tree: TokenTree,
        drawn: Iterable[tuple[int, int]],
        laws: Law | Mapping[int, Law],
        seconds: float = 0.0,
        writers: Sequence[int] = (),
    ) -> list[int]:
        """Add a layer to the draft, and to the tree.

        Args:
            tree: the round's.
            drawn: parent node and token of each draw, in draw order.
            laws: of all draws, or of those below each parent.
            seconds: inside the draft models.
            writers: which draft model each draw is from.

        Returns:
            The draws' nodes; none, and no layer, where nothing was drawn.
        """
        layer = Layer([], [], seconds, list(writers))
        for parent, token in drawn:
            node = tree.add(parent, token)
            layer.parents.append(parent)
            layer.nodes.append(node)
            below = self.draws.get(parent)
            if below is None:
                below = self.draws[parent] = Draws([], [], laws if isinstance(laws, Law) else laws[parent])
            below.nodes.append(node)
            below.tokens.append(token)
        if layer.nodes:
            self.layers.append(layer)
        return layer.nodes

    def nodes(self) -> list[int]:
        """Distinct drafted nodes, in the order they were first drawn."""
        return list(dict.fromkeys(node for layer in self.layers for node in layer.nodes))

    def num_draws(self) -> int:
        """Draws of all layers, those that coincide counted each."""
        return sum(len(layer.nodes) for layer in self.layers)
