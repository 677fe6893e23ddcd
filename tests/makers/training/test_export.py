import json

import pytest
import torch
from safetensors import SafetensorError
from transformers import LlamaForCausalLM

from playground.errors import PlaygroundError
from playground.makers.training import export as module
from playground.makers.training.export import export, read_exported
from playground.makers.training.network import Network
from playground.makers.training.text.tokenizer import learn_tokenizer
from playground.models.loading import Models
from playground.models.sources.placement import find_placement
from playground.tree import TokenTree
from tests.makers.training.tiny import SHAPE, prose


@pytest.fixture
def tokenizer(tmp_path):
    learn_tokenizer([prose()], SHAPE.vocab).save(str(tmp_path / "tokenizer.json"))
    return tmp_path / "tokenizer.json"


def trained(seed=0):
    network = Network(SHAPE)
    draws = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weight in network.parameters():
            weight.copy_((torch.randn(weight.shape, generator=draws) * 0.4).bfloat16())  # so that nothing is rounded
    return network.eval()


@torch.inference_mode()
def test_an_exported_network_is_loaded_as_a_pair_with_the_same_logits(tmp_path, tokenizer):
    network = trained()
    export(network, tokenizer, tmp_path / "target")
    models = Models(str(tmp_path / "target"), placement=find_placement(dtype="float32"))
    target = models.load().target
    ids = target.vocabulary.encode("The fox saw the captain")
    logits = target.logits(TokenTree(ids), [len(ids) - 1])
    torch.testing.assert_close(logits[0], network(torch.tensor([ids]))[0, -1], rtol=1e-4, atol=1e-4)


def test_a_prompt_gets_no_special_token_and_a_text_ends_with_one(tmp_path, tokenizer):
    export(trained(), tokenizer, tmp_path / "target")
    target = Models(str(tmp_path / "target")).load().target
    assert target.vocabulary.decode(target.vocabulary.encode("A fox")) == "A fox"
    assert target.eos_ids == {0} and target.config.bos_token_id is None


def test_weights_come_in_shards_of_bfloat16(tmp_path, tokenizer, monkeypatch):
    monkeypatch.setattr(module, "SHARD", "10KB")
    export(trained(), tokenizer, tmp_path / "target")
    sizes = [file.stat().st_size for file in (tmp_path / "target").glob("*.safetensors")]
    assert len(sizes) > 1 and max(sizes) < 20_000
    assert json.loads((tmp_path / "target" / "config.json").read_text())["dtype"] == "bfloat16"


def test_an_earlier_export_is_replaced(tmp_path, tokenizer):
    for seed in (1, 2):
        export(trained(seed), tokenizer, tmp_path / "target")
    assert torch.equal(read_exported(tmp_path / "target").lm_head.weight, trained(2).lm_head.weight)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["target", "tokenizer.json"]


@pytest.mark.parametrize("full", [OSError(28, "No space left on device"), SafetensorError("I/O error: No space left")])
def test_a_full_disk_is_a_sentence_and_leaves_the_export_before_it(tmp_path, tokenizer, monkeypatch, full):
    export(trained(1), tokenizer, tmp_path / "target")

    def fill(*_, **__):
        raise full

    monkeypatch.setattr(LlamaForCausalLM, "save_pretrained", fill)
    with pytest.raises(PlaygroundError, match=r"cannot be written: .*No space left.*\. Make room"):
        export(trained(2), tokenizer, tmp_path / "target")
    assert torch.equal(read_exported(tmp_path / "target").lm_head.weight, trained(1).lm_head.weight)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["target", "tokenizer.json"]


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(PlaygroundError, match="holds no model"):
        read_exported(tmp_path)
