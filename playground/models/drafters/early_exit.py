"""Early exit: the first k layers of a target, with its own last norm and head, as a draft model of k / L of its cost.

It needs no second model, and no second cache. What the target has read is in the target's cache, the first layers'
keys and values among it; what is drafted is written into the free slots behind, and the target's next pass, which reads
all of it through all layers, overwrites them. The head is made for the last layer; what it makes of an earlier one is
what is called the logit lens.

Sources: Elhoushi et al. 2024, LayerSkip, arXiv 2404.16710: drafting with the first layers and one cache, after training
for it; its target also goes on from layer k with what the draft has computed, ours starts over. nostalgebraist 2020,
"interpreting GPT: the logit lens".
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import torch

from playground.errors import PlaygroundError
from playground.models.drafters.beside import TargetDrafter
from playground.models.forward import Forward
from playground.models.passes.kv_cache import Feed, TreeCache
from playground.models.passes.lean_pass import LeanPass
from playground.models.passes.slots import Slots

if TYPE_CHECKING:
    from playground.models.language_model import LanguageModel
    from playground.trace.events import Facts
    from playground.tree import TokenTree


class _Ahead(TreeCache):
    """The target's slots, and behind them those of nodes that only the first layers have read."""

    def __init__(self, cache: TreeCache, num_prunes: int) -> None:
        super().__init__(cache.keys_values)
        self.shared = list(cache.slots)  # the target's part, as it was when this began
        self.prefix = cache.prefix
        self.append(self.shared)
        self._prunes_before = num_prunes

    def holds(self, cache: TreeCache, tree: TokenTree) -> bool:
        """Return whether the target has read nothing since, and nothing was cut off."""
        return self._prunes_before == tree.num_prunes and self.shared == cache.slots

    def _evict(self, node: int) -> None:
        """Run the node again behind the others: its slot is the target's, and stays, but is never read."""
        self.prefix = min(self.prefix, self.slot_of.pop(node))


class EarlyExit(TargetDrafter):
    """The first layers of a target."""

    def __init__(self, target: LanguageModel, depth: int) -> None:
        """Take the first `depth` layers of a model.

        Raises:
            PlaygroundError: if the model is not Llama-shaped, or has no such layers to spare.
        """
        if not isinstance(target.forward_pass, LeanPass):
            raise PlaygroundError(
                f"{target.name} ({target.config.model_type}) cannot be left early: that takes a Llama-shaped model. "
                "Choose another drafter."
            )
        if not 1 <= depth < target.forward_pass.num_layers:
            raise PlaygroundError(
                f"{target.name} has {target.forward_pass.num_layers} layers, so a draft cannot leave it after {depth}. "
                f"Choose 1 to {target.forward_pass.num_layers - 1}."
            )
        # depth: k, how many of its layers run
        self.depth, self._pass = depth, target.forward_pass
        super().__init__(target, f"{target.name}, first {depth} of {self._pass.num_layers} layers")
        trunk = target.model.model
        parts = [trunk.embed_tokens, *trunk.layers[:depth], trunk.norm, target.model.lm_head]
        weights = {weight for part in parts for weight in part.parameters()}  # tied ones once
        self.num_parameters = sum(weight.numel() for weight in weights)

    def facts(self) -> Facts:
        """Return the target's facts with the exit's own."""
        facts = {name: fact for name, fact in self.target.facts().items() if name != "reads"}
        return facts | {
            "name": self.name,
            "parameters": self.num_parameters,
            "layers": self.depth,
            "exit": self.depth,  # it is the target's
            "kv_bytes_per_token": self._bytes_per_token(),
        }

    def cache_bytes(self, tree: TokenTree) -> int:
        """Bytes of the slots behind the target's own, in its layers."""
        ahead = self._caches.get(tree)
        return (len(ahead.slots) - len(ahead.shared)) * self._bytes_per_token() if ahead else 0

    def _forward(self, tree: TokenTree, nodes: list[int]) -> Forward:
        shared = self.target.cache_of(tree)
        shared.prune(tree)
        ahead = self._caches.get(tree)
        if ahead is None or not ahead.holds(shared, tree):
            ahead = self._caches[tree] = _Ahead(shared, tree.num_prunes)
        return ahead.forward(tree, nodes, partial(self._run, tree, ahead))

    def _run(self, tree: TokenTree, cache: _Ahead, feed: Feed, rows: list[int]) -> torch.Tensor:
        """Return the logits at these rows of what is fed, after k layers. (rows, V)"""
        tokens, positions = [tree.tokens[node] for node in feed.fed], [tree.depths[node] for node in feed.fed]
        mask = self.target.additive_mask(feed.visible, cache.prefix)
        assert isinstance(cache.keys_values, Slots), f"the lean pass with {type(cache.keys_values).__name__}"
        stream = self._pass.stream(cache.keys_values, feed.num_cached, tokens, positions, mask, self.depth)
        return self._pass.logits(stream[rows])[:, : self.vocab_size]

    def _bytes_per_token(self) -> int:
        return self.target.bytes_per_token * self.depth // self._pass.num_layers
