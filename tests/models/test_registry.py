"""A sample of transformers' causal language models: each writes what `generate` writes, or is refused in a sentence.

All of them: python -m tests.models.registry.
"""

import pytest

from tests.models.registry import EQUAL, REFUSED, try_model

RUN = (
    "bart", "bert", "deepseek_v3", "doge", "falcon", "gemma2", "gemma3", "gemma3_text", "gpt_bigcode", "gpt_neo",
    "gpt_neox", "gpt_oss", "granite", "mistral", "mixtral", "olmo3", "opt", "phi3", "qwen3", "recurrent_gemma",
    "smollm3",
)  # fmt: skip
NOT_RUN = {
    "xlnet": "does not run on cpu",  # it is told which token to write, by a permutation
}


@pytest.mark.parametrize("name", RUN)
def test_a_model_that_runs_writes_what_generate_writes(name, tmp_path):
    assert try_model(name, tmp_path).word == EQUAL


@pytest.mark.parametrize("name", NOT_RUN)
def test_a_model_that_does_not_run_is_refused_in_a_sentence(name, tmp_path):
    outcome = try_model(name, tmp_path)
    assert outcome.word == REFUSED and NOT_RUN[name] in outcome.why, outcome
