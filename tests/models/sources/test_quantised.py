"""Quantised weights of others: a kind that is read writes what `generate` writes, each other is refused by its name."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, GptOssConfig, LlamaConfig

from playground.decoding.decode import Request
from playground.decoding.method import make_method
from playground.errors import PlaygroundError
from playground.models.loading import Models
from playground.models.sampling import Sampling
from playground.models.sources import number_formats
from playground.models.sources.placement import find_placement
from playground.models.sources.quantised import NOT_READ, READ, find_quantised
from tests.decoding.runs import tokens
from tests.models.small import generated
from tests.models.test_loading import save_model

SIZES = {
    "vocab_size": 8, "hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 16, "max_position_embeddings": 64, "eos_token_id": None, "pad_token_id": None,
}  # fmt: skip


def configure(folder, **about):
    file = folder / "config.json"
    file.write_text(json.dumps((json.loads(file.read_text()) if file.exists() else {}) | about))


def in_fp8(name, weight):
    """Return a matrix as E4M3 numbers and one scale."""
    scale = weight.abs().max() / 448
    return {name: (weight / scale).to(torch.float8_e4m3fn), f"{name}_scale_inv": scale.reshape(1, 1)}


def in_mxfp4(name, weight):
    """Return random blocks of a matrix of experts, 32 numbers of 4 bits each, and their scales."""
    experts, inputs, outputs = weight.shape
    shape = (experts, outputs, inputs // 32)
    blocks = torch.randint(0, 256, (*shape, 16), dtype=torch.uint8)
    return {f"{name}_blocks": blocks, f"{name}_scales": torch.full(shape, 124, dtype=torch.uint8)}


FILES = {
    "fp8": (LlamaConfig(**SIZES), in_fp8, "layers.*proj.weight", {"weight_block_size": [128, 128]}),
    "mxfp4": (
        GptOssConfig(**SIZES, num_local_experts=4, num_experts_per_tok=2, sliding_window=8), in_mxfp4,
        "experts.*_proj", {"modules_to_not_convert": ["*.self_attn", "*.router", "model.embed_tokens", "lm_head"]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", FILES)
def test_a_kind_that_is_read_writes_what_generate_writes(kind, tmp_path):
    pytest.importorskip("accelerate")
    config, quantise, names, about = FILES[kind]
    folder = save_model(tmp_path, config)
    torch.manual_seed(1)
    quantised = {}
    for name, weight in load_file(tmp_path / "model.safetensors").items():
        inside, end = names.split("*")
        quantised |= quantise(name, 9 * weight) if inside in name and name.endswith(end) else {name: weight}
    save_file(quantised, tmp_path / "model.safetensors", metadata={"format": "pt"})
    configure(tmp_path, quantization_config={"quant_method": kind} | about)
    model = AutoModelForCausalLM.from_pretrained(folder).eval()
    expected = generated(model, (1, 2, 3), 24)
    models = Models(folder, folder, placement=find_placement("cpu"))
    pair = models.load()
    request = Request(make_method("rsd_s", {}), pair.target, "", pair.draft, Sampling(0.0), 0, 24, (1, 2, 3))
    assert tokens(request) == expected
    held = sum(weight.nbytes for weight in pair.target.model.parameters())
    assert models.memory().weights_bytes >= 2 * held  # There are two models, and the scales' bytes count as weights.


@pytest.mark.parametrize("kind", NOT_READ)
def test_a_kind_that_is_not_read_is_refused_by_its_name(kind, tmp_path):
    about = {"quantization": {"bits": 4}} if kind == "mlx" else {"quantization_config": {"quant_method": kind}}
    configure(tmp_path, **about)
    with pytest.raises(PlaygroundError, match="Choose a GGUF file of the same model") as caught:
        find_quantised(tmp_path, "it")
    assert f"it is quantised by {NOT_READ[kind]}, " in str(caught.value)


@pytest.mark.parametrize("about", [[1], {"bits": 4}, {"quant_method": "of tomorrow"}])
def test_a_kind_without_a_name_is_refused_too(about, tmp_path):
    configure(tmp_path, quantization_config=about)
    with pytest.raises(PlaygroundError, match=r"that its config\.json does not name|by of tomorrow"):
        find_quantised(tmp_path, "it")


@pytest.mark.parametrize("kind", READ)
def test_a_missing_package_is_named(kind, tmp_path, monkeypatch):
    assert find_quantised(tmp_path, "no configuration") is None
    configure(tmp_path, quantization_config=None)
    assert find_quantised(tmp_path, "plain numbers") is None
    configure(tmp_path, quantization_config={"quant_method": kind})
    monkeypatch.setattr(number_formats, "find_spec", lambda name: None)
    with pytest.raises(PlaygroundError, match=f"pip install {' '.join(READ[kind].packages)}"):
        find_quantised(tmp_path, "it")
