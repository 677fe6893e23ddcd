"""Everyone's names for acceptance, in ours; and whether the token that the target adds is counted."""

from __future__ import annotations

from typing import NamedTuple


class Name(NamedTuple):
    """One number, as one server calls it."""

    server: str
    theirs: str
    ours: str
    extra: str  # whether the correction or bonus token is counted


NAMES = (
    Name("vLLM", "mean_acceptance_length", "block efficiency: 1 + accepted / steps", "counted"),
    Name("vLLM", "draft_acceptance_rate", "draft efficiency: accepted / drafted", "not counted"),
    Name("vLLM", "num_spec_steps, num_drafts", "rounds that drafted", ""),
    Name("vLLM before 0.8", "Number of accepted tokens", "also those behind a rejection, never emitted", "not counted"),
    Name("vLLM before 0.8", "System efficiency", "emitted / (rounds × (draft length + 1))", "counted"),
    Name("vLLM", "Per-position acceptance rate", "survival: rounds that accepted it / rounds", "not counted"),
    Name("SGLang", "spec_accept_length", "block efficiency: emitted / rounds", "counted"),
    Name("SGLang", "spec_accept_rate", "draft efficiency: accepted / (rounds × width)", "not counted"),
    Name("SGLang", "accept len", "block efficiency: emitted / rounds", "counted"),
    Name("SGLang", "accept rate", "emitted or accepted / (rounds × width)", "it depends"),
    Name("SGLang", "spec_verify_ct", "rounds", ""),
    Name("SGLang", "accept_lengths", "emitted in each round", "counted"),
    Name("llama.cpp", "draft acceptance rate", "draft efficiency: accepted / drafted", "not counted"),
    Name("llama.cpp", "draft_n, draft_n_accepted", "drafted, accepted", "not counted"),
    Name("llama.cpp", "mean acceptance length", "block efficiency: 1 + accepted / rounds", "counted"),
    Name("llama.cpp", "mean len, #mean acc len", "block efficiency: 1 + accepted / rounds", "counted"),
    Name("llama.cpp", "#gen drafts", "rounds, since the server began", ""),
    Name("mlx-vlm", "draft_rounds", "rounds", ""),
    Name("TensorRT-LLM", "acceptanceLength", "block efficiency of one iteration", "counted"),
    Name("TensorRT-LLM", "numRequestsWithDraftTokens", "rounds of one iteration", ""),
    Name("LM Studio", "ignored_draft_tokens_count", "drafted and not tested", "not counted"),
    Name("AIPerf", "mean_acceptance_length", "block efficiency: 1 + accepted / rounds", "counted"),
    Name("profiles", "marginal_accept_rates", "survival: rounds that accepted it / rounds", "not counted"),
    Name("profiles", "conditional_accept_rates", "of the rounds that accepted all before it", "not counted"),
    Name("transformers", "n_matches", "accepted in a round", "not counted"),
    Name("transformers", "num_assistant_tokens", "draft length", "not counted"),
    Name("papers", "alpha, acceptance rate", "acceptance per position: accepted / reached", "not counted"),
    Name("papers", "average acceptance length", "block efficiency or accepted per round: one apart", "it depends"),
)
