"""Matrices of a GGUF file as they are saved: small whole numbers, and for each group of inputs a scale.

A weight is `scale * (code - zero) + low`. Codes have 4 or 8 bits in memory, whatever the file's have; scales are halves
where the file's are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np

PLAIN = {"Q4_0": (4, False), "Q4_1": (4, True), "Q5_0": (5, False), "Q5_1": (5, True), "Q8_0": (8, False)}
NESTED = {"Q4_K": (32, 0), "Q5_K": (32, 0), "Q6_K": (16, 32)}  # group, zero; of blocks of 256 with a scale of scales
MATRICES = (*(f"self_attn.{name}_proj" for name in "qkvo"), *(f"mlp.{name}_proj" for name in ("gate", "up", "down")))
HALF_TURNED = ("llama", "mistral")  # whose queries and keys llama.cpp has in another order


@dataclass(frozen=True, slots=True)
class BlockMatrix:
    """A matrix in groups of inputs."""

    codes: np.ndarray  # (outputs, inputs) uint8
    scales: np.ndarray  # (outputs, inputs / group) float32
    lows: np.ndarray | None  # (outputs, inputs / group) float32; None where they are all 0
    zero: int  # code of 0, where nothing is added
    bits: int  # of a code

    @property
    def group(self) -> int:
        """Inputs with one scale."""
        return self.codes.shape[1] // self.scales.shape[1]

    def rows(self, index: Any) -> BlockMatrix:
        """Return the matrix of these outputs."""
        lows = None if self.lows is None else self.lows[index]
        return replace(self, codes=self.codes[index], scales=self.scales[index], lows=lows)


def model_blocks(reader: Any, config: Any) -> dict[str, BlockMatrix] | None:
    """Return the matrices of a Llama-shaped model by the names of their modules; None if one is of another type.

    Args:
        reader: of the package gguf.
        config: of transformers.
    """
    gguf: Any = import_module("gguf")
    architectures = {name: number for number, name in gguf.MODEL_ARCH_NAMES.items()}
    architecture = architectures.get(bytes(reader.fields["general.architecture"].parts[-1]).decode())
    if architecture is None:
        return None
    saved_as = gguf.get_tensor_name_map(architecture, config.num_hidden_layers)
    tensors = {tensor.name.removesuffix(".weight"): tensor for tensor in reader.tensors}
    layers = [f"model.layers.{layer}.{name}" for layer in range(config.num_hidden_layers) for name in MATRICES]
    chosen = {name: tensors.get(saved_as.get_name(name) or "") for name in [*layers, "lm_head"]}
    if chosen["lm_head"] is None:  # tied
        chosen["lm_head"] = tensors.get(saved_as.get_name("model.embed_tokens") or "")
    if any(tensor is None or tensor.tensor_type.name not in PLAIN.keys() | NESTED.keys() for tensor in chosen.values()):
        return None
    blocks = {name: read_blocks(tensor) for name, tensor in chosen.items()}
    if config.model_type in HALF_TURNED:
        for name, heads in (("q_proj", config.num_attention_heads), ("k_proj", config.num_key_value_heads)):
            turned = {each: half_turned(matrix, heads) for each, matrix in blocks.items() if each.endswith(name)}
            blocks |= turned
    return blocks


def in_blocks(weight: np.ndarray) -> BlockMatrix:
    """Round a matrix (outputs, inputs) to 8 bits, in the groups of Q8_0."""
    grouped = weight.reshape(len(weight), -1, 32)
    scales = (np.abs(grouped).max(-1) / 127).astype(np.float16).astype(np.float32)
    codes = np.rint(grouped / np.where(scales == 0, 1, scales)[..., None]).clip(-127, 127) + 128
    return BlockMatrix(codes.astype(np.uint8).reshape(weight.shape), scales, None, 128, 8)


def read_blocks(tensor: Any) -> BlockMatrix:
    """Read a tensor of a file, as the package gguf gives it."""
    name, data = tensor.tensor_type.name, np.asarray(tensor.data)
    return _read_plain(data, *PLAIN[name]) if name in PLAIN else _read_nested(tensor, *NESTED[name])


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


def half_turned(matrix: BlockMatrix, heads: int) -> BlockMatrix:
    """Return queries or keys in transformers' order; llama.cpp puts numbers that are turned together side by side."""
    order = np.arange(len(matrix.codes)).reshape(heads, -1, 2).swapaxes(1, 2).ravel()
    return matrix.rows(order)


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


def _read_nested(tensor: Any, group: int, zero: int) -> BlockMatrix:
    """Read blocks of 256 weights, the codes from what the package makes of them."""
    quants: Any = import_module("gguf.quants")
    data = np.asarray(tensor.data)
    name, rows = tensor.tensor_type.name, len(data)
    weights = quants.dequantize(data, tensor.tensor_type).reshape(rows, -1, group)
    blocks = data.reshape(-1, quants.GGML_QUANT_SIZES[tensor.tensor_type][1])
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
