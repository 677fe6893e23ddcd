"""A drafter of one target: what it shares with the target, and, of a trained one, its files, check and layers."""

from __future__ import annotations

import hashlib
import json
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import torch

from playground.errors import PlaygroundError
from playground.models.bundled import BUNDLED
from playground.models.forward import Forward
from playground.models.passes.kv_cache import TreeCache
from playground.models.passes.lean_pass import LeanPass
from playground.models.passes.replayed_pass import lean_passes
from playground.models.sources.checkpoint import check_weights
from playground.models.sources.file_model import matrices_in, weight_rows
from playground.models.sources.folder import read_part
from playground.models.sources.gguf_blocks import BlockMatrix, FileMatrix, in_blocks
from playground.models.sources.number_formats import number_format

if TYPE_CHECKING:
    from playground.models.language_model import LanguageModel
    from playground.trace.events import Facts
    from playground.tree import TokenTree

ROWS = 4096  # So many rows of an output layer are widened at once.
DrafterT = TypeVar("DrafterT")
CacheT = TypeVar("CacheT", bound=TreeCache)
_DIGESTS: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()  # the fingerprints of models in files


class TargetDrafter:
    """A model as decoding needs one, see `Model`, with the tokens, the device and the memory of its target."""

    _pass: LeanPass

    def __init__(self, target: LanguageModel, name: str) -> None:
        self.target, self.name = target, name
        self.vocab_size, self.max_positions = target.vocab_size, target.max_positions
        self.eos_ids, self.vocabulary, self.device = target.eos_ids, target.vocabulary, target.device
        self._caches: weakref.WeakKeyDictionary[TokenTree, Any] = weakref.WeakKeyDictionary()

    def cache_bytes(self, tree: TokenTree) -> int:
        """Bytes of its own slots."""
        cache = self._caches.get(tree)
        return cache.num_bytes() if cache else 0

    @torch.inference_mode()
    def forward(self, tree: TokenTree, nodes: list[int]) -> Forward:
        """Next-token logits at these nodes; see `LanguageModel.forward`."""
        return self.target.or_freed(tree, partial(self._forward, tree, nodes))

    def _forward(self, tree: TokenTree, nodes: list[int]) -> Forward:
        raise NotImplementedError

    def _cache(self, tree: TokenTree, make: Callable[[Any], CacheT]) -> CacheT:
        """Return the cache of this tree, made of new slots when first asked for."""
        if tree not in self._caches:
            self._caches[tree] = make(self._pass.slots())
        return self._caches[tree]


def load_beside(
    target: LanguageModel,
    folder_name: str,
    files: tuple[str, str],
    title: str,
    build: Callable[[dict[str, Any], dict[str, torch.Tensor]], DrafterT],
) -> DrafterT:
    """Load the drafter saved next to a target, or the bundled one for this target.

    Args:
        target: read from a folder of models, or one that a bundled drafter was trained on.
        files: names of its config and of its weights.
        build: makes it of its config and weights.

    Raises:
        PlaygroundError: if there is none, or it cannot be read or set on this target.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    folder = _folder_of(target, folder_name, files[0])
    if folder is None:
        raise PlaygroundError(f"{target.name} has no {title}. Train one, or choose another drafter.")
    try:
        config, weights = (folder / name for name in files)
        return build(read_part(config, weights), load_file(weights))
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise PlaygroundError(
            f"The {title} of {target.name} cannot be read: {str(error).splitlines()[0]} Train it again."
        ) from error


def _folder_of(target: LanguageModel, folder_name: str, config_file: str) -> Path | None:
    """Find a drafter's folder beside its target; else in assets/models/*/, by the target's fingerprint."""
    path = str(target.model.name_or_path)  # a model made in memory has none
    beside = Path(path).parent / folder_name
    if path and (beside / config_file).is_file():
        return beside
    if not isinstance(target.forward_pass, LeanPass):
        return None
    bundled = sorted(BUNDLED.glob(f"*/{folder_name}/{config_file}"))
    fingerprints = {json.loads(each.read_text(encoding="utf-8"))["fingerprint"]: each.parent for each in bundled}
    return fingerprints.get(fingerprint(target.model)) if fingerprints else None


def weights_below(weights: dict[str, torch.Tensor], start: str) -> dict[str, torch.Tensor]:
    """Return the weights whose names begin so, by the rest of their names."""
    return {name.removeprefix(start): weight for name, weight in weights.items() if name.startswith(start)}


def check_target(target: LanguageModel, config: dict[str, Any], title: str) -> LeanPass:
    """Return the target's pass, whose features a drafter reads.

    Args:
        config: with the `fingerprint` of the target that it was trained on.

    Raises:
        PlaygroundError: if the pass has no features, or the drafter was trained on another target.
    """
    if not isinstance(target.forward_pass, LeanPass):
        raise PlaygroundError(
            f"{target.name} ({target.config.model_type}) has no features that a {title} can read: that takes a "
            "Llama-shaped model. Choose another drafter."
        )
    if config["fingerprint"] != fingerprint(target.model):
        raise PlaygroundError(
            f"The {title} next to {target.name} was trained on another target, and would read features that it does "
            "not know. Train one for this target, or choose another drafter."
        )
    return target.forward_pass


def fingerprint(model: Any) -> str:
    """Digest of a target's output layer and last norm in bfloat16, which tells it from every other.

    It is kept for a model whose output layer stays in its file: to widen that layer takes most of a second.
    """
    if not hasattr(model.lm_head, "matrix"):
        return _digest(model)
    if model not in _DIGESTS:
        _DIGESTS[model] = _digest(model)
    return _DIGESTS[model]


def _digest(model: Any) -> str:
    digest, outputs = hashlib.sha256(), model.lm_head.out_features
    parts = (weight_rows(model.lm_head, slice(start, start + ROWS)) for start in range(0, outputs, ROWS))
    for weight in chain([model.model.norm.weight.detach()], parts):
        digest.update(weight.to("cpu", torch.bfloat16).view(torch.int16).numpy().tobytes())
    return digest.hexdigest()


def pass_of(layers: Any, *, halved: bool) -> LeanPass:
    """Pass through a drafter's layers and the output layer, in the target's number format unless its own is wider."""
    with suppress(ValueError, StopIteration):
        return next(lean_passes(layers, halved=halved))
    return next(lean_passes(layers))


def blocks_of(layers: Any) -> dict[str, BlockMatrix | FileMatrix]:
    """Return the matrices of a drafter's layers in 8 bits, as it may round, and the target's output layer as it is."""
    modules = {name: each for name, each in layers.named_modules() if isinstance(each, torch.nn.Linear)}
    in_8_bits = {name: in_blocks(each.weight.detach().numpy()) for name, each in modules.items()}
    return in_8_bits | {name: each for name, each in matrices_in(layers).items() if name == "lm_head"}


def facts_of(drafter: Any, layers: LeanPass, bits: int | None) -> Facts:
    """Return what a trace records of a drafter beside its target, whose embedding and output layer its size includes.

    Args:
        drafter: with target, name and num_parameters.
        bits: of its matrices; None as the target's dtype.
    """
    facts = {
        name: fact for name, fact in drafter.target.facts().items() if name not in ("bits", "reads", "state_bytes")
    }
    return facts | {
        "name": drafter.name,
        "parameters": drafter.num_parameters,
        "layers": layers.num_layers,
        **number_format(drafter.target.dtype, bits),
        "kv_bytes_per_token": layers.slots().bytes_per_token(),
    }


def own_layers(
    target: LanguageModel, config: dict[str, Any], layers: list[dict[str, torch.Tensor]], norm: torch.Tensor
) -> Any:
    """Return a Llama of a drafter's own layers, with the target's embedding and output layer.

    Args:
        config: `heads`, `feed_forward`, `norm_eps` and `rope_theta`.
        layers: the weights of each, by the names that transformers gives them.
        norm: of the last norm. (width,)

    Raises:
        ValueError: if a weight is missing, or of another shape.
    """
    from transformers import LlamaConfig, LlamaForCausalLM

    width = config["feed_forward"]
    for layer in layers:  # before as much memory is taken as the configuration says
        check_weights(layer, {"mlp.up_proj.weight": (width, target.config.hidden_size)})
    shape = LlamaConfig(
        vocab_size=1,
        bos_token_id=None,
        eos_token_id=None,
        hidden_size=target.config.hidden_size,
        intermediate_size=width,
        num_hidden_layers=len(layers),
        num_attention_heads=config["heads"],
        num_key_value_heads=config["heads"],
        max_position_embeddings=target.max_positions,
        rms_norm_eps=config["norm_eps"],
        rope_parameters={"rope_type": "default", "rope_theta": config["rope_theta"]},
    )
    created: Any = LlamaForCausalLM(shape)
    model = created.to(device=target.device, dtype=target.dtype).eval()
    for layer, own in zip(model.model.layers, layers, strict=True):
        check_weights(own, {name: weight.shape for name, weight in layer.state_dict().items()})
        layer.load_state_dict(own)
    model.model.norm.load_state_dict({"weight": norm})
    model.model.embed_tokens, model.lm_head = target.model.model.embed_tokens, target.model.lm_head
    return model
