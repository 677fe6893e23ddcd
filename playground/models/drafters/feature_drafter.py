"""A drafter of few layers that reads what the target made of the node before, or its own guess at that.

At a node it takes the embedding of the node's token and the *feature* of the node before, as the target's pass has left
it. Where the target has not read the node before, it goes on from its own guess; once the target has, what was read
with a guess is read again. So its cache holds, along the token tree, slots that were read with features and, behind
them, slots that were read with guesses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from playground.models.drafters.beside import TargetDrafter, facts_of
from playground.models.forward import Forward
from playground.models.passes.features import Features
from playground.models.passes.kv_cache import TreeCache
from playground.models.passes.slots import Slots

if TYPE_CHECKING:
    from playground.trace.events import Facts
    from playground.tree import TokenTree


class _Ahead(TreeCache):
    """The head's slots, some of which were read with guesses."""

    def __init__(self, keys_values: Slots) -> None:
        super().__init__(keys_values)
        self.guessed: set[int] = set()  # the nodes that were read so

    def forget_outdated(self, tree: TokenTree, read: Features) -> None:
        """Drop nodes that were read with a guess where the target has read their parent since, and what saw them."""
        parents, outdated = tree.parents, set[int]()
        self.guessed &= self.slot_of.keys()
        for node in sorted(self.guessed):  # parents before children
            if parents[node] in read or parents[node] in outdated:
                outdated.add(node)
        if outdated:
            self.guessed -= outdated
            self.prefix = min(self.prefix, *(self.slot_of[node] for node in outdated))
            self.known = {node: row for node, row in self.known.items() if node not in outdated}
            tail = range(self.prefix, len(self.slots))
            self._keep([slot for slot in tail if self.slots[slot] not in outdated])


class FeatureDrafter(TargetDrafter):
    """A drafter that reads features of its target; of which kind, its subclass says."""

    num_parameters: int  # with those that it shares with the target
    _tokens: torch.Tensor | None  # its draft vocabulary; None: all. (K,)
    _bits: int | None
    _reads: dict[str, int]
    _feature_width = 0  # A feature has so many numbers; 0 means as many as an embedding.

    def _embedded(self, tokens: list[int]) -> torch.Tensor:
        """Return the embeddings of some tokens. (n, width)"""
        raise NotImplementedError

    def _features(self, read: Features, nodes: list[int]) -> torch.Tensor:
        """Return what the target made of some nodes that it has read. (n, width)"""
        raise NotImplementedError

    def _joined(self, embedded: torch.Tensor, before: torch.Tensor) -> torch.Tensor:
        """Return the inputs of the first layer, of embeddings and the features before. (n, width) each"""
        raise NotImplementedError

    def _read(
        self,
        read: Features,
        cache: TreeCache,
        tokens: list[int],
        above: list[int],
        positions: list[int],
        mask: torch.Tensor | None,
    ) -> torch.Tensor:
        """Run the layers on embeddings joined with the features before; returns logits. (n, V)

        Args:
            read: what the target made of the nodes that it has read.
            cache: the drafter's slots; of what the target has not read they have a guess.
            tokens, positions: (n,)
            above: the node before each, -1 before the first token. (n,)
            mask: (n, s + n) to add to the scores.
        """
        slots: Any = cache.keys_values
        known = [row for row, node in enumerate(above) if node in read]
        guessed = [row for row, node in enumerate(above) if node >= 0 and node not in read]
        embedded = self._embedded(tokens)  # (n, width)
        before = embedded.new_zeros(len(tokens), self._feature_width or embedded.shape[1])
        if known:
            before[known] = self._features(read, [above[row] for row in known])
        if guessed:
            before[guessed] = slots.features[[cache.slot_of[above[row]] for row in guessed]]
        stream = self._joined(embedded, before)
        return self._over_vocabulary(self._pass.run_from(slots, stream, positions, mask, list(range(len(tokens)))))

    def facts(self) -> Facts:
        """Return name, size and, where it has one, the draft vocabulary, as the trace records them."""
        known = {} if self._tokens is None else {"draft_vocabulary": len(self._tokens)}
        known |= {"features_of": self.target.name} | ({"reads": self._reads} if self._reads else {})
        return facts_of(self, self._pass, self._bits) | known

    def _forward(self, tree: TokenTree, nodes: list[int]) -> Forward:
        """Read what is missing: one pass for each depth that the target has not read."""
        read, cache = self.target.features(tree), self._cache(tree, _Ahead)
        cache.forget_outdated(tree, read)
        cache.prune(tree)
        parts = _parts(tree, cache.missing(tree, nodes), lambda node: node in read or node in cache.slot_of)
        feed = cache.feed(tree, [node for part in parts for node in part])
        tail, done, logits = len(feed.columns) - len(feed.fed), 0, None
        for part in parts:
            end = done + len(part)
            seen = None if feed.visible is None else feed.visible[done:end, : tail + end]
            logits = self._run(tree, read, cache, part, self.target.additive_mask(seen, cache.prefix))
            done = end
        return Forward(cache.logits(nodes) if logits is None or parts != [nodes] else logits, *feed)

    def _run(
        self, tree: TokenTree, read: Features, cache: _Ahead, part: list[int], mask: torch.Tensor | None
    ) -> torch.Tensor:
        """Read some nodes, each with the feature of the node before, or with the guess at it. (n, V)"""
        above = [tree.parents[node] for node in part]
        cache.guessed.update(
            node for node, before in zip(part, above, strict=True) if before >= 0 and before not in read
        )
        tokens, positions = [tree.tokens[node] for node in part], [tree.depths[node] for node in part]
        logits = self._read(read, cache, tokens, above, positions, mask)
        cache.append(part)
        cache.known.update(zip(part, logits, strict=True))
        return logits

    def _over_vocabulary(self, logits: torch.Tensor) -> torch.Tensor:
        """Logits over the target's vocabulary: -inf where a token is not in the draft vocabulary. (n, K) to (n, V)

        A compiled output layer fills the K up to a whole number of vectors, and what it adds is dropped.
        """
        if self._tokens is None:
            return logits[:, : self.vocab_size]
        known = logits[:, : len(self._tokens)]
        return logits.new_full((len(logits), self.vocab_size), -torch.inf).index_copy_(1, self._tokens, known)


def _parts(tree: TokenTree, fed: list[int], is_known: Callable[[int], bool]) -> list[list[int]]:
    """Return the nodes to run, parents first, in as few passes as possible: each needs its parent's feature."""
    parts: list[list[int]] = []
    pass_of_node: dict[int, int] = {}  # index of the pass in which a node runs
    for node in fed:
        above = tree.parents[node]
        pass_of_node[node] = 0 if above < 0 or is_known(above) else pass_of_node[above] + 1
        if pass_of_node[node] == len(parts):
            parts.append([])
        parts[pass_of_node[node]].append(node)
    return parts
