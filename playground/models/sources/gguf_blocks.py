"""Matrices of a GGUF file as they are saved: small whole numbers, and for each group of inputs a scale.

A weight is `scale * (code - zero) + low`. Codes have 4 or 8 bits in memory, whatever the file's have; scales are halves
where the file's are.
"""

from __future__ import annotations

import json
import mmap
from collections.abc import Iterable
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from playground.models.sources.folder import tensors_in

PLAIN = {"Q4_0": (4, False), "Q4_1": (4, True), "Q5_0": (5, False), "Q5_1": (5, True), "Q8_0": (8, False)}
NESTED = {"Q4_K": (32, 0), "Q5_K": (32, 0), "Q6_K": (16, 32)}  # group, zero; of blocks of 256 with a scale of scales
WIDE = ("F16", "BF16")  # They have no blocks.
HALF_TURNED = ("llama", "mistral")  # llama.cpp has turned pairs of their queries and keys side by side.
ROTATIONS = "rope_freqs.weight"  # transformers makes them by the configuration.


@dataclass(frozen=True, slots=True)
class BlockMatrix:
    """A matrix in groups of inputs."""

    codes: np.ndarray  # (outputs, inputs) uint8
    scales: np.ndarray  # (outputs, inputs / group) float32
    lows: np.ndarray | None  # (outputs, inputs / group) float32; None where they are all 0
    zero: int  # code of 0, where nothing is added
    bits: int  # A code has so many.

    @property
    def group(self) -> int:
        """Inputs with one scale."""
        return self.codes.shape[1] // self.scales.shape[1]

    @property
    def shape(self) -> tuple[int, int]:
        """(outputs, inputs)"""
        return self.codes.shape[0], self.codes.shape[1]

    def blocks(self) -> BlockMatrix:
        """Return the matrix, which is read already."""
        return self

    def forget(self) -> None:
        """Leave the memory as it is."""


@dataclass(frozen=True, slots=True)
class FileMatrix:
    """A matrix of a mapped file, of which a part is read when it is wanted."""

    data: np.ndarray  # (rows, bytes), or (rows, inputs) where it is not in blocks
    kind: Any  # It is the package gguf's.
    inputs: int
    mapping: Any = None  # It maps the file.
    order: np.ndarray | None = None  # the row of each output; None where they are in the file's order

    @property
    def shape(self) -> tuple[int, int]:
        """(outputs, inputs)"""
        return len(self.data) if self.order is None else len(self.order), self.inputs

    @property
    def is_wide(self) -> bool:
        """True if every weight has 16 bits of its own."""
        return self.kind.name in WIDE

    def rows(self, index: Any) -> FileMatrix:
        """Return the matrix of these outputs."""
        return replace(self, order=np.arange(len(self.data))[index] if self.order is None else self.order[index])

    def saved(self) -> np.ndarray:
        """Return the rows as they are in the file. (outputs, bytes)"""
        return self.data if self.order is None else self.data[self.order]

    def blocks(self) -> BlockMatrix:
        """Return codes, scales and least weights."""
        return read_blocks(self.saved(), self.kind)

    def widened(self) -> np.ndarray:
        """Return the weights as numbers. (outputs, inputs) float32"""
        quants: Any = import_module("gguf.quants")
        return quants.dequantize(np.ascontiguousarray(self.saved()), self.kind)

    def forget(self) -> None:
        """Give back the memory of what was read of the file, which stays mapped."""
        if hasattr(self.mapping, "madvise"):
            self.mapping.madvise(mmap.MADV_DONTNEED)


def file_matrices(reader: Any, config: Any, names: Iterable[str]) -> dict[str, FileMatrix] | None:
    """Return the tensors of a Llama-shaped model; None if one is of a type that is not read here, or more or less.

    Args:
        reader: of the package gguf.
        config: of transformers.
        names: of all parameters of the model. One that is tied to another may be left out.
    """
    gguf: Any = import_module("gguf")
    architectures = {name: number for number, name in gguf.MODEL_ARCH_NAMES.items()}
    architecture = architectures.get(bytes(reader.fields["general.architecture"].parts[-1]).decode())
    if architecture is None:
        return None
    tensors = {tensor.name: tensor for tensor in reader.tensors}
    module_of = gguf.get_tensor_name_map(architecture, config.num_hidden_layers)
    turned = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
    turned = turned if config.model_type in HALF_TURNED else {}
    matrices = {}
    for name in names:
        module, _, kind = name.rpartition(".")
        tensor = tensors.pop(f"{module_of.get_name(module)}.{kind}", None)
        if tensor is None:
            return None
        data = np.asarray(tensor.data)
        heads = turned.get(module.rpartition(".")[2])
        order = None if heads is None else np.arange(len(data)).reshape(heads, -1, 2).swapaxes(1, 2).ravel()
        matrices[name] = FileMatrix(data, tensor.tensor_type, int(tensor.shape[0]), reader.mapping, order)
    return matrices if _are_known(matrices) and not set(tensors) - {ROTATIONS} else None


def folder_matrices(folder: Path, names: Iterable[str]) -> dict[str, FileMatrix] | None:
    """Return the tensors of a folder's safetensors files, mapped; None if one is not of 16 bits, or missing.

    Args:
        names: of all parameters of the model; a tied output layer is none of them.
    """
    kinds: Any = import_module("gguf").GGMLQuantizationType
    matrices = {}
    for file in sorted(folder.glob("*.safetensors")):
        tensors_in(file, folder.name)  # It checks the header.
        mapped = np.memmap(file, np.uint8, "r")
        start = 8 + int(mapped[:8].view(np.int64)[0])
        for name, entry in json.loads(mapped[8:start].tobytes()).items():
            kind, shape = entry.get("dtype"), entry.get("shape", ())
            if kind in (*WIDE, "F32") and len(shape) in (1, 2):
                data = mapped[slice(*(start + offset for offset in entry["data_offsets"]))]
                data = data if kind == "BF16" else data.view(np.float16 if kind == "F16" else np.float32)
                data = data.reshape(shape[0], -1) if len(shape) == 2 else data
                matrices[name] = FileMatrix(data, kinds[kind], shape[-1], vars(mapped)["_mmap"])
    chosen = {name: matrices[name] for name in names if name in matrices}
    return chosen if len(chosen) == len(list(names)) and _are_known(chosen) else None


def _are_known(matrices: dict[str, FileMatrix]) -> bool:
    """Return whether a compiled pass reads these types; matrices of 16 bits are not joined with others."""
    own = {name: each.kind.name for name, each in matrices.items() if each.data.ndim == 2}
    in_layers = {kind for name, kind in own.items() if ".layers." in name}
    is_mixed = len(in_layers) > 1 and bool(in_layers & set(WIDE))
    return not is_mixed and all(kind in {*PLAIN, *NESTED, *WIDE} for kind in own.values())


def record_bytes(reader: Any) -> int:
    """Bytes of a file's tensors once they are laid out for a compiled pass; see `passes.records`."""
    return round(sum(_bits(tensor) * int(np.prod(tensor.shape)) for tensor in reader.tensors) / 8)


def _bits(tensor: Any) -> float:
    """Bits of a weight in a record, its share of the scales included."""
    if plain := PLAIN.get(tensor.tensor_type.name):
        bits, has_lows = plain
        return (4 if bits == 4 else 8) + 16 * (1 + has_lows) / 32
    if nested := NESTED.get(tensor.tensor_type.name):
        group, zero = nested
        return (4 if tensor.tensor_type.name == "Q4_K" else 8) + 32 * (1 if zero else 2) / group
    return 16 if tensor.tensor_type.name in WIDE else 32


def in_blocks(weight: np.ndarray) -> BlockMatrix:
    """Round a matrix (outputs, inputs) to 8 bits, in the groups of Q8_0."""
    grouped = weight.reshape(len(weight), -1, 32)
    scales = (np.abs(grouped).max(-1) / 127).astype(np.float16).astype(np.float32)
    codes = np.rint(grouped / np.where(scales == 0, 1, scales)[..., None]).clip(-127, 127) + 128
    return BlockMatrix(codes.astype(np.uint8).reshape(weight.shape), scales, None, 128, 8)


def read_blocks(data: np.ndarray, kind: Any) -> BlockMatrix:
    """Read rows of a file, by their type in the package gguf."""
    return _read_plain(data, *PLAIN[kind.name]) if kind.name in PLAIN else _read_nested(data, kind, *NESTED[kind.name])


def stacked(matrices: list[BlockMatrix]) -> BlockMatrix:
    """Join the outputs of several matrices, by the smallest group, the most bits and the largest zero among them."""
    group, zero = min(each.group for each in matrices), max(each.zero for each in matrices)
    has_lows = any(each.lows is not None for each in matrices)
    codes, scales, lows = [], [], []
    for each in matrices:
        times = each.group // group
        codes.append(each.codes + np.uint8(zero - each.zero))
        scales.append(np.repeat(each.scales, times, 1))
        lows.append(np.zeros_like(scales[-1]) if each.lows is None else np.repeat(each.lows, times, 1))
    bits = 4 if max(int(each.max(initial=0)) for each in codes) < 16 else 8
    return BlockMatrix(
        np.concatenate(codes), np.concatenate(scales), np.concatenate(lows) if has_lows else None, zero, bits
    )


def _read_plain(data: np.ndarray, bits: int, has_lows: bool) -> BlockMatrix:
    """Read blocks of 32 weights: a scale, a least weight perhaps, the fifth bits perhaps, and the rest of the codes."""
    blocks = data.reshape(len(data), -1, 2 + 2 * has_lows + (4 if bits == 5 else 0) + (32 if bits == 8 else 16))
    halves = np.ascontiguousarray(blocks[..., : 4 if has_lows else 2]).view(np.float16).astype(np.float32)
    if bits == 8:
        codes = blocks[..., 2:] ^ np.uint8(128)  # signed ones, plus 128
    else:
        low, high = blocks[..., -16:] & np.uint8(15), blocks[..., -16:] >> np.uint8(4)
        codes = np.concatenate([low, high], -1)
        if bits == 5:
            codes |= np.unpackbits(blocks[..., -20:-16], axis=-1, bitorder="little") << np.uint8(4)
    zero = 0 if has_lows else 1 << (bits - 1)
    lows = halves[..., 1] if has_lows else None
    return BlockMatrix(codes.reshape(len(data), -1), halves[..., 0], lows, zero, 4 if bits == 4 else 8)


def _read_nested(data: np.ndarray, kind: Any, group: int, zero: int) -> BlockMatrix:
    """Read blocks of 256 weights, the codes from what the package makes of them."""
    quants: Any = import_module("gguf.quants")
    name, rows, data = kind.name, len(data), np.ascontiguousarray(data)
    weights = quants.dequantize(data, kind).reshape(rows, -1, group)
    blocks = data.reshape(-1, quants.GGML_QUANT_SIZES[kind][1])
    lows = None
    if name == "Q6_K":
        factors = blocks[:, 192:208].view(np.int8).astype(np.float32)
        scales = factors * np.ascontiguousarray(blocks[:, 208:]).view(np.float16).astype(np.float32)
    else:
        both = np.ascontiguousarray(blocks[:, :4]).view(np.float16).astype(np.float32)
        factors, least = quants.Q4_K.get_scale_min(np.ascontiguousarray(blocks[:, 4:16]))
        scales, lows = both[:, :1] * factors.astype(np.float32), -both[:, 1:] * least.astype(np.float32)
        lows = lows.reshape(rows, -1)
    scales = scales.reshape(rows, -1)
    above = weights if lows is None else weights - lows[..., None]
    codes = np.rint(above / np.where(scales == 0, 1, scales)[..., None]) + np.float32(zero)
    return BlockMatrix(codes.astype(np.uint8).reshape(rows, -1), scales, lows, zero, 4 if name == "Q4_K" else 8)
