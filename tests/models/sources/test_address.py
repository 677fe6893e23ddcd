"""However a model's address is pasted, it names the model."""

import pytest

from playground.models.sources.address import model_name
from playground.models.sources.hub import find_source, is_on_this_machine
from tests.models.test_loading import llama, save_model


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("gpt2", "gpt2"),
        (' "Qwen/Qwen3-0.6B" ', "Qwen/Qwen3-0.6B"),
        ("\u201cgpt2@607a30d\u201d", "gpt2@607a30d"),
        ("https://huggingface.co/Qwen/Qwen3-0.6B", "Qwen/Qwen3-0.6B"),
        ("https://huggingface.co/Qwen/Qwen3-0.6B/tree/main", "Qwen/Qwen3-0.6B"),
        ("https://huggingface.co/gpt2/", "gpt2"),
        ("HF.co/Qwen/Qwen3-0.6B?library=transformers", "Qwen/Qwen3-0.6B"),
        ("hf.co/gpt2/blob/607a30d/config.json", "gpt2@607a30d"),
        ("http://www.huggingface.co/gpt2/resolve/v1/model.safetensors#L1", "gpt2@v1"),
        ("Qwen/Qwen3-0.6B/tree/main", "Qwen/Qwen3-0.6B"),
        ("/models/mine/config.json", "/models/mine"),
        ("'../mine/model.safetensors'", "../mine"),
        ("config.json", "."),
        ("hf.co/me/m-GGUF/blob/main/m.Q4.gguf", "me/m-GGUF:m.Q4.gguf"),
        ("https://huggingface.co/me/m-GGUF/resolve/v1/q/m.gguf?download=true", "me/m-GGUF@v1:q/m.gguf"),
        (" 'm.Q4.gguf' ", "m.Q4.gguf"),
        ("~/some/tree/main", "~/some/tree/main"),
        ("  ", ""),
        ("https://example.org/gpt2", "https://example.org/gpt2"),
    ],
)
def test_an_address_is_reduced_to_what_it_names(address, name):
    assert model_name(address) == name
    assert model_name(name) == name


def test_a_folder_is_found_by_a_file_in_it_or_in_quotes(tmp_path):
    name = save_model(tmp_path / "m", llama())
    for address in (f"{name}/config.json", f'"{name}"', f" {name} ", f"{name}/model.safetensors"):
        assert find_source(address).folder == tmp_path / "m" and is_on_this_machine(address)
