"""A drafting head: one decoder layer that reads what the target made of its text, with the target's output layer.

At a node the head takes the embedding of the node's token and the *feature* of the node before, which is what the
target's last norm handed to its output layer there. Its answer is a guess at the node's own feature, and the output
layer of the target makes that into q. Where the target has not read the node before, the head goes on from its own
guess; once the target has, what was read with a guess is read again. So its cache holds, along the token tree, slots
that were read with features and, behind them, slots that were read with guesses.

A head may have a *draft vocabulary*: it multiplies by the rows of these tokens alone, and q is 0 for every other. Of a
large vocabulary that is most of what a drafted token costs; it changes what is accepted, and no distribution.

A head belongs to the one target that it was trained on. It is in the folder `head` beside it, or among those that come
with the playground.

Papers: Li et al. 2024, EAGLE, arXiv 2401.15077; its training is that of EAGLE-3, see training/head/. Zhao et al. 2025,
FR-Spec, arXiv 2502.14856: the draft vocabulary.
"""

from __future__ import annotations

import weakref
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from playground.models.bundled import HEAD
from playground.models.drafters.beside import blocks_of, check_target, load_beside, own_layers, pass_of
from playground.models.forward import Forward
from playground.models.passes.block_pass import BlockPass, BlockProduct
from playground.models.passes.kv_cache import TreeCache
from playground.models.passes.lean_pass import Norm
from playground.models.passes.slots import Slots
from playground.models.products import Product, reads_halves
from playground.models.sources.checkpoint import check_weights
from playground.models.sources.gguf_blocks import in_blocks
from playground.models.sources.number_formats import HALVED, number_format

if TYPE_CHECKING:
    from playground.models.language_model import LanguageModel
    from playground.tree import TokenTree

CONFIG, WEIGHTS = "head.json", "head.safetensors"
VOCABULARY = "draft_vocabulary"  # of the weights, if there is one: the tokens, (K,)


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


class Head:
    """A model as decoding needs one: see `Model`.

    Attributes:
        target: whose features it reads, and whose embedding and output layer it has.
    """

    def __init__(self, target: LanguageModel, config: dict[str, Any], weights: dict[str, torch.Tensor]) -> None:
        """Set a head on its target.

        Args:
            target: a Llama-shaped model.
            config: `heads`, `feed_forward`, and the `fingerprint` of its target.
            weights: by the names that training gives them, perhaps with a draft vocabulary.

        Raises:
            PlaygroundError: if it cannot be set on this target.
            ValueError: if a weight is missing, or of another shape.
        """
        self._target_pass = check_target(target, config, "head")
        self.target = target
        self.name = f"head of {target.name}"
        self.vocab_size, self.max_positions = target.vocab_size, target.max_positions
        self.eos_ids, self.vocabulary, self.device = target.eos_ids, target.vocabulary, target.device
        self._tokens = weights.get(VOCABULARY)
        weights = {name: each for name, each in weights.items() if name != VOCABULARY}
        if self._tokens is not None:  # rounded as its rows are
            weights = {name: each.half() for name, each in weights.items()}
        weights = {name: each.to(target.device, target.dtype) for name, each in weights.items()}
        width = target.config.hidden_size
        norms = dict.fromkeys(("token_norm.weight", "feature_norm.weight", "norm.weight"), (width,))
        check_weights(weights, norms | {"fuse.weight": (width, 2 * width)})
        own_layer = {name.removeprefix("layer."): each for name, each in weights.items() if name.startswith("layer.")}
        layer = own_layers(target, config, [own_layer], weights["norm.weight"])
        if self._tokens is not None:
            self._tokens = self._tokens.to(target.device, torch.long)
            layer.lm_head = _rows_of(layer.lm_head, self._tokens)
        is_narrow = self._tokens is not None and reads_halves(target.device, target.dtype)
        if isinstance(self._target_pass, BlockPass):
            block_pass, rounded = BlockPass(layer, blocks_of(layer)), self._target_pass.rounds
            self._pass = block_pass.rounding_rows() if rounded else block_pass
            fuse = in_blocks(weights["fuse.weight"].numpy())
            self._fuse = BlockProduct.with_matrix(fuse, rounded=rounded)  # (n, 2 width) to (n, width)
            self._reads = {name: count + self._fuse.reads[name] for name, count in block_pass.reads.items()}
        else:
            self._reads = {}
            self._fuse = Product(weights["fuse.weight"], None)
            self._pass = pass_of(layer, halved=is_narrow or target.bits == HALVED)
        eps = layer.model.norm.variance_epsilon
        self._bits = 8 if isinstance(self._pass, BlockPass) else HALVED if self._pass.is_halved else None
        self._token_norm = Norm(weights["token_norm.weight"], eps)
        self._feature_norm = Norm(weights["feature_norm.weight"], eps)
        shared = {*target.model.model.embed_tokens.parameters(), *target.model.lm_head.parameters()}  # tied ones once
        self.num_parameters = sum(weight.numel() for weight in [*weights.values(), *shared])
        self._caches: weakref.WeakKeyDictionary[TokenTree, _Ahead] = weakref.WeakKeyDictionary()

    def facts(self) -> dict[str, Any]:
        """Name and size, the target's embedding and output layer among it, as the trace records them."""
        facts = {name: fact for name, fact in self.target.facts().items() if name not in ("bits", "reads")}
        known = {} if self._tokens is None else {"draft_vocabulary": len(self._tokens)}
        known |= {"reads": self._reads} if self._reads else {}
        return facts | {
            "name": self.name,
            "parameters": self.num_parameters,
            "layers": 1,
            **number_format(self.target.dtype, self._bits),
            "kv_bytes_per_token": self._pass.slots().bytes_per_token(),
            **known,
        }

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
        embedded = self._target_pass.embedded([tree.tokens[node] for node in part])  # (n, width)
        before = torch.zeros_like(embedded)
        for row, node in enumerate(part):
            above = tree.parents[node]
            if above in target.slot_of:
                before[row] = target.keys_values.features[target.slot_of[above]]
            elif above >= 0:
                before[row] = slots.features[cache.slot_of[above]]
                cache.guessed.add(node)
        stream = self._fuse.of(torch.cat([self._token_norm.of(embedded), self._feature_norm.of(before)], 1))
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


def load_head(target: LanguageModel) -> Head:
    """Return the head saved next to a target.

    Raises:
        PlaygroundError: if there is none, or it does not belong to this target.
    """
    return load_beside(target, HEAD, (CONFIG, WEIGHTS), "head", partial(Head, target))


def _rows_of(output: Any, tokens: torch.Tensor) -> Any:
    """Return the rows of an output layer for some tokens in float16: a drafter may round, and reads half as much."""
    rows = torch.nn.Linear(output.in_features, len(tokens), bias=output.bias is not None)
    rows.weight = torch.nn.Parameter(output.weight.detach()[tokens].half().to(output.weight.dtype), requires_grad=False)
    if output.bias is not None:
        rows.bias = torch.nn.Parameter(output.bias.detach()[tokens], requires_grad=False)
    return rows


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
