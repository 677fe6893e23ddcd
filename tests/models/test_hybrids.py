"""A hybrid's greedy text is that of `generate` for any prompt by six methods; the command tries 200 prompts a type."""

from playground.metrics.summary import summarise
from playground.models.proof import prove
from tests.models import hybrids
from tests.models.small import generated
from tests.models.test_path_pass import made


def test_random_prompts_by_six_methods_are_written_as_by_generate():
    model = prove(made("qwen3_5_text"))
    assert len(hybrids.METHODS) == 6
    for prompt in hybrids.prompts(20):
        expected = generated(model.model, prompt, 12)
        assert all(summarise(trace)["token_ids"] == expected for trace in hybrids.traces(model, prompt, 12))
