"""Memory estimate before any weight is read: bytes to download, bytes in memory, bytes per token of text.

The sizes of weights are in the headers of safetensors files, or in what the Hub says of them; those of keys and
values follow from the configuration.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from playground.models.products import FAMILIES
from playground.models.sources.folder import Tensor, tensors_in
from playground.models.sources.placement import Placement

ITEM_BYTES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "F8_E4M3": 1, "F8_E5M2": 1, "I64": 8, "I32": 4, "I8": 1, "U8": 1}
CODE_BYTES = 60_000_000  # transformers and a tokenizer are read with the first model.


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of a model as they are saved."""

    parameters: int
    saved_bytes: int

    def as_numbers(self, per_item: int) -> Weights:
        """Return quantised weights as reading makes them: numbers of 16 bits, this many for each in the file.

        Args:
            per_item: 0 where they stay as they are.
        """
        num_weights = self.parameters * per_item
        return Weights(num_weights, 2 * num_weights) if per_item else self

    def bytes_at(self, placement: Placement, config: Any) -> int:
        """Bytes in memory there.

        Args:
            config: of transformers: the tables that quantisation leaves as they are, and whether the lean pass is for
                this model. That pass packs all matrices but an embedding that is not the output layer, too.
        """
        table, num_tables = (
            config.vocab_size * config.hidden_size,
            1 if getattr(config, "tie_word_embeddings", True) else 2,
        )
        packed = self.parameters - (num_tables - 1) * table if config.model_type in FAMILIES else 0
        saved = self.saved_bytes / max(self.parameters, 1)
        return placement.weights_bytes(self.parameters, saved, num_tables * table, packed)


@dataclass(frozen=True, slots=True)
class MemoryEstimate:
    """Memory estimate of some models together."""

    download_bytes: int = 0  # over the network
    weights_bytes: int = 0  # in memory, in the number format they are to have
    # keys and values of one token of text, over all the models; None where it is not known yet
    token_bytes: int | None = 0
    placement: str = ""  # number format and device of the target, in words
    state_bytes: int = 0  # Recurrences and convolutions keep so much for each path of a draft, over all the models.

    def __add__(self, other: MemoryEstimate) -> MemoryEstimate:
        known = self.token_bytes is not None and other.token_bytes is not None
        return MemoryEstimate(
            self.download_bytes + other.download_bytes,
            self.weights_bytes + other.weights_bytes,
            (self.token_bytes or 0) + (other.token_bytes or 0) if known else None,
            self.placement or other.placement,
            self.state_bytes + other.state_bytes,
        )

    def memory_bytes(self, num_tokens: int = 1024) -> int:
        """Weights, keys and values of a text of this many tokens, and two states: before a call, and after it."""
        return self.weights_bytes + num_tokens * (self.token_bytes or 0) + 2 * self.state_bytes

    def sentence(self, placement: Placement) -> str:
        """Return the sum in words, with what is free there; of a processor also what the whole process comes to."""
        download = f"{amount(self.download_bytes)} to download" if self.download_bytes else "nothing to download"
        cache = f" and {amount(1024 * self.token_bytes)} for 1,024 tokens of text" if self.token_bytes else ""
        cache += f" and {amount(self.state_bytes)} of state for each path of a draft" if self.state_bytes else ""
        whole = self.weights_bytes + CODE_BYTES + psutil.Process().memory_info().rss
        total = f" ({amount(whole)} with Python and its libraries)" if placement.device.type == "cpu" else ""
        return (
            f"{download[0].upper()}{download[1:]}; {amount(self.weights_bytes)} of memory{total}{cache}, "
            f"{self.placement or placement.title()}, where {amount(placement.free_bytes())} are free."
        )


def weights_in(folder: Path) -> Weights:
    """Return the weights in a folder by the headers of its files; old formats without one count as 16 bits.

    Raises:
        PlaygroundError: if a file is not a safetensors file.
    """
    files = sorted(folder.glob("*.safetensors"))
    if not files:
        saved = sum(file.stat().st_size for file in folder.glob("*.bin"))
        return Weights(saved // 2, saved)  # rather too many than too few
    tensors = [tensor for file in files for tensor in tensors_in(file, folder.name)]
    return Weights(sum(each.num_weights for each in tensors), sum(map(_bytes_of, tensors)))


def tensor_sizes(folder: Path) -> dict[str, int]:
    """Bytes of every tensor in a folder's safetensors files, by its name."""
    files = sorted(folder.glob("*.safetensors"))
    return {tensor.name: _bytes_of(tensor) for file in files for tensor in tensors_in(file, folder.name)}


def _bytes_of(tensor: Tensor) -> int:
    return tensor.num_weights * ITEM_BYTES.get(tensor.kind, 1)


def weights_by_kind(counts: dict[str, int]) -> Weights:
    """Memory estimate by what the Hub says: the number of parameters of each number format."""
    return Weights(sum(counts.values()), sum(number * ITEM_BYTES.get(kind, 4) for kind, number in counts.items()))


def token_bytes(config: Any, item_bytes: float) -> int:
    """Keys and values of one token in all layers.

    Args:
        config: of transformers.
        item_bytes: of one number.
    """
    return round(sum(map(_numbers, _attending(config))) * item_bytes)


def _attending(config: Any) -> list[Any]:
    """Return the configuration of each layer that keeps something of every token; a recurrence keeps one state."""
    from transformers.cache_utils import DynamicCache

    layers = list(config.per_layer_config) if config.is_heterogeneous else [config] * config.num_hidden_layers
    is_linear = DynamicCache(config=config).is_linear
    return (
        layers
        if len(is_linear) != len(layers)
        else [layer for layer, linear in zip(layers, is_linear, strict=True) if not linear]
    )


def _numbers(layer: Any) -> int:
    """Count the numbers that keys and values of one token have in a layer."""
    heads = getattr(layer, "num_attention_heads", None) or 1
    groups = getattr(layer, "num_key_value_heads", None) or heads
    return 2 * groups * (getattr(layer, "head_dim", None) or layer.hidden_size // heads)


def amount(num_bytes: float) -> str:
    """Format bytes for people: 36 MB, 3.4 GB, in powers of ten like disks and downloads."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if num_bytes >= size:
            shown = num_bytes / size
            return f"{shown:.1f} {unit}" if shown < 10 else f"{shown:,.0f} {unit}"
    return f"{num_bytes:.0f} bytes"
