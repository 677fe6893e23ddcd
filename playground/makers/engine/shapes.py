"""GGUF files of random weights in the shapes of the SmolLM2 family, for times alone: no text of theirs means anything.

How long a call takes depends on the sizes of matrices and on their number format, and on no weight.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

STEP = 0.02  # between two codes of four bits; a code of eight has a sixteenth of it


class Shape(NamedTuple):
    """Sizes of a Llama."""

    width: int
    layers: int
    heads: int
    groups: int
    inner: int


SHAPES = {
    "135M": Shape(576, 30, 9, 3, 1536),
    "360M": Shape(960, 32, 15, 5, 2560),
    "1.7B": Shape(2048, 24, 32, 32, 8192),
}
HEAD_SIZE = 64


def write_random(source: Path, output: Path, shape: Shape, kind: str) -> None:
    """Write random weights with the header and the tokenizer of another file.

    Args:
        source: a GGUF file of the family.
        shape: the sizes.
        kind: the type of every matrix: Q4_0, Q4_1, Q8_0 or F16.
    """
    import gguf

    reader, writer = gguf.GGUFReader(source), gguf.GGUFWriter(output, "llama")
    sizes = {
        "embedding_length": shape.width,
        "block_count": shape.layers,
        "attention.head_count": shape.heads,
        "attention.head_count_kv": shape.groups,
        "feed_forward_length": shape.inner,
        "rope.dimension_count": HEAD_SIZE,
    }
    for name, field in reader.fields.items():
        if not name.startswith("GGUF.") and name != "general.architecture":
            kinds = field.types
            value = sizes.get(name.removeprefix("llama."), field.contents())
            writer.add_key_value(name, value, kinds[0], kinds[-1] if kinds[0] == gguf.GGUFValueType.ARRAY else None)
    rng, type_ = np.random.default_rng(0), gguf.GGMLQuantizationType[kind]
    vocab_size = next(each.shape[1] for each in reader.tensors if each.name == "token_embd.weight")
    for name, outputs, inputs in _matrices(shape, int(vocab_size)):
        writer.add_tensor(name, _random_matrix(rng, outputs, inputs, type_), raw_dtype=type_)
    norms = [f"blk.{layer}.{name}_norm" for layer in range(shape.layers) for name in ("attn", "ffn")]
    for name in [*norms, "output_norm"]:
        writer.add_tensor(f"{name}.weight", np.ones(shape.width, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _matrices(shape: Shape, vocab_size: int) -> list[tuple[str, int, int]]:
    """Return name, outputs and inputs of every matrix, the embedding first, which is the output layer, too."""
    queries, keys = shape.heads * HEAD_SIZE, shape.groups * HEAD_SIZE
    of_layer = [
        ("attn_q", queries, shape.width),
        ("attn_k", keys, shape.width),
        ("attn_v", keys, shape.width),
        ("attn_output", shape.width, queries),
        ("ffn_gate", shape.inner, shape.width),
        ("ffn_up", shape.inner, shape.width),
        ("ffn_down", shape.width, shape.inner),
    ]
    layers = [
        (f"blk.{layer}.{name}.weight", outputs, inputs)
        for layer in range(shape.layers)
        for name, outputs, inputs in of_layer
    ]
    return [("token_embd.weight", vocab_size, shape.width), *layers]


def _random_matrix(rng: np.random.Generator, outputs: int, inputs: int, kind: Any) -> np.ndarray:
    """Return blocks with one scale, and codes at random. (outputs, bytes of a row)"""
    import gguf

    if kind == gguf.GGMLQuantizationType.F16:
        return (rng.standard_normal((outputs, inputs), np.float32) * STEP).astype(np.float16)
    block, num_bytes = gguf.GGML_QUANT_SIZES[kind]
    blocks = rng.integers(0, 256, (outputs, inputs // block, num_bytes), dtype=np.uint8)
    step = STEP / 16 if kind == gguf.GGMLQuantizationType.Q8_0 else STEP / 8
    scales = np.array([step, -8 * step], np.float16).view(np.uint8)  # and the least weight
    count = 4 if kind == gguf.GGMLQuantizationType.Q4_1 else 2
    blocks[..., :count] = scales[:count]
    return blocks.reshape(outputs, -1)
