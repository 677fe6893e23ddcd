"""Everyone's names for acceptance, in ours, with whether the target's own token counts; and what starts speculation."""

from collections.abc import Sequence
from typing import NamedTuple

from playground.words import listed, word


class Name(NamedTuple):
    """One number, as one server calls it."""

    server: str
    theirs: str
    ours: str
    extra: str  # whether the correction or bonus token is counted


_COUNTED, _NOT_COUNTED, _IT_DEPENDS = word("log_counted"), word("log_not_counted"), word("log_it_depends")
_OLD_VLLM, _PROFILES, _PAPERS = word("log_vllm_before", version="0.8"), word("log_profiles"), word("log_papers")
_BLOCK_EFFICIENCY = word("log_is_block")
NAMES = (
    Name("vLLM", "mean_acceptance_length", _BLOCK_EFFICIENCY, _COUNTED),
    Name("vLLM", "draft_acceptance_rate", word("log_is_efficiency"), _NOT_COUNTED),
    Name("vLLM", "num_spec_steps, num_drafts", word("log_is_rounds_drafted"), ""),
    Name(_OLD_VLLM, "Number of accepted tokens", word("log_is_behind"), _NOT_COUNTED),
    Name(_OLD_VLLM, "System efficiency", word("log_is_system"), _COUNTED),
    Name("vLLM", "Per-position acceptance rate", word("log_is_survival"), _NOT_COUNTED),
    Name("SGLang", "spec_accept_length", word("log_is_block_emitted"), _COUNTED),
    Name("SGLang", "spec_accept_rate", word("log_is_efficiency_width"), _NOT_COUNTED),
    Name("SGLang", "accept len", word("log_is_block_emitted"), _COUNTED),
    Name("SGLang", "accept rate", word("log_is_rate_width"), _IT_DEPENDS),
    Name("SGLang", "spec_verify_ct", word("log_rounds"), ""),
    Name("SGLang", "accept_lengths", word("log_is_emitted"), _COUNTED),
    Name("llama.cpp", "draft acceptance rate", word("log_is_efficiency"), _NOT_COUNTED),
    Name("llama.cpp", "draft_n, draft_n_accepted", word("log_is_both"), _NOT_COUNTED),
    Name("llama.cpp", "mean acceptance length", _BLOCK_EFFICIENCY, _COUNTED),
    Name("llama.cpp", "mean len, #mean acc len", _BLOCK_EFFICIENCY, _COUNTED),
    Name("llama.cpp", "#gen drafts", word("log_is_since"), ""),
    Name("mlx-vlm", "draft_rounds", word("log_rounds"), ""),
    Name("TensorRT-LLM", "acceptanceLength", word("log_is_block_iteration"), _COUNTED),
    Name("TensorRT-LLM", "numRequestsWithDraftTokens", word("log_is_rounds_iteration"), ""),
    Name("LM Studio", "ignored_draft_tokens_count", word("log_is_not_tested"), _NOT_COUNTED),
    Name("AIPerf", "mean_acceptance_length", _BLOCK_EFFICIENCY, _COUNTED),
    Name(_PROFILES, "marginal_accept_rates", word("log_is_survival"), _NOT_COUNTED),
    Name(_PROFILES, "conditional_accept_rates", word("log_is_conditional"), _NOT_COUNTED),
    Name("transformers", "n_matches", word("log_is_accepted"), _NOT_COUNTED),
    Name("transformers", "num_assistant_tokens", word("chart_draft_length"), _NOT_COUNTED),
    Name(_PAPERS, "alpha, acceptance rate", word("log_is_per_position"), _NOT_COUNTED),
    Name(_PAPERS, "average acceptance length", word("log_is_block_or_accepted"), _IT_DEPENDS),
)
_OPTIONS = {
    "vLLM": "--speculative-config",
    "SGLang": "--speculative-algorithm",
    "llama.cpp": "--model-draft, --spec-type",
    "TensorRT-LLM": "speculative_config",
    "mlx-vlm": "--draft-model",
    "LM Studio": "draft_model",
    "OpenVINO": "draft_model",
    "transformers": "assistant_model, prompt_lookup_num_tokens",
}


def option_of(servers: Sequence[str]) -> str:
    """Name the options by which these servers speculate."""
    return listed([_OPTIONS.get(server, word("log_option_unnamed")) for server in servers])
