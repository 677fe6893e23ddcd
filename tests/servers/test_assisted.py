"""The recorder around transformers' own speculation, with two models of a few thousand parameters."""

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from playground.errors import PlaygroundError
from playground.models.assisted import recorded
from playground.servers.findings import findings
from playground.servers.reading import load_log, read_log


def model(seed: int) -> LlamaForCausalLM:
    torch.manual_seed(seed)
    sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    return LlamaForCausalLM(
        LlamaConfig(vocab_size=32, eos_token_id=None, bos_token_id=None, pad_token_id=0, **sizes)
    ).eval()


def generate(target: LlamaForCausalLM, draft: LlamaForCausalLM) -> torch.Tensor:
    prompt = torch.tensor([[1, 2, 3]])
    mask = torch.ones_like(prompt)
    return target.generate(prompt, attention_mask=mask, assistant_model=draft, max_new_tokens=20, do_sample=False)


def test_what_is_recorded_adds_up_to_the_text_and_changes_no_token(tmp_path):
    target, draft = model(0), model(1)
    plain = generate(target, draft)
    with recorded(target) as log:
        text = generate(target, draft)
        generate(target, target)
    assert torch.equal(text, plain)
    log.save(tmp_path / "steps.jsonl")
    records = load_log(tmp_path / "steps.jsonl").records
    earlier = (tmp_path / "steps.jsonl").read_text().replace('"rounds"', '"steps"')  # The first version wrote it so.
    assert tuple(records) == read_log(earlier.encode()).records
    assert [record.emitted for record in records] == [20, 20] and findings(records).level == "tokens"
    assert records[1].drafted == records[1].accepted, "a model accepts all that it drafts for itself"
    for record, call in zip(records, log.calls, strict=True):
        ends = len(call["rounds"])
        assert record.accepted is not None and ends <= 20 - record.accepted <= ends + 1
    tokens = text[0, 3:].tolist()
    for round in log.calls[0]["rounds"]:
        kept = round["drafted"][: round["accepted"]]
        assert tokens[: len(kept)] == kept
        tokens = tokens[len(kept) + 1 :]


def test_afterwards_nothing_is_recorded():
    target = model(0)
    with recorded(target) as log:
        pass
    generate(target, model(1))
    assert log.calls == []


def test_what_cannot_be_recorded_is_refused():
    with pytest.raises(PlaygroundError, match="transformers 5"), recorded(object()):
        pass
