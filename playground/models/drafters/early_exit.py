"""Early exit: the first k layers of a target, with its own last norm and head, as a draft model of k / L of its cost.

It needs no second model, and no second cache. What the target has read is in the target's cache, the first layers'
keys and values among it; what is drafted is written into the free slots behind, and the target's next pass, which reads
all of it through all layers, overwrites them. The head is made for the last layer; what it makes of an earlier one is
what is called the logit lens. A trained exit for this depth that is saved next to the target, see `trained_exit`, is
applied before norm and head, and the draft's name says so; the target is the same.

Sources: Elhoushi et al. 2024, LayerSkip, arXiv 2404.16710: drafting with the first layers and one cache, after training
for it; its target also goes on from layer k with what the draft has computed, ours starts over. nostalgebraist 2020,
"interpreting GPT: the logit lens".
"""

from __future__ import annotations

import weakref
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from playground.errors import PlaygroundError
from playground.models.drafters.trained_exit import trained_exit
from playground.models.forward import Forward
from playground.models.passes.kv_cache import TreeCache
from playground.models.passes.lean_pass import LeanPass
from playground.models.passes.slots import Slots

if TYPE_CHECKING:
    from playground.models.language_model import LanguageModel
    from playground.tree import TokenTree


class _Ahead(TreeCache):
    """The target's slots, and behind them those of nodes that only the first layers have read.

    Attributes:
        shared: the target's part, as it was when this began.
    """

    def __init__(self, cache: TreeCache, num_prunes: int) -> None:
        super().__init__(cache.keys_values)
        self.shared = list(cache.slots)
        self.prefix = cache.prefix
        self.append(self.shared)
        self._prunes_before = num_prunes

    def holds(self, cache: TreeCache, tree: TokenTree) -> bool:
        """Return whether the target has read nothing since, and nothing was cut off."""
        return self._prunes_before == tree.num_prunes and self.shared == cache.slots

    def _evict(self, node: int) -> None:
        """Run the node again behind the others: its slot is the target's, and stays, but is never read."""
        self.prefix = min(self.prefix, self.slot_of.pop(node))


class EarlyExit:
    """A model as decoding needs one: see `Model`.

    Attributes:
        target: whose layers, cache and head it has.
        depth: k, how many of its layers run.
    """

    def __init__(self, target: LanguageModel, depth: int) -> None:
        """Take the first `depth` layers of a model, and its trained exit there if it has one.

        Raises:
            PlaygroundError: if the model is not Llama-shaped, has no such layers to spare, or exits that cannot be
                read.
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
        self.target, self.depth = target, depth
        self._pass, self._exit = target.forward_pass, trained_exit(target, depth)
        self.name = f"{target.name}, first {depth} of {self._pass.num_layers} layers"
        self.name += ", trained exit" if self._exit else ""
        self.vocab_size, self.max_positions = target.vocab_size, target.max_positions
        self.eos_ids, self.vocabulary, self.device = target.eos_ids, target.vocabulary, target.device
        trunk = target.model.model
        parts = [trunk.embed_tokens, *trunk.layers[:depth], trunk.norm, target.model.lm_head]
        weights = {weight for part in parts for weight in part.parameters()}  # tied ones once
        self.num_parameters = sum(weight.numel() for weight in weights)
        self.num_parameters += self._exit.num_parameters if self._exit else 0
        self._ahead: weakref.WeakKeyDictionary[TokenTree, _Ahead] = weakref.WeakKeyDictionary()

    def facts(self) -> dict[str, Any]:
        """Return the target's facts with the exit's own; only a trained exit adds parameters."""
        facts = {name: fact for name, fact in self.target.facts().items() if name != "reads"}
        return facts | {
            "name": self.name,
            "parameters": self.num_parameters,
            "layers": self.depth,
            "exit": self.depth,  # it is the target's
            "trained_exit": self._exit is not None,
            "kv_bytes_per_token": self._bytes_per_token(),
        }

    def cache_bytes(self, tree: TokenTree) -> int:
        """Bytes of the slots behind the target's own, in its layers."""
        ahead = self._ahead.get(tree)
        return (len(ahead.slots) - len(ahead.shared)) * self._bytes_per_token() if ahead else 0

    @torch.inference_mode()
    def forward(self, tree: TokenTree, nodes: list[int]) -> Forward:
        """Next-token logits at these nodes after k layers, in one pass at most; see `LanguageModel.forward`."""
        return self.target.or_freed(tree, partial(self._forward, tree, nodes))

    def _forward(self, tree: TokenTree, nodes: list[int]) -> Forward:
        cache = self._cache(tree)
        fed = cache.missing(tree, nodes)
        num_cached = len(cache.slots)
        columns = cache.slots[cache.prefix :] + fed
        visible = None if not fed or cache.is_chain(tree, fed) else cache.visible(tree, fed)
        if fed:
            mask = None if visible is None else self.target.additive_mask(visible, cache.prefix)
            tokens, positions = [tree.tokens[node] for node in fed], [tree.depths[node] for node in fed]
            assert isinstance(cache.keys_values, Slots), f"the lean pass with {type(cache.keys_values).__name__}"
            stream = self._pass.stream(cache.keys_values, num_cached, tokens, positions, mask, self.depth)
            wanted = set(nodes)
            rows = [row for row, node in enumerate(fed) if node in wanted]
            said = stream[rows] if self._exit is None else self._exit.of(stream[rows])
            logits = self._pass.logits(said)[:, : self.vocab_size]  # (rows, V)
            cache.append(fed)
            cache.known.update(zip((fed[row] for row in rows), logits, strict=True))
        return Forward(torch.stack([cache.known[node] for node in nodes]), fed, num_cached, columns, visible)

    def _cache(self, tree: TokenTree) -> _Ahead:
        shared = self.target.cache_of(tree)
        shared.prune(tree)
        ahead = self._ahead.get(tree)
        if ahead is None or not ahead.holds(shared, tree):
            ahead = self._ahead[tree] = _Ahead(shared, tree.num_prunes)
        return ahead

    def _bytes_per_token(self) -> int:
        return self.target.bytes_per_token * self.depth // self._pass.num_layers
