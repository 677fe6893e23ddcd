"""A drafting head: one decoder layer that reads what the target made of its text, with the target's output layer.

The *feature* of a node is what the target's last norm handed to its output layer there. The head's answer is a guess
at the node's own feature, and the output layer of the target makes that into q; see `feature_drafter`.

A head may have a *draft vocabulary*: it multiplies by the rows of these tokens alone, and q is 0 for every other. Of a
large vocabulary that is most of what a drafted token costs; it changes what is accepted, and no distribution.

A head belongs to the one target that it was trained on. It is in the folder `head` beside it, or among those that come
with the playground.

Papers: Li et al. 2024, EAGLE, arXiv 2401.15077; its training is that of EAGLE-3, see training/head/. Zhao et al. 2025,
FR-Spec, arXiv 2502.14856: the draft vocabulary.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from playground.models.bundled import HEAD
from playground.models.drafters.beside import blocks_of, check_target, load_beside, own_layers, pass_of, weights_below
from playground.models.drafters.feature_drafter import FeatureDrafter
from playground.models.passes.block_pass import BlockPass, BlockProduct
from playground.models.passes.features import Features, SlotFeatures
from playground.models.passes.kv_cache import TreeCache
from playground.models.passes.lean_pass import Norm
from playground.models.passes.slots import Slots
from playground.models.products import Product, reads_halves
from playground.models.sources.checkpoint import check_weights
from playground.models.sources.file_model import weight_rows
from playground.models.sources.gguf_blocks import in_blocks
from playground.models.sources.number_formats import HALVED

if TYPE_CHECKING:
    from playground.models.language_model import LanguageModel

CONFIG, WEIGHTS = "head.json", "head.safetensors"
VOCABULARY = "draft_vocabulary"  # The weights of that name, if there are any, are the tokens, (K,).


NONE, GUESSED = -1, -2  # They are sources of a feature: none, and less a slot of the head its guess.


class Head(FeatureDrafter):
    """A model as decoding needs one: see `Model`. It has the embedding and the output layer of its target."""

    def __init__(self, target: LanguageModel, config: dict[str, object], weights: dict[str, torch.Tensor]) -> None:
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
        super().__init__(target, f"head of {target.name}")
        self._tokens = weights.get(VOCABULARY)
        weights = {name: each for name, each in weights.items() if name != VOCABULARY}
        if self._tokens is not None:  # rounded as its rows are
            weights = {name: each.half() for name, each in weights.items()}
        weights = {name: each.to(target.device, target.dtype) for name, each in weights.items()}
        width = target.config.hidden_size
        norms = dict.fromkeys(("token_norm.weight", "feature_norm.weight", "norm.weight"), (width,))
        check_weights(weights, norms | {"fuse.weight": (width, 2 * width)})
        layer = own_layers(target, config, [weights_below(weights, "layer.")], weights["norm.weight"])
        if self._tokens is not None:
            self._tokens = self._tokens.to(target.device, torch.long)
            layer.lm_head = _rows_of(layer.lm_head, self._tokens, target.dtype)
        is_narrow = self._tokens is not None and reads_halves(target.device, target.dtype)
        if isinstance(self._target_pass, BlockPass):
            block_pass, rounded = BlockPass(layer, blocks_of(layer)), self._target_pass.rounds
            self._pass = block_pass.rounding_rows() if rounded else block_pass
            fuse = in_blocks(weights["fuse.weight"].numpy())
            self._fuse = BlockProduct.with_matrix(fuse, rounded=rounded)  # (n, 2 width) to (n, width)
            if self._tokens is not None and layer.lm_head.bias is None:
                self._pass.draft_vocabulary = self._tokens.numpy(), self.vocab_size
            self._reads = {name: count + self._fuse.reads[name] for name, count in block_pass.reads.items()}
        else:
            self._reads = {}
            self._fuse = Product(weights["fuse.weight"], None)
            self._pass = pass_of(layer, halved=is_narrow or target.bits == HALVED)
        eps = layer.model.norm.variance_epsilon
        self._bits = 8 if isinstance(self._pass, BlockPass) else HALVED if self._pass.is_halved else None
        # (2, width)
        self._norms = torch.stack([weights["token_norm.weight"], weights["feature_norm.weight"]]).numpy(force=True)
        self._token_norm = Norm(weights["token_norm.weight"], eps)
        self._feature_norm = Norm(weights["feature_norm.weight"], eps)
        shared = {*target.model.model.embed_tokens.parameters(), *target.model.lm_head.parameters()}  # tied ones once
        self.num_parameters = sum(weight.numel() for weight in [*weights.values(), *shared])

    def _embedded(self, tokens: list[int]) -> torch.Tensor:
        return self._target_pass.embedded(tokens)

    def _features(self, read: Features, nodes: list[int]) -> torch.Tensor:
        return read.normed(nodes)

    def _read(
        self,
        read: Features,
        cache: TreeCache,
        tokens: list[int],
        above: list[int],
        positions: list[int],
        mask: torch.Tensor | None,
    ) -> torch.Tensor:
        own, known = cache.keys_values, cache.slot_of
        if not (isinstance(self._pass, BlockPass) and isinstance(read, SlotFeatures) and isinstance(own, Slots)):
            return super()._read(read, cache, tokens, above, positions, mask)
        held, embedded = read.cache.slot_of, self._embedded(tokens)
        sources = [held[node] if node in held else GUESSED - known[node] if node >= 0 else NONE for node in above]
        features = np.array(sources), read.slots.features.numpy(), own.features.numpy()
        fuse: Any = self._fuse
        joining = embedded.numpy(), *features, self._norms, *fuse.matrix
        rows = list(range(len(tokens)))
        return self._over_vocabulary(
            self._pass.run_from(own, torch.empty_like(embedded), positions, mask, rows, joining)
        )

    def _over_vocabulary(self, logits: torch.Tensor) -> torch.Tensor:
        is_done = isinstance(self._pass, BlockPass) and len(self._pass.draft_vocabulary[0])  # in compiled code
        return logits if is_done else super()._over_vocabulary(logits)

    def _joined(self, embedded: torch.Tensor, before: torch.Tensor) -> torch.Tensor:
        return self._fuse.of(torch.cat([self._token_norm.of(embedded), self._feature_norm.of(before)], 1))


def load_head(target: LanguageModel) -> Head:
    """Return the head saved next to a target.

    Raises:
        PlaygroundError: if there is none, or it does not belong to this target.
    """
    return load_beside(target, HEAD, (CONFIG, WEIGHTS), "head", partial(Head, target))


def _rows_of(output: Any, tokens: torch.Tensor, dtype: torch.dtype) -> Any:
    """Return the rows of an output layer for some tokens in float16: a drafter may round, and reads half as much."""
    rows = torch.nn.Linear(output.in_features, len(tokens), bias=output.bias is not None)
    rows.weight = torch.nn.Parameter(weight_rows(output, tokens).half().to(dtype), requires_grad=False)
    if output.bias is not None:
        rows.bias = torch.nn.Parameter(output.bias.detach()[tokens], requires_grad=False)
    return rows
