"""A drafter of few layers that reads what the target made of the node before, or its own guess at that.

At a node it takes the embedding of the node's token and the *feature* of the node before, as the target's pass has left
it. Where the target has not read the node before, it goes on from its own guess; once the target has, what was read
with a guess is read again. So its cache holds, along the token tree, slots that were read with features and, behind
them, slots that were read with guesses.
"""

from __future__ import annotations

import weakref
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from playground.models.drafters.beside import facts_of
from playground.models.forward import Forward
from playground.models.passes.kv_cache import TreeCache
from playground.models.passes.lean_pass import LeanPass
from playground.models.passes.slots import Slots

if TYPE_CHECKING:
    from playground.models.language_model import LanguageModel
    from playground.tree import TokenTree


class _Ahead(TreeCache):
    """The head's slots, some of which were read with guesses.

    Attributes:
        guessed: the nodes of those.
    """

    def __init__(self, keys_values: Slots) -> None:
        super().__init__(keys_values)
        self.guessed: set[int] = set()

    def forget_outdated(self, tree: TokenTree, target: TreeCache) -> None:
        """Drop what was read with a guess where the target knows better by now, and what saw it."""
        parents, outdated = tree.parents, set[int]()
        self.guessed &= self.slot_of.keys()
        for node in sorted(self.guessed):  # parents before children
            if parents[node] in target.slot_of or parents[node] in outdated:
                outdated.add(node)
        if outdated:
            self.guessed -= outdated
            self.prefix = min(self.prefix, *(self.slot_of[node] for node in outdated))
            self.known = {node: row for node, row in self.known.items() if node not in outdated}
            tail = range(self.prefix, len(self.slots))
            self._keep([slot for slot in tail if self.slots[slot] not in outdated])


class FeatureDrafter:
    """A model as decoding needs one: see `Model`. What kind of features it reads is its subclass's.

    Attributes:
        target: whose features it reads.
        name: what a trace calls it.
        num_parameters: with those that it shares with the target.
    """

    num_parameters: int
    num_layers = 1
    _pass: LeanPass
    _tokens: torch.Tensor | None  # its draft vocabulary; None: all. (K,)
    _bits: int | None
    _reads: dict[str, int]

    def __init__(self, target: LanguageModel, name: str) -> None:
        self.target, self.name = target, name
        self.vocab_size, self.max_positions = target.vocab_size, target.max_positions
        self.eos_ids, self.vocabulary, self.device = target.eos_ids, target.vocabulary, target.device
        self._caches: weakref.WeakKeyDictionary[TokenTree, _Ahead] = weakref.WeakKeyDictionary()

    def _embedded(self, tokens: list[int]) -> torch.Tensor:
        """Return the embeddings of some tokens. (n, width)"""
        raise NotImplementedError

    def _features(self, slots: Slots, indices: list[int]) -> torch.Tensor:
        """Return what the target made of the tokens in some of its slots. (n, width)"""
        raise NotImplementedError

    def _joined(self, embedded: torch.Tensor, before: torch.Tensor) -> torch.Tensor:
        """Return the inputs of the first layer, of embeddings and the features before. (n, width) each"""
        raise NotImplementedError

    def facts(self) -> dict[str, Any]:
        """Return name, size and, where it has one, the draft vocabulary, as the trace records them."""
        known = {} if self._tokens is None else {"draft_vocabulary": len(self._tokens)}
        known |= {"reads": self._reads} if self._reads else {}
        return facts_of(self, self._pass, self._bits) | known

    def cache_bytes(self, tree: TokenTree) -> int:
        """Bytes of its own slots."""
        cache = self._caches.get(tree)
        return len(cache.slots) * cache.keys_values.bytes_per_token() if cache else 0

    @torch.inference_mode()
    def forward(self, tree: TokenTree, nodes: list[int]) -> Forward:
        """Next-token logits at these nodes; one pass for each depth of them that the target has not read."""
        return self.target.or_freed(tree, partial(self._forward, tree, nodes))

    def _forward(self, tree: TokenTree, nodes: list[int]) -> Forward:
        target, cache = self.target.cache_of(tree), self._cache(tree)
        target.prune(tree)
        cache.forget_outdated(tree, target)
        cache.prune(tree)
        parts = _parts(tree, cache.missing(tree, nodes), {*target.slot_of, *cache.slot_of})
        fed = [node for part in parts for node in part]
        num_cached, tail = len(cache.slots), cache.slots[cache.prefix :]
        visible = None if not fed or cache.is_chain(tree, fed) else cache.visible(tree, fed)
        done = 0
        for part in parts:
            end = done + len(part)
            seen = None if visible is None else visible[done:end, : len(tail) + end]
            mask = None if seen is None else self.target.additive_mask(seen, cache.prefix)
            self._run(tree, target, cache, part, mask)
            done = end
        return Forward(torch.stack([cache.known[node] for node in nodes]), fed, num_cached, tail + fed, visible)

    def _run(
        self, tree: TokenTree, target: TreeCache, cache: _Ahead, part: list[int], mask: torch.Tensor | None
    ) -> None:
        """Read some nodes, each with the feature of the node before, or with the guess at it."""
        slots = cache.keys_values
        assert isinstance(target.keys_values, Slots) and isinstance(slots, Slots), "a head on a pass of another kind"
        above = [tree.parents[node] for node in part]
        known = [row for row, node in enumerate(above) if node in target.slot_of]
        guessed = [row for row, node in enumerate(above) if node >= 0 and node not in target.slot_of]
        embedded = self._embedded([tree.tokens[node] for node in part])  # (n, width)
        before = torch.zeros_like(embedded)
        if known:
            before[known] = self._features(target.keys_values, [target.slot_of[above[row]] for row in known])
        if guessed:
            before[guessed] = slots.features[[cache.slot_of[above[row]] for row in guessed]]
            cache.guessed.update(part[row] for row in guessed)
        stream = self._joined(embedded, before)
        positions = [tree.depths[node] for node in part]
        logits = self._pass.run_from(slots, stream, positions, mask, list(range(len(part))))
        cache.append(part)
        cache.known.update(zip(part, self._over_vocabulary(logits), strict=True))

    def _over_vocabulary(self, logits: torch.Tensor) -> torch.Tensor:
        """Logits over the target's vocabulary: -inf where a token is not in the draft vocabulary. (n, K) to (n, V)"""
        if self._tokens is None:
            return logits[:, : self.vocab_size]
        return logits.new_full((len(logits), self.vocab_size), -torch.inf).index_copy_(1, self._tokens, logits)

    def _cache(self, tree: TokenTree) -> _Ahead:
        cache = self._caches.get(tree)
        if cache is None:
            cache = self._caches[tree] = _Ahead(self._pass.slots())
        return cache


def _parts(tree: TokenTree, fed: list[int], known: set[int]) -> list[list[int]]:
    """Return the nodes to run, parents first, in as few passes as possible: each needs its parent's feature."""
    parts: list[list[int]] = []
    pass_of_node: dict[int, int] = {}  # index of the pass in which a node runs
    for node in fed:
        above = tree.parents[node]
        pass_of_node[node] = 0 if above < 0 or above in known else pass_of_node[above] + 1
        if pass_of_node[node] == len(parts):
            parts.append([])
        parts[pass_of_node[node]].append(node)
    return parts
