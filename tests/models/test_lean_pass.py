"""The lean pass computes what transformers' own pass computes, in a tree, after pruning and past every block."""

import random
from types import SimpleNamespace

import pytest
import torch

from playground.errors import PlaygroundError
from playground.models import proof
from playground.models.language_model import LanguageModel
from playground.models.passes import lean_pass
from playground.models.passes.lean_pass import LeanPass, is_llama_shaped
from playground.models.passes.slots import BLOCK
from playground.tree import TokenTree
from tests.models.small import LEAN, SHAPES, Numbers, random_model
from tests.models.test_language_model import assert_exact, assert_exact_while_growing


@pytest.mark.parametrize("shape", LEAN)
def test_every_node_of_a_growing_tree(shape):
    """As for transformers' own pass, and against it."""
    assert_exact_while_growing(random_model(shape, lean=True), 8, shape)


@pytest.mark.parametrize("shape", ["llama", "llama 3", "qwen3"])
def test_texts_longer_than_a_block_of_slots(shape):
    """Read in pieces on both sides of the border, so that slots and positions both have to grow."""
    model, rng = random_model(shape, lean=True), random.Random(shape)
    model.max_positions = 2 * BLOCK
    tree = TokenTree([rng.randrange(61) for _ in range(BLOCK - 2)])
    model.logits(tree, [tree.trunk[-1]])
    leaf = tree.trunk[-1]
    for _ in range(5):
        fork = [tree.add(leaf, token) for token in (1, 2)]
        leaf = tree.add(fork[1], 3)
        assert_exact(model, tree, [*fork, leaf])
        tree.retain([leaf])


def test_the_model_keeps_its_weights_once():
    """The fused matrices are the model's own: loading takes no second copy of the layers."""
    model = random_model("llama", lean=True).model
    attention, network = model.model.layers[0].self_attn, model.model.layers[0].mlp
    for first, second in ((attention.q_proj, attention.v_proj), (network.gate_proj, network.up_proj)):
        assert first.weight.untyped_storage().data_ptr() == second.weight.untyped_storage().data_ptr()


def test_slots_take_the_memory_that_is_told():
    model, tree = random_model("llama", lean=True), TokenTree([3, 1, 4])
    model.logits(tree, [2])
    config = model.config
    one = 2 * config.num_hidden_layers * config.num_key_value_heads * config.head_dim * 4
    assert model.bytes_per_token == one and model.cache_bytes(tree) == 3 * one


@pytest.mark.parametrize("shape", SHAPES)
def test_a_model_is_run_lean_where_that_is_proved(shape):
    model = proof.try_fast_pass(random_model(shape))
    assert model.facts()["forward_pass"] == ("lean" if shape in LEAN else "transformers")


def test_a_pass_that_computes_something_else_is_not_used(monkeypatch):
    """A turn that forgets its sign, as if a family rotated its heads another way."""
    right = LeanPass._turn_table
    monkeypatch.setattr(LeanPass, "_turn_table", lambda self, length: right(self, length).abs())
    assert proof.try_fast_pass(random_model("llama")).facts()["forward_pass"] == "transformers"


@pytest.mark.parametrize("shape", ["llama", "gpt2"])
def test_a_model_that_is_not_compiled_has_no_weights_in_16_bits(shape):
    """Its heads are of 8, and GPT-2 is not Llama-shaped."""
    with pytest.raises(PlaygroundError, match="it is not compiled here, and only a compiled pass"):
        proof.try_fast_pass(LanguageModel(random_model(shape).model, Numbers(), name="it"), halved=True)


@pytest.mark.parametrize(
    "change",
    [
        {"hidden_act": "gelu"},
        {"model_type": "gemma"},
        {"rope_parameters": {"rope_type": "dynamic", "rope_theta": 10_000.0}},
    ],
)
def test_other_architectures_are_not_tried(change):
    model = random_model("llama").model
    like = SimpleNamespace(config=SimpleNamespace(**model.config.to_dict() | change), parameters=model.parameters)
    assert not is_llama_shaped(like)
    assert is_llama_shaped(model)


def test_half_precision_agrees_up_to_its_rounding():
    model = random_model("llama").model.to(torch.bfloat16)
    plain = LanguageModel(model, Numbers(), name="plain")
    lean = LanguageModel(model, Numbers(), name="lean", forward_pass=lean_pass.LeanPass(model))
    tree = TokenTree([3, 1, 4, 1, 5])
    nodes = [4, tree.add(4, 9), tree.add(4, 2)]
    expected = plain.logits(tree, nodes).float()
    assert float((lean.logits(tree, nodes).float() - expected).abs().max()) < 0.1 * float(expected.abs().max())
