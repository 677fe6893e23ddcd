"""The compiled pass computes what the lean one computes, a row the same to the last bit whatever is beside it."""

import random

import pytest
import torch

from playground.errors import PlaygroundError
from playground.models import proof
from playground.models.language_model import LanguageModel
from playground.models.passes import compiled_pass
from playground.models.passes.compiled_pass import CompiledPass, is_compilable
from playground.models.passes.lean_pass import LeanPass
from playground.models.passes.slots import BLOCK
from playground.models.products import CompiledKernel, compiled_kernel, kernels
from playground.tree import TokenTree
from tests.models.small import LEAN, Numbers, random_model, random_of
from tests.models.test_language_model import assert_exact_while_growing

pytestmark = pytest.mark.skipif(not compiled_kernel(), reason="without numba there is no such pass")


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


def model_of(shape, head_dim=16):
    """A model of transformers with heads as wide as a vector at least, and weights that 16 bits hold."""
    model = random_of(type(LEAN[shape])(**LEAN[shape].to_dict() | {"head_dim": head_dim})).model
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.bfloat16())
    return model


def compiled(shape, head_dim=16, *, halved=False):
    model = model_of(shape, head_dim)
    return LanguageModel(model, Numbers(), name=shape, forward_pass=CompiledPass(model, halved=halved))


@pytest.mark.parametrize("shape", LEAN)
def test_every_node_of_a_growing_tree(shape):
    assert_exact_while_growing(compiled(shape), 6, shape)


@pytest.mark.parametrize("head_dim", [64, 80])
def test_heads_of_other_widths(head_dim):
    """As wide as the registers take at once, and wider."""
    assert_exact_while_growing(compiled("llama", head_dim), 3, head_dim)


def test_sixteen_bits_give_the_same_logits_to_the_last_bit():
    """Weights are the same numbers, multiplied and added in the same order."""
    tree = TokenTree([3, 1, 4, 1, 5])
    nodes = [4, tree.add(4, 9), tree.add(4, 2)]
    whole, halved = (compiled("qwen2", halved=halved).logits(tree, nodes) for halved in (False, True))
    assert torch.equal(whole, halved)


@pytest.mark.parametrize("width", [1, 2, 3, 5, 8, 9, 17, 40])
def test_a_row_does_not_depend_on_the_others_to_the_last_bit(width):
    """So a node says the same in a tree as at the end of its own text."""
    model, rng = compiled("llama"), random.Random(width)
    tree = TokenTree([rng.randrange(61) for _ in range(7)])
    nodes = [6]
    while len(nodes) < width:
        nodes.append(tree.add(rng.choice(nodes), rng.randrange(61)))
    for node, row in zip(nodes, model.logits(tree, nodes), strict=True):
        text = tree.context(node)
        assert torch.equal(row, model.logits(TokenTree(text), [len(text) - 1])[0])


@torch.inference_mode()
def test_layers_one_by_one_are_those_of_the_lean_pass():
    model = model_of("qwen3")
    passes = [CompiledPass(model), LeanPass(model)]
    tokens, positions = [5, 6, 7], [0, 1, 2]
    fast, right = (
        torch.stack([*each.through(each.slots(), 0, each.embedded(tokens), positions, None, each.num_layers)])
        for each in passes
    )
    torch.testing.assert_close(fast, right, rtol=0, atol=1e-4 * float(right.abs().max()))
    assert torch.equal(fast[0], passes[0].stream(passes[0].slots(), 0, tokens, positions, None, 1))
    torch.testing.assert_close(*(each.logits(right[-1]) for each in passes), rtol=0, atol=1e-3)


def test_texts_longer_than_a_block_of_slots():
    model = compiled("llama 3")
    tokens = [token % 61 for token in range(2 * BLOCK + 3)]
    at_once, in_parts = TokenTree(tokens), TokenTree(tokens)
    for end in (BLOCK - 1, BLOCK + 1, 2 * BLOCK + 2):
        last = model.logits(in_parts, [end])
    assert torch.equal(model.logits(at_once, [2 * BLOCK + 2]), last)


@pytest.mark.parametrize("halved", [True, False])
def test_a_model_is_run_compiled_where_that_is_proved(halved, monkeypatch):
    plain = LanguageModel(model_of("llama"), Numbers(), name="it")
    assert proof.try_fast_pass(plain, halved=halved).facts()["forward_pass"] == "lean, compiled"
    right = CompiledPass._logits
    monkeypatch.setattr(CompiledPass, "_logits", lambda self, logits: 1.01 * right(self, logits))
    if halved:
        with pytest.raises(PlaygroundError, match="holds weights in 16 bits"):
            proof.try_fast_pass(plain, halved=True)
    else:
        assert proof.try_fast_pass(plain).facts()["forward_pass"] == "lean"


def test_weights_of_more_than_16_bits_are_refused():
    model = model_of("llama")
    model.lm_head.weight.data[7, 7] = 1e-30  # float16 beside the others has it not
    plain = LanguageModel(model, Numbers(), name="it")
    with pytest.raises(PlaygroundError, match=r"^it has weights that float16 does not hold\. Leave the bits out\.$"):
        proof.try_fast_pass(plain, halved=True)


@pytest.mark.parametrize(
    ("missing", "why"),
    [
        ("numba", "import of playground.models.passes.compiled halted; None in sys.modules"),
        ("its compiler", "NUMBA_DISABLE_JIT is set"),
    ],
)
def test_without_numba_the_lean_pass_runs_and_the_trace_says_why(missing, why, monkeypatch):
    if missing == "numba":
        monkeypatch.setitem(__import__("sys").modules, "playground.models.passes.compiled", None)
    else:
        monkeypatch.setattr("numba.config.DISABLE_JIT", 1)
    compiled_kernel.cache_clear()
    try:
        assert kernels() == f"compiled pass: none ({why})"
        plain = LanguageModel(model_of("llama"), Numbers(), name="it")
        assert proof.try_fast_pass(plain).facts()["forward_pass"] == "lean"
    finally:
        monkeypatch.undo()
        compiled_kernel.cache_clear()


def test_narrow_heads_and_other_number_formats_are_not_compiled(monkeypatch):
    assert is_compilable(model_of("llama"))
    assert not is_compilable(random_model("llama").model)  # heads of 8
    assert not is_compilable(model_of("llama").bfloat16())
    monkeypatch.setattr(compiled_pass, "compiled_kernel", lambda: CompiledKernel("gone"))
    assert not is_compilable(model_of("llama"))
