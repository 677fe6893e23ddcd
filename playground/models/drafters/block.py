"""A block drafter: the draft distributions of several positions from one call.

It reads the text as a head does, the embedding of each token with the target's *feature* at the position before. The
last token, which the target has not read yet, is the anchor; K - 1 *mask positions* follow it, and one call gives K
rows of logits: one of the token after the anchor, and one of each position after that.

    text   x1 x2 x3 | m1 m2 m3          anchor x3, K = 4: one call
                  q0  q1 q2 q3          of x4, x5, x6, x7; q1 does not depend on x4, nor q2 on x4 and x5
                      + bias(x4) ...    the Markov bias of the token drafted before: no call

A draft of any shape costs one call: a drafted node has the row of its depth, with or without the Markov bias of
the node's token. The *confidence* of a row is its acceptance probability, given that all before it are accepted, as the
drafter predicts it from the text alone. Their product up to a position is its *survival*; `block-confidence` drafts no
position whose survival is below LEAST_SURVIVAL. That depth is known before any token is drawn, so that no draw decides
whether it is tested.

A block drafter belongs to the one target that it was trained on, and is saved next to it in the folder `block`.

Papers: DFlash, arXiv 2602.06036: the block of mask positions. DSpark, arXiv 2607.05147: Markov bias and confidence.
Differs from the papers: see training/block/network.py.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch.nn.functional import linear

from playground.models.bundled import BLOCK, BLOCK_CONFIDENCE
from playground.models.drafters.beside import (
    TargetDrafter,
    check_target,
    facts_of,
    load_beside,
    own_layers,
    pass_of,
    weights_below,
)
from playground.models.forward import Forward
from playground.models.modes import own_modes
from playground.models.passes.kv_cache import TreeCache
from playground.models.passes.lean_pass import Norm
from playground.models.passes.slots import Slots
from playground.models.sources.checkpoint import check_weights
from playground.models.sources.number_formats import HALVED

if TYPE_CHECKING:
    from playground.models.language_model import LanguageModel
    from playground.trace.events import Facts
    from playground.tree import TokenTree

CONFIG, WEIGHTS = "block.json", "block.safetensors"
LEAST_SURVIVAL = 0.3  # predicted probability that all drafts up to a position are accepted


class BlockPath(NamedTuple):
    """Probabilities of one drafted path of n tokens by a call of K rows, at temperature 1, before warping."""

    base: list[float]  # q of each token by the row of its position, without the Markov bias. (n,)
    biased: list[float]  # q with the Markov bias of the token before; where none is added, `base`. (n,)
    # predicted acceptance probability of each row, given that all before it are accepted. (K,)
    confidences: list[float]
    # predicted probability that all up to a position are accepted, below which it is not drafted; None where the
    # drafter sets no limit
    least_survival: float | None


class _AtAnchor(NamedTuple):
    """Position of a node for the block: its anchor, and its depth below that."""

    anchor: int
    depth: int


class Block(TargetDrafter):
    """A drafter whose one call gives the rows of several positions; see also `DepthLimited`."""

    def __init__(
        self, target: LanguageModel, config: dict[str, Any], weights: dict[str, torch.Tensor], *, word: str = BLOCK
    ) -> None:
        """Set a block drafter on its target.

        Args:
            target: a Llama-shaped model.
            config: `layers`, `heads`, `feed_forward`, `positions`, `rank`, and the `fingerprint` of its target.
            weights: by the names that training gives them.
            word: "block", "block-markov" or "block-confidence".

        Raises:
            PlaygroundError: if it cannot be set on this target.
            ValueError: if a weight is missing, or of another shape.
        """
        self._target_pass = check_target(target, config, "block drafter")
        super().__init__(target, f"{word} of {target.name}")
        # num_positions: K, rows of one call
        self.word, self.num_positions = word, int(config["positions"])
        weights = {name: weight.to(target.device, target.dtype) for name, weight in weights.items()}
        width, rank, vocab = target.config.hidden_size, config["rank"], weights["later.weight"].shape[0]
        shapes = dict.fromkeys(("token_norm.weight", "feature_norm.weight", "norm.weight"), (width,))
        shapes |= {"fuse.weight": (width, 2 * width), "masks": (self.num_positions - 1, width)}
        shapes |= {"earlier.weight": (vocab, rank), "later.weight": (vocab, rank)}
        check_weights(weights, shapes | {"confidence.weight": (1, width), "confidence.bias": (1,)})
        parts = [weights_below(weights, f"layers.{layer}.") for layer in range(config["layers"])]
        layers = own_layers(target, config, parts, weights["norm.weight"])
        self._pass = pass_of(layers, halved=target.bits == HALVED)
        eps = layers.model.norm.variance_epsilon
        self._token_norm = Norm(weights["token_norm.weight"], eps)
        self._feature_norm = Norm(weights["feature_norm.weight"], eps)
        self._fuse, self._masks = weights["fuse.weight"], weights["masks"]
        self._earlier, self._later = weights["earlier.weight"], weights["later.weight"]
        self._confidence = weights["confidence.weight"], weights["confidence.bias"]
        shared = {*target.model.model.embed_tokens.parameters(), *target.model.lm_head.parameters()}  # tied ones once
        self.num_parameters = sum(weight.numel() for weight in [*weights.values(), *shared])
        self._confidences: weakref.WeakKeyDictionary[TokenTree, dict[int, torch.Tensor]] = weakref.WeakKeyDictionary()

    def facts(self) -> Facts:
        """Return name, size and positions of a block, as the trace records them."""
        return facts_of(self, self._pass, HALVED if self._pass.is_halved else None) | {"positions": self.num_positions}

    @own_modes
    @torch.inference_mode()
    def max_depth(self, tree: TokenTree, nodes: list[int]) -> tuple[int, Forward | None]:
        """Rows left below these nodes; with `block-confidence`, those whose survival is LEAST_SURVIVAL at least."""
        below = [self._at_anchor(tree, node) for node in nodes]
        if self.word != BLOCK_CONFIDENCE:
            return max(1, self.num_positions - min(depth for _, depth in below)), None
        forward = self.forward(tree, nodes)
        confidences = self._confidences[tree]
        survival = [confidences[anchor][depth:].cumprod(0) for anchor, depth in below]
        return max(int((each >= LEAST_SURVIVAL).sum()) for each in survival), forward

    def block_path(self, tree: TokenTree, path: list[int]) -> Callable[[], BlockPath] | None:
        """Probabilities of a drafted path, computed when called; None where no call was made for it.

        Args:
            tree: the target has not read the path yet.
            path: drafted nodes, each the parent of the next.
        """
        above = tree.parents[path[0]]
        at_node, cache = self._at_anchor(tree, above), self._caches.get(tree)
        if cache is None or at_node.anchor not in cache.known:
            return None
        rows, confidences = cache.known[at_node.anchor], self._confidences[tree][at_node.anchor]
        tokens = [tree.tokens[node] for node in [above, *path]]
        return partial(self._block_path, rows, confidences, tokens, at_node.depth)

    @own_modes
    @torch.inference_mode()
    def _block_path(self, rows: torch.Tensor, confidences: torch.Tensor, tokens: list[int], depth: int) -> BlockPath:
        """Probabilities of n drafted tokens after a token of some depth.

        Args:
            rows: logits of the call, without a bias. (K, V)
            confidences: of the call. (K,)
            tokens: the token before, then the drafted ones. (n + 1,)
            depth: of the token before, below the anchor.
        """
        before, drafted, last = tokens[:-1], tokens[1:], len(rows) - 1
        depths = range(depth, depth + len(drafted))
        base = torch.stack([rows[min(each, last)] for each in depths])  # (n, V)
        biased = torch.stack([self._biased(*each) for each in zip(base, before, depths, strict=True)])
        at = range(len(drafted)), drafted
        return BlockPath(
            base=base.float().softmax(-1)[at].tolist(),
            biased=biased.float().softmax(-1)[at].tolist(),
            confidences=confidences[min(depth, last) :].float().tolist(),
            least_survival=LEAST_SURVIVAL if self.word == BLOCK_CONFIDENCE else None,
        )

    def _forward(self, tree: TokenTree, nodes: list[int]) -> Forward:
        """Run nothing below an anchor that has run, and one pass where all nodes are below one anchor."""
        target, cache = self.target.cache_of(tree), self._cache(tree, TreeCache)
        target.prune(tree)
        cache.prune(tree)
        below = [self._at_anchor(tree, node) for node in nodes]
        anchors = sorted({at_node.anchor for at_node in below if at_node.anchor not in cache.known})
        feed = cache.feed(tree, cache.missing(tree, anchors))
        if feed.fed and feed.visible is None and len(anchors) == 1:
            self._run_chain(tree, cache, feed.fed)
        elif feed.fed:
            self._run_tree(tree, cache, feed.fed, anchors, feed.visible)
        rows = [self._row(tree, cache, node, at_node) for node, at_node in zip(nodes, below, strict=True)]
        return Forward(torch.stack(rows), *feed)

    def _at_anchor(self, tree: TokenTree, node: int) -> _AtAnchor:
        """Return its anchor, the last node on its path whose parent the target has read, and its depth below that."""
        read, depth = self.target.cache_of(tree).slot_of, 0
        while (above := tree.parents[node]) >= 0 and above not in read:
            node, depth = above, depth + 1
        return _AtAnchor(node, depth)

    def _row(self, tree: TokenTree, cache: TreeCache, node: int, at_node: _AtAnchor) -> torch.Tensor:
        """Logits of a node: the row of its depth, the last row if it is deeper, with the bias of its token. (V,)"""
        row = cache.known[at_node.anchor][min(at_node.depth, self.num_positions - 1)]
        return self._biased(row, tree.tokens[node], at_node.depth)

    def _biased(self, row: torch.Tensor, token: int, depth: int) -> torch.Tensor:
        """Return a row with the Markov bias of the token before it, where one is added: not at the anchor. (V,)"""
        if self.word == BLOCK or not depth:
            return row
        return row + linear(self._earlier[token], self._later)[: self.vocab_size]

    def _run_chain(self, tree: TokenTree, cache: TreeCache, fed: list[int]) -> None:
        """Run a path down to its anchor, and the mask positions after it, in one causal pass."""
        slots, anchor = _slots(cache), fed[-1]
        start, count = slots.length, len(fed)
        stream = torch.cat([self._text(tree, fed), self._masks])
        ahead = range(tree.depths[anchor] + 1, tree.depths[anchor] + self.num_positions)
        positions = [*(tree.depths[node] for node in fed), *ahead]
        rows = list(range(count - 1, len(positions)))
        logits = self._pass.run_from(slots, stream, positions, None, rows)
        self._keep(tree, cache, anchor, logits, slots.features[start + count - 1 : slots.length])
        slots.length = start + count  # the mask positions are dropped: they are not text
        cache.append(fed)

    def _run_tree(
        self, tree: TokenTree, cache: TreeCache, fed: list[int], anchors: list[int], visible: np.ndarray | None
    ) -> None:
        """Run the text in one pass, then the mask positions of each anchor in one pass each."""
        slots, start, last = _slots(cache), len(cache.slots), self.num_positions - 1
        mask = self.target.additive_mask(visible, cache.prefix)
        at = [fed.index(anchor) for anchor in anchors]
        positions = [tree.depths[node] for node in fed]
        first = self._pass.run_from(slots, self._text(tree, fed), positions, mask, at)  # (anchors, V)
        features = slots.features[[start + each for each in at]]
        cache.append(fed)
        end, tail = slots.length, cache.slots[cache.prefix :]
        for anchor, row, feature in zip(anchors, first, features, strict=True):
            path = {anchor}
            while (above := tree.parents[min(path)]) >= 0 and above not in path:
                path.add(above)
            seen = np.tile([node in path for node in tail], (last, 1))
            seen = np.concatenate([seen, np.tri(last, dtype=bool)], 1)
            ahead = [tree.depths[anchor] + 1 + each for each in range(last)]
            mask = self.target.additive_mask(seen, cache.prefix)
            masked = self._pass.run_from(slots, self._masks, ahead, mask, list(range(last)))
            rows = torch.cat([feature[None], slots.features[end : end + last]])
            self._keep(tree, cache, anchor, torch.cat([row[None], masked]), rows)
            slots.length = end

    def _text(self, tree: TokenTree, nodes: list[int]) -> torch.Tensor:
        """Input of the first layer at some nodes: the token fused with the target's feature at its parent."""
        target = self.target.cache_of(tree)
        read = target.keys_values
        assert isinstance(read, Slots), "a block drafter on a pass of another kind"
        embedded = self._target_pass.embedded([tree.tokens[node] for node in nodes])  # (n, width)
        before = torch.zeros_like(embedded)
        for row, node in enumerate(nodes):
            if (above := tree.parents[node]) >= 0:
                before[row] = read.features[target.slot_of[above]]
        return linear(torch.cat([self._token_norm.of(embedded), self._feature_norm.of(before)], 1), self._fuse)

    def _keep(
        self, tree: TokenTree, cache: TreeCache, anchor: int, logits: torch.Tensor, features: torch.Tensor
    ) -> None:
        cache.known[anchor] = logits[:, : self.vocab_size]  # (K, V)
        weight, bias = self._confidence
        self._confidences.setdefault(tree, {})[anchor] = linear(features, weight, bias)[:, 0].sigmoid()


def load_block(target: LanguageModel, *, word: str = BLOCK) -> Block:
    """Return the block drafter saved next to a target.

    Raises:
        PlaygroundError: if there is none, or it does not belong to this target.
    """
    return load_beside(target, BLOCK, (CONFIG, WEIGHTS), "block drafter", partial(Block, target, word=word))


def _slots(cache: TreeCache) -> Slots:
    assert isinstance(cache.keys_values, Slots), "a block drafter on a pass of another kind"
    return cache.keys_values
