"""Models whose layers see a sliding window, in trees; that they write what `generate` writes is in test_registry.py."""

import pytest
import torch
from transformers import (
    Gemma2Config,
    Gemma3TextConfig,
    GPTNeoConfig,
    MistralConfig,
    Phi3Config,
)

from playground.models.loading import Models
from playground.models.passes.lean_pass import is_llama_shaped
from playground.models.passes.windows import layer_windows, narrowed, shortest_window
from playground.models.proof import prove
from playground.tree import TokenTree
from tests.models.small import random_of
from tests.models.test_loading import save_model

LONGEST = 256
SHAPE = {
    "vocab_size": 61, "hidden_size": 32, "intermediate_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2,
    "num_hidden_layers": 4, "max_position_embeddings": LONGEST, "bos_token_id": None, "eos_token_id": None,
    "pad_token_id": 0,
}  # fmt: skip
KINDS = ["sliding_attention", "full_attention"]
NEO = {
    "vocab_size": 61, "hidden_size": 32, "intermediate_size": 64, "num_heads": 4, "num_layers": 4,
    "attention_types": [[["global", "local"], 2]], "max_position_embeddings": LONGEST, "bos_token_id": None,
    "eos_token_id": None,
}  # fmt: skip


def config(family, window):
    """Of a small model of this family."""
    shape = SHAPE | {"sliding_window": window}
    match family:
        case "gemma 2":
            return Gemma2Config(**shape, head_dim=8)
        case "gemma 3":
            return Gemma3TextConfig(**shape, head_dim=8, layer_types=KINDS * 2)
        case "mistral":
            return MistralConfig(**shape)
        case "phi 3":
            return Phi3Config(**shape, original_max_position_embeddings=LONGEST)
        case "gpt-neo":
            return GPTNeoConfig(**NEO, window_size=window)
    raise ValueError(family)


FAMILIES = ("gemma 2", "gemma 3", "mistral", "phi 3", "gpt-neo")


@pytest.mark.parametrize("family", FAMILIES)
def test_every_node_of_a_tree_behind_a_window_says_what_its_path_alone_says(family):
    """Branches begin before the window, inside it, and at its edge; some are cut off and grow again."""
    model = random_of(config(family, 4))
    tree = TokenTree(list(range(1, 4)))
    nodes = list(tree.trunk)
    for step in range(24):
        nodes.append(tree.add(nodes[max(2, len(nodes) - 1 - 2 * (step % 3))], 10 + step))
    with torch.inference_mode():
        for request in (nodes[3:12], nodes[12:]):
            alone = [model.logits(TokenTree(tree.context(node)), [tree.depths[node]]) for node in request]
            torch.testing.assert_close(model.logits(tree, request), torch.cat(alone), rtol=1e-4, atol=1e-4)
        tree.retain([nodes[-1]])
        last = [tree.add(nodes[-1], 50), tree.add(nodes[-1], 51)]
        alone = [model.logits(TokenTree(tree.context(node)), [tree.depths[node]]) for node in last]
        torch.testing.assert_close(model.logits(tree, last), torch.cat(alone), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_window_hides_nothing_of_a_tree_that_has_more_nodes_than_it_but_no_path_as_long(family):
    model = random_of(config(family, 6))
    tree = TokenTree([1, 2])
    nodes = [tree.add(tree.trunk[-1], 10 + branch) for branch in range(8)]
    nodes += [tree.add(node, 20) for node in nodes]
    with torch.inference_mode():
        alone = [model.logits(TokenTree(tree.context(node)), [tree.depths[node]]) for node in nodes]
        torch.testing.assert_close(model.logits(tree, nodes), torch.cat(alone), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_window_as_long_as_the_longest_text_is_none(family):
    assert shortest_window(config(family, LONGEST)) is None
    assert shortest_window(config(family, LONGEST - 1)) == LONGEST - 1
    assert set(layer_windows(config(family, 8))) <= {8, None}


def test_the_lean_pass_is_for_models_without_a_window():
    assert is_llama_shaped(random_of(config("mistral", LONGEST)).model)
    assert not is_llama_shaped(random_of(config("mistral", LONGEST - 1)).model)


def test_the_proof_is_of_a_tree_longer_than_the_window_whatever_that_is(monkeypatch):
    model = random_of(config("gemma 3", 128))
    assert prove(model) is model
    monkeypatch.setattr("playground.models.passes.windows.WindowMasks.hide", lambda *_: False)
    assert prove(model).forward_pass.name == "transformers, paths as rows, state cut"
    assert model.config.sliding_window == 128


def test_windows_are_as_wide_as_before_once_the_proof_is_over():
    model = random_of(config("mistral", 128)).model
    with narrowed(model, 4):
        assert shortest_window(model.config) == 4
    assert shortest_window(model.config) == 128


def test_a_model_with_windows_is_loaded_from_its_files(tmp_path):
    assert Models(save_model(tmp_path / "m", config("gemma 3", 8))).load().target.forward_pass.name == "transformers"
