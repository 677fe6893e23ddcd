"""Defaults of servers, as far as the methods here have them, with sources.

What is left out on purpose is what the methods here do not model: batches, trained heads, kernels. Defaults change;
each stands with the version that it was read of.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Server:
    """One server's default.

    Attributes:
        name: of the server.
        version: that the default was read of.
        entry: the same here, as a race writes it.
        rule: what it does, in a sentence.
        source: where that is said.
        otherwise: what is not the same here; "" where nothing is known to differ.
    """

    name: str
    version: str
    entry: str
    rule: str
    source: str
    otherwise: str = ""


SERVERS = (
    Server(
        "transformers",
        "since 4.45",
        "speculative_sampling:draft_length=20:stop_below=0.4",
        "Drafts are sampled, up to 20, and end behind the first with q under 0.4; min(1, p/q) judges them.",
        "github.com/huggingface/transformers/pull/33657",
    ),
    Server(
        "vLLM",
        "V1 since April 2025",
        "greedy_draft:draft_length=5",
        "The draft model's most likely tokens, each kept with probability p.",
        "github.com/vllm-project/vllm/pull/16899",
        "It has no default length; its documentation of 0.6.4 drafts 5.",
    ),
    Server(
        "SGLang",
        "documentation of EAGLE, undated",
        "dynamic_tree:total_tokens=7",
        "A tree of 5 levels, the 4 likeliest at each, 8 tokens judged; the text's last token is one of the 8.",
        "docs.sglang.io/advanced_features/speculative_decoding.html",
        "It drafts with a trained head, here with a draft model.",
    ),
    Server(
        "llama.cpp",
        "b8400",
        "greedy_draft:draft_length=16:stop_below=0.75",
        "The most likely tokens, up to 16, ended where the draft model is less than 0.75 sure; kept where the target "
        "draws the same.",
        "github.com/ggml-org/llama.cpp/issues/26100",
        "Its sureness is that before temperature. Since pull 22506 the token that it doubts is not judged; newer "
        "builds have no threshold.",
    ),
    Server(
        "TensorRT-LLM",
        "1.4.0rc1",
        "greedy_draft:draft_length=3",
        "The most likely tokens, each kept where the target draws the same.",
        "github.com/NVIDIA/TensorRT-LLM/pull/15775",
        "It has no default length; its documentation drafts 3.",
    ),
)
RULES = (
    "speculative_sampling",
    "greedy_draft",
    "sample_and_match",
)  # those they choose from, at equal lengths
