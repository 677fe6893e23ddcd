"""Limits on the numbers and files of models of strangers, each with a published model that comes near it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from playground.errors import PlaygroundError


class Limit(NamedTuple):
    """A range for a number in a model's files."""

    most: float  # largest value that is read
    near: str  # a published model that comes near it, or another reason
    least: float = 0  # smallest


LAYERS = Limit(1_000, "Llama 3.1 405B has 126", 1)
VOCABULARY = Limit(2_000_000, "XLM-V has 901,629 tokens", 1)
WIDTH = Limit(100_000, "Llama 3.1 405B has 16,384", 1)
FEED_FORWARD = Limit(1_000_000, "Llama 3.1 405B has 53,248", 1)
HEADS = Limit(2_000, "Falcon 180B has 232", 1)
HEAD_SIZE = Limit(4_096, "Gemma has 256", 1)
EXPERTS = Limit(10_000, "Kimi K2 has 384")
POSITIONS = Limit(100_000_000, "Llama 4 Scout has 10,485,760", 1)
WINDOW = Limit(POSITIONS.most, "a window is no longer than the text")
ROPE_FACTOR = Limit(10_000, "Llama 3.1 has 8, Phi-3 32", 1e-6)
ROPE_BASE = Limit(1e12, "Qwen2.5-1M has 10,000,000", 1e-6)

# keys of config.json, wherever they are nested, and the last words of GGUF keys
BY_KEY = {
    **dict.fromkeys(("num_hidden_layers", "n_layer", "n_layers", "num_layers", "block_count"), LAYERS),
    "vocab_size": VOCABULARY,
    **dict.fromkeys(("hidden_size", "n_embd", "d_model", "word_embed_proj_dim", "embedding_length"), WIDTH),
    **dict.fromkeys(
        ("intermediate_size", "moe_intermediate_size", "shared_expert_intermediate_size", "intermediate_size_mlp"),
        FEED_FORWARD,
    ),
    **dict.fromkeys(("n_inner", "ffn_dim", "d_ff", "feed_forward_length", "feed_forward"), FEED_FORWARD),
    **dict.fromkeys(
        ("num_attention_heads", "num_key_value_heads", "n_head", "n_heads", "num_heads", "num_kv_heads", "heads"), HEADS
    ),
    **dict.fromkeys(("head_count", "head_count_kv", "attention_heads"), HEADS._replace(least=0)),
    **dict.fromkeys(("head_dim", "v_head_dim", "qk_rope_head_dim", "qk_nope_head_dim", "rotary_dim"), HEAD_SIZE),
    **dict.fromkeys(("num_experts", "num_local_experts", "n_routed_experts", "n_shared_experts"), EXPERTS),
    **dict.fromkeys(("expert_count", "num_experts_per_tok"), EXPERTS),
    **dict.fromkeys(("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "context_length"), POSITIONS),
    "original_max_position_embeddings": POSITIONS,
    **dict.fromkeys(("sliding_window", "attention_chunk_size"), WINDOW),
    "factor": ROPE_FACTOR,
    "rope_theta": ROPE_BASE,
}

CONFIG_BYTES = Limit(1_000_000, "configurations have a few kB")
TOKENIZER_BYTES = Limit(100_000_000, "Gemma 3's tokenizer.json has 33 MB")
TEMPLATE_BYTES = Limit(1_000_000, "chat templates have a few kB")
INDEX_BYTES = Limit(20_000_000, "DeepSeek V3's has 9 MB")
HEADER_BYTES = Limit(10_000_000, "headers of real models stay below 1 MB")  # of a safetensors file
FOLDER_FILES = Limit(10_000, "the largest models have some 200 files")
TOKEN_LETTERS = Limit(10_000, "the longest tokens of published models have some hundred letters")
ADDED_TOKENS = Limit(100_000, "Gemma 3 adds some 6,400")
EXPRESSION_LETTERS = Limit(4_000, "expressions of published tokenizers have some 400")
GROWTH = Limit(64, "a replacement of published tokenizers has a letter or two")  # letters that one may become
TEMPLATE_PIECES = Limit(64, "a begin and an end token")  # of what a tokenizer sets around a text
PRECOMPILED_BYTES = Limit(2_000_000, "SentencePiece's NFKC table has 0.3 MB")
GGUF_HEADER_BYTES = Limit(100_000_000, "Gemma 3's has some 10 MB")
GGUF_ENTRIES = Limit(3_000_000, "Gemma 3 has 262,144 tokens with a score and a kind each, and 514,906 merges")
GGUF_TENSORS = Limit(100_000, "DeepSeek V3 has some 1,000")


def refuse(title: str, file: str, key: str, value: float, limit: Limit) -> None:
    """Refuse a number out of its range; pass any other."""
    if not limit.least <= value <= limit.most:
        bound = f"at most {limit.most:,.12g}" if not value < limit.least else f"at least {limit.least:,.12g}"
        raise PlaygroundError(
            f"{title} cannot be read: {key} in {file} is {value:,.12g}, and may be {bound} ({limit.near}). Choose "
            "another model."
        )


def check_numbers(title: str, file: str, values: Any) -> None:
    """Refuse a configuration with a number out of its range, however deep it is nested."""
    for key, value in _numbers(values, ""):
        if key in BY_KEY:
            refuse(title, file, key, value, BY_KEY[key])


def _numbers(value: Any, key: str) -> Iterator[tuple[str, float]]:
    """(key, number) of a value of JSON; those of a list have the list's key."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _numbers(inner, str(name))
    elif isinstance(value, list):
        for inner in value:
            yield from _numbers(inner, key)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield key, value
