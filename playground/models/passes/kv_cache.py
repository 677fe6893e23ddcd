"""Keys and values of one model for the living nodes of one token tree.

The cache is a row of slots, one node each. Its first `prefix` slots are the tree's trunk in order, which every node may
attend to; only the slots behind it, the live tail, ever need a mask. Nodes that the tree has cut off are dropped when
the cache is used next.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from playground.models.forward import Forward

if TYPE_CHECKING:
    from playground.models.passes.forward_pass import KeysValues
    from playground.tree import TokenTree


class Feed(NamedTuple):
    """Nodes that a pass has to read; see the fields of `Forward`."""

    fed: list[int]
    num_cached: int
    columns: list[int]
    visible: np.ndarray | None


class TreeCache:
    """Slots by node."""

    def __init__(self, keys_values: KeysValues) -> None:
        self.keys_values = keys_values  # The slots hold it; the forward pass writes it.
        self.slots: list[int] = []  # the node in each slot
        self.prefix = 0  # So many leading slots are the trunk of the tree.
        # logits already computed for living nodes that may be asked about again
        self.known: dict[int, torch.Tensor] = {}
        self.slot_of: dict[int, int] = {}  # the slot of each node
        self._num_prunes = 0

    def num_bytes(self) -> int:
        """Bytes of the keys and values in use."""
        return len(self.slots) * self.keys_values.bytes_per_token()

    def prune(self, tree: TokenTree) -> None:
        """Drop the slots of nodes that the tree has cut off, and let the prefix follow the trunk."""
        if self._num_prunes != tree.num_prunes:
            self._keep([slot for slot in range(self.prefix, len(self.slots)) if tree.is_alive(self.slots[slot])])
            end = tree.trunk[-1]
            self.known = {node: row for node, row in self.known.items() if node >= end and tree.is_alive(node)}
            self._num_prunes = tree.num_prunes
        trunk = tree.trunk
        while self.prefix < min(len(self.slots), len(trunk)) and self.slots[self.prefix] == trunk[self.prefix]:
            self.prefix += 1

    def missing(self, tree: TokenTree, nodes: list[int]) -> list[int]:
        """Nodes to feed so that the logits at `nodes` are known: those nodes and their uncached ancestors, by id."""
        pending: set[int] = set()
        for node in nodes:
            if node in self.known:
                continue
            if node in self.slot_of:
                self._evict(node)  # its keys are here, its logits are gone: run it again
            while node >= 0 and node not in self.slot_of and node not in pending:
                pending.add(node)
                node = tree.parents[node]
        return sorted(pending)

    def feed(self, tree: TokenTree, fed: list[int]) -> Feed:
        """Return what a pass over these nodes, in this order, reads and sees."""
        visible = None if not fed or self.is_chain(tree, fed) else self.visible(tree, fed)
        return Feed(fed, len(self.slots), self.slots[self.prefix :] + fed, visible)

    def forward(self, tree: TokenTree, nodes: list[int], run: Callable[[Feed, list[int]], torch.Tensor]) -> Forward:
        """Return the logits at these nodes, in one pass at most.

        Args:
            nodes: living nodes, in any order.
            run: makes a pass, and returns the logits at these rows of what is fed, (rows, V).
        """
        feed = self.feed(tree, self.missing(tree, nodes))
        if fed := feed.fed:
            wanted = set(nodes)
            rows = [row for row, node in enumerate(fed) if node in wanted]
            logits = run(feed, rows)
            self.append(fed)
            self.known.update(zip((fed[row] for row in rows), logits, strict=True))
            if [fed[row] for row in rows] == nodes:
                return Forward(logits, *feed)
        return Forward(self.logits(nodes), *feed)

    def logits(self, nodes: list[int]) -> torch.Tensor:
        """Return the known logits at these nodes. (n, V)"""
        return torch.stack([self.known[node] for node in nodes])

    def is_chain(self, tree: TokenTree, fed: list[int]) -> bool:
        """Return whether cached slots and `fed` form one path, so that plain causal attention is already right."""
        line = self.slots[max(self.prefix - 1, 0) :] + fed
        parents = tree.parents
        return all(parents[node] == above for above, node in pairwise(line))

    def visible(self, tree: TokenTree, fed: list[int]) -> np.ndarray:
        """Mask of the tail columns that each fed node attends to: its ancestors and itself.

        Returns:
            (len(fed), tail + len(fed)) of bool, the columns being the cached tail and then `fed`.
        """
        columns = self.slots[self.prefix :] + fed
        index = {node: column for column, node in enumerate(columns)}
        seen = np.zeros((len(columns), len(columns)), dtype=bool)
        for node in sorted(
            columns
        ):  # by id: ancestors first, also where one was evicted and run again behind its child
            column = index[node]
            above = index.get(tree.parents[node])
            if above is not None:
                seen[column] = seen[above]
            seen[column, column] = True
        return seen[len(columns) - len(fed) :]

    def append(self, fed: list[int]) -> None:
        """Record that the model has just run `fed`, in this order."""
        self.slot_of.update(zip(fed, range(len(self.slots), len(self.slots) + len(fed)), strict=True))
        self.slots += fed

    def _evict(self, node: int) -> None:
        """Free the slot of one node; what was cached below it stays valid."""
        slot = self.slot_of[node]
        start = min(self.prefix, slot)
        self.prefix = start
        self._keep([other for other in range(start, len(self.slots)) if other != slot])

    def _keep(self, tail: list[int]) -> None:
        """Keep the prefix and these slots behind it."""
        if self.prefix + len(tail) == len(self.slots):
            return
        self.keys_values.keep(self.prefix, tail)
        self.slots = self.slots[: self.prefix] + [self.slots[slot] for slot in tail]
        self.slot_of = {node: slot for slot, node in enumerate(self.slots)}
