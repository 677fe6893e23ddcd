"""A transformers causal language model that reads token trees.

One forward pass runs whatever part of the asked nodes' paths is not cached yet, with an ancestor mask where the new
nodes branch. The catch-up after a fully accepted round, tree attention, beams that share a prefix and rollback are all
this one case, so no decoding method has code for them.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.functional import pad

from playground.errors import PlaygroundError
from playground.models.forward import Forward, Model
from playground.models.modes import own_modes, torch_threads
from playground.models.own_settings import obeyed_settings
from playground.models.passes.compiled_pass import CompiledPass
from playground.models.passes.features import Features, Recorder, SlotFeatures
from playground.models.passes.kv_cache import Feed, TreeCache
from playground.models.passes.path_pass import PathCache, PathPass, State
from playground.models.passes.plain_pass import PlainPass
from playground.models.sources.memory_estimate import amount
from playground.models.sources.number_formats import HALVED, bits_of, number_format
from playground.models.sources.placement import is_out_of_memory, release

if TYPE_CHECKING:
    import numpy as np

    from playground.models.forward import Vocabulary
    from playground.models.passes.forward_pass import ForwardPass
    from playground.trace.events import Facts
    from playground.tree import TokenTree
from playground.words import word


class LanguageModel:
    """A causal language model with one cache per token tree."""

    def __init__(
        self,
        model: Any,
        vocabulary: Vocabulary,
        *,
        name: str,
        vocab_size: int | None = None,
        forward_pass: ForwardPass | PathPass | None = None,
        revision: str = "",
    ) -> None:
        self.model = model.eval()
        self.vocabulary = vocabulary  # text to tokens and back
        self.name = name  # The page calls it so.
        self.revision = revision  # its commit on the Hub; empty where it is from elsewhere
        # A model that also sees or hears has a language model inside.
        self.config = model.config.get_text_config(decoder=True)
        self._num_known = self.config.vocab_size
        # the width of its logits. A draft has its target's, so that a text depends on the target alone: what it has
        # more is cut off, and what it lacks it never proposes
        self.vocab_size = vocab_size or self._num_known
        # the longest context the model was made for
        self.max_positions = int(getattr(self.config, "max_position_embeddings", 0) or 2**31)
        of_generation = getattr(model.generation_config, "eos_token_id", None)  # It may be 0.
        ends = _as_ids(self.config.eos_token_id if of_generation is None else of_generation, name)
        # Its generation_config.json asks these of every row, by name.
        self.own_settings = obeyed_settings(model.generation_config)
        # tokens that end a text, of those that the model can write
        self.eos_ids = frozenset(token for token in ends if 0 <= token < self.vocab_size)
        # weights on a disk are nowhere until they are read, and accelerate takes tokens from anywhere
        self.device = torch.device("cpu") if model.device.type == "meta" else model.device
        self.dtype = model.dtype
        # The model is run by transformers' own pass, or by one that was proved to compute the same.
        self.forward_pass: ForwardPass | PathPass = forward_pass or PlainPass(model)
        # Its matrices have 16, 8 or 4; None where they are in its number format.
        self.bits = HALVED if getattr(self.forward_pass, "is_halved", False) else bits_of(model)
        self.bytes_per_token = 0
        self.num_parameters = model.num_parameters()
        self.recorder: Recorder | None = None  # It is there where a drafter reads features and the pass keeps none.
        self.mtp: Any = None  # A layer in its own files may draft; this is its MtpFolder.
        self._masked = torch.finfo(self.dtype).min
        self._caches: weakref.WeakKeyDictionary[TokenTree, TreeCache | PathCache] = weakref.WeakKeyDictionary()

    def by(self, forward_pass: ForwardPass | PathPass) -> LanguageModel:
        """Return the model run by another pass."""
        return LanguageModel(
            self.model,
            self.vocabulary,
            name=self.name,
            vocab_size=self.vocab_size,
            forward_pass=forward_pass,
            revision=self.revision,
        )

    @property
    def devices(self) -> set[torch.device]:
        """Devices of its weights: several where it is spread."""
        return {self.device if weight.is_meta else weight.device for weight in self.model.parameters()}

    def facts(self) -> Facts:
        """Name, size and number format, as the trace records them."""
        facts = {
            "name": self.name,
            "parameters": self.num_parameters,
            "layers": int(getattr(self.config, "num_hidden_layers", 0)),
            "vocab_size": self.vocab_size,
            **number_format(self.dtype, self.bits),
            "device": str(self.device),
            "kv_bytes_per_token": self.bytes_per_token,
            "forward_pass": self.forward_pass.name,
        }
        if halves := getattr(self.forward_pass, "halves", ""):
            facts["dtype"] = facts["dtype"].replace("float16", halves)
        if isinstance(self.forward_pass, PathPass):
            facts["state_bytes"] = self.forward_pass.state_bytes
        reads = getattr(self.forward_pass, "reads", None)  # A pass over a file's own blocks says it.
        return facts | ({"reads": reads} if reads else {}) | ({"revision": self.revision} if self.revision else {})

    def logits(self, tree: TokenTree, nodes: list[int]) -> torch.Tensor:
        """Next-token logits at these nodes. (n, V)"""
        return self.forward(tree, nodes).logits

    def cache_bytes(self, tree: TokenTree) -> int:
        """Bytes of keys and values held for this tree now."""
        cache = self._caches.get(tree)
        return cache.num_bytes() if cache else 0

    @torch.inference_mode()
    def forward(self, tree: TokenTree, nodes: list[int]) -> Forward:
        """Next-token logits at these nodes, in one forward pass at most.

        Args:
            tree: the token tree; the model keeps keys and values for its living nodes.
            nodes: living nodes, in any order.

        Raises:
            PlaygroundError: if the memory is full. What the tree took is free again then.
        """
        return self.or_freed(tree, partial(self._forward, tree, nodes))

    @own_modes
    def or_freed(self, tree: TokenTree, run: Callable[[], Forward]) -> Forward:
        """Return a pass over this tree by this model, or by a drafter that shares its cache.

        Raises:
            PlaygroundError: if the memory is full. What the tree took is free again then.
        """
        try:
            with nullcontext() if isinstance(self.forward_pass, CompiledPass) else torch_threads():
                return run()
        except (MemoryError, RuntimeError) as error:
            if not is_out_of_memory(error):
                raise
            held = amount(self.cache_bytes(tree))
        self._caches.pop(tree, None)  # behind the except clause, whose error holds on to what was half done
        release()
        raise PlaygroundError(word("refused_memory", device=self.device, model=self.name, held=held))

    def _forward(self, tree: TokenTree, nodes: list[int]) -> Forward:
        cache = self._cache_of(tree)
        cache.prune(tree)
        if isinstance(cache, PathCache):
            return cache.forward(tree, nodes, partial(self._run_paths, tree))
        return cache.forward(tree, nodes, partial(self._run, tree, cache))

    def _run(self, tree: TokenTree, cache: TreeCache, feed: Feed, rows: list[int]) -> torch.Tensor:
        """Return the logits of a pass at these rows of what is fed. (rows, V)"""
        assert not isinstance(self.forward_pass, PathPass), "paths are read by another way"
        tokens, positions = self._tokens(tree, feed.fed), [tree.depths[node] for node in feed.fed]
        mask = self.additive_mask(feed.visible, cache.prefix)
        logits = self.forward_pass.run(cache.keys_values, tokens, positions, mask, rows)
        if self.recorder:
            self.recorder.record(tree, [feed.fed])
        self.bytes_per_token = self.bytes_per_token or cache.keys_values.bytes_per_token()
        return self._over_vocabulary(logits)

    def _run_paths(
        self, tree: TokenTree, rows: list[list[int]], before: State | None, columns: list[int]
    ) -> tuple[torch.Tensor, State | None]:
        """Return logits and state of a pass over rows of nodes; see `Read` in passes/path_pass.py."""
        assert isinstance(self.forward_pass, PathPass), "a tree is read by another way"
        logits, state = self.forward_pass.run([self._tokens(tree, row) for row in rows], before, columns)
        if self.recorder:
            self.recorder.record(tree, rows)
        self.bytes_per_token = self.forward_pass.bytes_per_token
        return self._over_vocabulary(logits), state

    def _tokens(self, tree: TokenTree, nodes: list[int]) -> list[int]:
        """Return the tokens of these nodes; the last one for those that the target alone has."""
        return [min(tree.tokens[node], self._num_known - 1) for node in nodes]

    def _over_vocabulary(self, logits: torch.Tensor) -> torch.Tensor:
        """Logits over the vocabulary of the run: cut, or -inf for tokens that the target alone has. (..., V)"""
        missing = self.vocab_size - self._num_known
        return logits[..., : self.vocab_size] if missing <= 0 else pad(logits, (0, missing), value=-torch.inf)

    def additive_mask(self, visible: np.ndarray | None, prefix: int) -> torch.Tensor | None:
        """Return 0 where a column is visible and the lowest number elsewhere; None without a mask.

        Args:
            visible: (fed, columns) of bool, behind the prefix.
            prefix: slots that all fed nodes see.

        Returns:
            (fed, prefix + columns)
        """
        if visible is None:
            return None
        num_fed, num_columns = visible.shape
        mask = torch.zeros((num_fed, prefix + num_columns), dtype=self.dtype)
        mask[:, prefix:].masked_fill_(torch.from_numpy(~visible), self._masked)
        return mask.to(self.device)

    def cache_of(self, tree: TokenTree) -> TreeCache:
        """Return the slots of this tree, made when first asked for; of a model that reads trees."""
        cache = self._cache_of(tree)
        assert isinstance(cache, TreeCache), f"{self.name} reads paths, and has no slots"
        return cache

    @property
    def taps(self) -> tuple[int, ...]:
        """Numbers of the layers after which its hidden states are kept."""
        return getattr(self.recorder or self.forward_pass, "taps", ())

    def features(self, tree: TokenTree) -> Features:
        """Return what its passes made of the living nodes that it has read."""
        if self.recorder:
            return self.recorder.of(tree)
        cache = self.cache_of(tree)
        cache.prune(tree)
        return SlotFeatures(cache)

    def _cache_of(self, tree: TokenTree) -> TreeCache | PathCache:
        cache = self._caches.get(tree)
        if cache is None:
            slots = self.forward_pass.slots()
            cache = self._caches[tree] = slots if isinstance(slots, PathCache) else TreeCache(slots)
        return cache


def _as_ids(eos: Any, name: str) -> list[int]:
    """Return end tokens as a list of numbers.

    Raises:
        PlaygroundError: if one is none, as in a file that somebody has written by hand.
    """
    ids = eos if isinstance(eos, list) else [] if eos is None else [eos]
    if wrong := [each for each in ids if not isinstance(each, int)]:
        raise PlaygroundError(word("refused_end_token", model=name, value=f"{wrong[0]!r:.40}"))
    return ids


@dataclass(frozen=True, slots=True)
class LoadedPair:
    """Models ready to run: a target, its draft and further drafts, all speaking the target's tokens."""

    target: LanguageModel
    draft: Model | None
    others: tuple[Model, ...] = ()
