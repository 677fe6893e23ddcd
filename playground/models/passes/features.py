"""Features of a target: what its passes made of the nodes that it has read, for a drafter that reads that.

There are two kinds. The *features* are what the last norm made of a node, which is what the output layer reads. The
*tapped* states are those after some layers, side by side. A lean pass keeps both in its slots. Around any other pass a
`Recorder` takes them from the modules of the model, and keeps them by node.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import torch

from playground.errors import PlaygroundError
from playground.models.passes.slots import Slots

if TYPE_CHECKING:
    from playground.models.passes.kv_cache import TreeCache
    from playground.tree import TokenTree


class Features(Protocol):
    """Features of the nodes of one tree."""

    def __contains__(self, node: object, /) -> bool: ...

    def normed(self, nodes: list[int]) -> torch.Tensor:
        """Return what the last norm made of these nodes. (n, width)"""
        ...

    def tapped(self, nodes: list[int]) -> torch.Tensor:
        """Return their states after the tapped layers, side by side. (n, taps * width)"""
        ...


@dataclass(frozen=True, slots=True)
class SlotFeatures:
    """Features in the slots of a lean pass."""

    cache: TreeCache

    def __contains__(self, node: object) -> bool:
        return node in self.cache.slot_of

    def normed(self, nodes: list[int]) -> torch.Tensor:
        """See `Features`."""
        return self.slots.features[[self.cache.slot_of[node] for node in nodes]]

    def tapped(self, nodes: list[int]) -> torch.Tensor:
        """See `Features`."""
        return self.slots.tapped[[self.cache.slot_of[node] for node in nodes]]

    @property
    def slots(self) -> Slots:
        """Return the slots."""
        slots = self.cache.keys_values
        assert isinstance(slots, Slots), "features of a pass of another kind"
        return slots


class RecordedFeatures(dict[int, tuple[torch.Tensor, ...]]):
    """Features by node: what the last norm made of it, then its state after each tapped layer. (width,) each"""

    num_prunes = 0

    def normed(self, nodes: list[int]) -> torch.Tensor:
        """See `Features`."""
        return torch.stack([self[node][0] for node in nodes])

    def tapped(self, nodes: list[int]) -> torch.Tensor:
        """See `Features`."""
        return torch.stack([torch.cat(self[node][1:]) for node in nodes])

    def prune(self, tree: TokenTree) -> None:
        """Drop the features of nodes that the tree has cut off."""
        if self.num_prunes != tree.num_prunes:
            self.num_prunes = tree.num_prunes
            for node in [node for node in self if not tree.is_alive(node)]:
                del self[node]


class Recorder:
    """Features of one model of transformers, taken from whatever passes run it.

    Attributes:
        taps: numbers of layers after which the state is kept; 0 is the embedding.
    """

    def __init__(self, model: Any, taps: Sequence[int] = ()) -> None:
        """Take the modules of a model.

        Raises:
            PlaygroundError: if layers are to be tapped that it does not have by that name.
        """
        decoder = model.get_decoder()
        if taps and not hasattr(decoder, "layers"):
            raise PlaygroundError(
                f"A model of the type {model.config.model_type} has no hidden states that a head can read. Choose "
                "another target, or leave the head out."
            )
        self.taps = tuple(taps)
        self._latest: list[torch.Tensor] = [torch.empty(0)] * (1 + len(self.taps))
        self._of_tree: weakref.WeakKeyDictionary[TokenTree, RecordedFeatures] = weakref.WeakKeyDictionary()
        decoder.register_forward_hook(partial(self._take_output, 0))
        for index, depth in enumerate(self.taps, start=1):
            if depth:
                decoder.layers[depth - 1].register_forward_hook(partial(self._take_output, index))
            else:
                decoder.layers[0].register_forward_pre_hook(partial(self._take_input, index))

    def of(self, tree: TokenTree) -> RecordedFeatures:
        """Return the features of a tree's nodes."""
        if tree not in self._of_tree:
            self._of_tree[tree] = RecordedFeatures()
        self._of_tree[tree].prune(tree)
        return self._of_tree[tree]

    def record(self, tree: TokenTree, rows: Sequence[Sequence[int]]) -> None:
        """Keep the features of the nodes that the latest pass has read, in rows of one length."""
        features = self.of(tree)
        for row, nodes in enumerate(rows):
            of_row = [each[row].flatten(1).clone() for each in self._latest]  # (T, width) each
            by_column = list(zip(nodes, zip(*of_row, strict=True), strict=True))
            features.update(reversed(by_column))  # Padding repeats the last node of a row.

    def _take_output(self, index: int, _: Any, __: Any, output: Any) -> None:
        self._latest[index] = output if isinstance(output, torch.Tensor) else output[0]

    def _take_input(self, index: int, _: Any, given: tuple[torch.Tensor, ...]) -> None:
        self._latest[index] = given[0]
