"""Models whose layers see a sliding window write what transformers' `generate` writes, in trees too."""

from functools import cache

import pytest
import torch
from transformers import (
    AutoModelForCausalLM,
    Gemma2Config,
    Gemma3TextConfig,
    GPTNeoConfig,
    MistralConfig,
    Phi3Config,
)

from playground.decoding.decode import Request
from playground.decoding.method import methods
from playground.errors import PlaygroundError
from playground.models.language_model import LanguageModel
from playground.models.loading import Models
from playground.models.passes.lean_pass import is_llama_shaped
from playground.models.passes.windows import layer_windows, narrowed, shortest_window
from playground.models.proof import check_tree_mask
from playground.models.sampling import Sampling
from playground.tree import TokenTree
from tests.decoding.runs import tokens
from tests.models.small import Numbers
from tests.models.test_loading import save_model

LONGEST, LENGTH, PROMPT = 256, 14, (5, 9, 17, 3, 3, 8)
LOUD = 6.0  # times the weights that a model begins with
SHAPE = {
    "vocab_size": 61, "hidden_size": 32, "intermediate_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2,
    "max_position_embeddings": LONGEST, "bos_token_id": None, "eos_token_id": None, "pad_token_id": 0,
}  # fmt: skip
KINDS = ["sliding_attention", "full_attention"]
NEO = {
    "vocab_size": 61, "hidden_size": 32, "intermediate_size": 64, "num_heads": 4,
    "max_position_embeddings": LONGEST, "bos_token_id": None, "eos_token_id": None,
}  # fmt: skip


def config(family, window, layers=4):
    """Of a small model of this family."""
    shape = SHAPE | {"num_hidden_layers": layers, "sliding_window": window}
    match family:
        case "gemma 2":
            return Gemma2Config(**shape, head_dim=8)
        case "gemma 3":
            return Gemma3TextConfig(**shape, head_dim=8, layer_types=KINDS * (layers // 2))
        case "mistral":
            return MistralConfig(**shape)
        case "phi 3":
            return Phi3Config(**shape, original_max_position_embeddings=LONGEST)
        case "gpt-neo":
            kinds = [[["global", "local"], layers // 2]]
            return GPTNeoConfig(**NEO, num_layers=layers, window_size=window, attention_types=kinds)
    raise ValueError(family)


FAMILIES = ("gemma 2", "gemma 3", "mistral", "phi 3", "gpt-neo")


def model_of(shape, seed=0):
    """A model with weights large enough that what it sees decides what it says."""
    torch.manual_seed(seed)
    model = AutoModelForCausalLM.from_config(shape, dtype=torch.float32).eval()
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim > 1:
                weight.mul_(LOUD)
    model.generation_config.eos_token_id = None
    return LanguageModel(model, Numbers(), name="windowed", vocab_size=61)


def written(method, target, draft, **options):
    return tokens(Request(methods()[method](**options), target, "", draft, Sampling(0.0), 0, LENGTH, PROMPT))


def generated(target, **how):
    prompt = torch.tensor([PROMPT])
    return target.model.generate(
        prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=LENGTH, do_sample=False, pad_token_id=0, **how
    )[0, len(PROMPT) :].tolist()


@cache
def text_of_generate(family, window):
    return generated(model_of(config(family, window)))


@pytest.mark.parametrize("window", [8, 32])
@pytest.mark.parametrize("family", FAMILIES)
def test_greedy_text_is_that_of_generate_with_a_window_shorter_and_longer_than_the_run(family, window):
    target, draft = (
        check_tree_mask(model_of(config(family, window))),
        check_tree_mask(model_of(config(family, window, layers=2), seed=1)),
    )
    expected = text_of_generate(family, window)
    for method in ("autoregressive", "speculative_sampling", "rsd_s"):
        assert written(method, target, draft) == expected, method
    assert written("beam_search", target, None) == generated(target, num_beams=4)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_node_of_a_tree_behind_a_window_says_what_its_path_alone_says(family):
    """Branches begin before the window, inside it, and at its edge; some are cut off and grow again."""
    model = model_of(config(family, 4))
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
def test_a_window_changes_what_is_said(family):
    """So that the tests above could fail."""
    assert text_of_generate(family, 8) != text_of_generate(family, 32)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_window_as_long_as_the_longest_text_is_none(family):
    assert shortest_window(config(family, LONGEST)) is None
    assert shortest_window(config(family, LONGEST - 1)) == LONGEST - 1
    assert set(layer_windows(config(family, 8))) <= {8, None}


def test_the_lean_pass_is_for_models_without_a_window():
    assert is_llama_shaped(model_of(config("mistral", LONGEST)).model)
    assert not is_llama_shaped(model_of(config("mistral", LONGEST - 1)).model)


def test_the_proof_is_of_a_tree_longer_than_the_window_whatever_that_is(monkeypatch):
    model = model_of(config("gemma 3", 128))
    assert check_tree_mask(model) is model
    monkeypatch.setattr("playground.models.passes.windows.WindowMasks.hide", lambda *_: False)
    with pytest.raises(PlaygroundError, match="does not follow a tree attention mask"):
        check_tree_mask(model)
    assert model.config.sliding_window == 128


def test_windows_are_as_wide_as_before_once_the_proof_is_over():
    shape = config("mistral", 128)
    with narrowed(shape, 4):
        assert shortest_window(shape) == 4
    assert shortest_window(shape) == 128


def test_a_model_with_windows_is_loaded_from_its_files(tmp_path):
    assert Models(save_model(tmp_path / "m", config("gemma 3", 8))).load().target.forward_pass.name == "transformers"
