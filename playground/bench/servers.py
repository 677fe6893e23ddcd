"""Defaults of servers, as far as the methods here have them, with sources.

What is left out on purpose is what the methods here do not model: batches, trained heads, kernels. Defaults change;
each has the version that it was read from.
"""

from dataclasses import dataclass

from playground.words import word


@dataclass(frozen=True, slots=True)
class Server:
    """One server's default: the rule in a sentence, the entry of a race that comes nearest, and how it differs."""

    name: str
    version: str
    entry: str
    rule: str
    source: str
    otherwise: str = ""


SERVERS = (
    Server(
        "transformers",
        word("race_server_since"),
        "speculative_sampling:draft_length=20:stop_below=0.4",
        word("race_server_transformers"),
        "github.com/huggingface/transformers/pull/33657",
    ),
    Server(
        "vLLM",
        word("race_server_v1"),
        "greedy_draft:draft_length=5",
        word("race_server_vllm"),
        "github.com/vllm-project/vllm/pull/16899",
        word("race_server_length", length=5),
    ),
    Server(
        "SGLang",
        word("race_server_undated"),
        "dynamic_tree:total_tokens=7",
        word("race_server_sglang"),
        "docs.sglang.io/advanced_features/speculative_decoding.html",
        word("race_server_sglang_head"),
    ),
    Server(
        "llama.cpp",
        "b8400",
        "greedy_draft:draft_length=16:stop_below=0.75",
        word("race_server_llama"),
        "github.com/ggml-org/llama.cpp/issues/26100",
        word("race_server_llama_threshold"),
    ),
    Server(
        "TensorRT-LLM",
        "1.4.0rc1",
        "greedy_draft:draft_length=3",
        word("race_server_trtllm"),
        "github.com/NVIDIA/TensorRT-LLM/pull/15775",
        word("race_server_length", length=3),
    ),
)
RULES = (
    "speculative_sampling",
    "greedy_draft",
    "sample_and_match",
)  # Servers choose from these, which race at equal lengths.
