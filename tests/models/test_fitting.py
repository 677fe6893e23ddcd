"""Weights in few bits and models over several devices: refused without their packages, and right where these are.

The last tests run only where bitsandbytes or accelerate is installed, which no requirement of ours brings:

    pip install --target /tmp/packages --no-deps bitsandbytes accelerate
    PYTHONPATH=/tmp/packages python -m pytest -c .pytest.ini tests/models/test_fitting.py
"""

import dataclasses
import shutil
from importlib.util import find_spec

import pytest
import torch
from transformers import AutoModelForCausalLM, GPT2Config, LlamaConfig

from playground import run
from playground.errors import PlaygroundError
from playground.models import pair_reading
from playground.models.bundled import BUNDLED
from playground.models.drafters.choice import with_drafter
from playground.models.language_model import LanguageModel
from playground.models.loading import Models
from playground.models.passes.block_pass import HALVES_NAME
from playground.models.passes.lean_pass import is_llama_shaped
from playground.models.products import compiled_kernel
from playground.models.proof import prove
from playground.models.sources import number_formats, placement
from playground.models.sources.placement import Placement, find_placement
from playground.trace.texts import best_text
from playground.tree import TokenTree
from tests.models.small import random_model
from tests.models.test_loading import save_model

needs_accelerate = pytest.mark.skipif(find_spec("accelerate") is None, reason="accelerate is not installed")
needs_bitsandbytes = pytest.mark.skipif(
    find_spec("bitsandbytes") is None or find_spec("accelerate") is None, reason="bitsandbytes is not installed"
)


@pytest.fixture
def bare(monkeypatch):
    """A machine without the packages."""
    monkeypatch.setattr(number_formats, "find_spec", lambda name: None)


@pytest.fixture
def equipped(monkeypatch):
    """A machine that says it has them."""
    monkeypatch.setattr(number_formats, "find_spec", lambda name: name)


def llama(**changes):
    """Widths that 4 bits go into: their scales are of 64 weights each."""
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 3, "num_attention_heads": 2}
    return LlamaConfig(**({"vocab_size": 8, "max_position_embeddings": 64} | sizes | changes))


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"bits": 8}, "Weights in 8 bits need the packages bitsandbytes and accelerate, not here. Install: pip inst"),
        ({"bits": 3}, "Weights in 3 bits are not offered. Choose 16, 8 or 4"),
        ({"bits": 16, "dtype": "bfloat16"}, "Weights in 16 bits are for float32 on a processor. Leave the bits out"),
        ({"bits": 16, "device": "spread"}, "Weights in 16 bits are for float32 on a processor. Leave the bits out"),
        ({"device": "spread"}, "A model over several devices needs the package accelerate, not here. Install: pip i"),
    ],
)
def test_what_is_not_installed_is_one_sentence(bare, how, sentence):
    for ask in (
        find_placement,
        lambda **how: run("autoregressive", "a", **how),
    ):
        with pytest.raises(PlaygroundError) as refused:
            ask(**how)
        assert str(refused.value).startswith(sentence)


def test_a_processor_without_the_product_is_one_sentence(monkeypatch):
    monkeypatch.setattr(number_formats, "compiled_kernel", lambda: False)
    with pytest.raises(PlaygroundError, match="need a compiled pass, and there is none here"):
        find_placement(bits=16)


@pytest.mark.skipif(not number_formats.compiled_kernel(), reason="nothing is compiled here")
@pytest.mark.parametrize("method", ["autoregressive", "speculative_sampling", "rsd_s", "beam_search"])
def test_16_bits_write_what_float32_writes(method):
    """On the bundled pair, whose weights were saved so: the same tokens, and the memory that was foretold."""
    torch.set_num_threads(1)
    written = [run(method, "Once upon a time", max_new_tokens=24, seed=3, dtype=dtype) for dtype in ("float32", "auto")]
    first, second = ([word.token for word in best_text(trace)] for trace in written)
    assert first == second and len(first) == 24
    assert [trace.started.target.get("bits") for trace in written] == [None, 16]
    assert written[1].started.target["dtype"] == "float16 and float32"
    whole = Models(str(BUNDLED / "target"), placement=find_placement(dtype="float16")).memory()
    assert (
        Models(str(BUNDLED / "target"), placement=find_placement(bits=16)).memory().weights_bytes
        == 3 * whole.weights_bytes
    )


@pytest.mark.skipif(not number_formats.compiled_kernel(), reason="nothing is compiled here")
@pytest.mark.parametrize(
    ("how", "target_bits", "draft_bits"),
    [
        ({}, 16, 16),
        ({"dtype": "float32"}, None, None),
        ({"dtype": "float32", "draft_bits": 16}, None, 16),
        ({"bits": 16, "draft_bits": 32}, 16, None),
    ],
)
def test_both_models_are_in_one_number_format_unless_somebody_asks_otherwise(how, target_bits, draft_bits):
    pair = Models(*(str(BUNDLED / name) for name in ("target", "draft")), placement=find_placement("cpu", **how)).load()
    assert (pair.target.bits, pair.draft.bits) == (target_bits, draft_bits)
    head, target = with_drafter(pair, "head").draft.facts(), pair.target.facts()
    assert (head.get("bits"), head["dtype"]) == (target_bits, target["dtype"])


@pytest.mark.skipif(not number_formats.compiled_kernel(), reason="nothing is compiled here")
def test_one_model_that_does_not_go_into_16_bits_keeps_the_other_out_of_them(tmp_path):
    draft = str(BUNDLED / "draft")
    halved = Models(draft, placement=find_placement("cpu")).load().target
    wide = Models(draft, placement=find_placement("cpu", dtype="float32")).load().target
    tree = TokenTree([3, 1, 4, 1, 5])
    assert torch.allclose(halved.logits(tree, [4]), wide.logits(tree, [4]), atol=1e-4)
    wide.model.lm_head.weight.data[7, 7] = 1e-30  # bfloat16 has it, float16 beside the others has not
    for number_format in (torch.float32, torch.bfloat16):
        folder = tmp_path / str(number_format)
        wide.model.to(number_format).save_pretrained(folder)
        for file in BUNDLED.glob("draft/tokenizer*"):
            shutil.copy(file, folder)
        pair = Models(draft, str(folder), placement=find_placement("cpu")).load()
        assert (pair.target.bits, pair.draft.bits) == (None, None)


def test_models_are_halved_where_all_were_saved_so_and_the_memory_has_room_for_both_copies(monkeypatch):
    monkeypatch.setattr(placement, "reads_halves", lambda device, dtype: True)
    monkeypatch.setattr(placement.Placement, "free_bytes", lambda self: 10e9)
    assert [each.bits for each in find_placement("cpu").for_pair([(5e8, 2.0), (1e6, 2.0)])] == [16, 16]
    assert [each.bits for each in find_placement("cpu").for_pair([(5e8, 2.0), (1e6, 4.0)])] == [None, None]
    assert [each.bits for each in find_placement("cpu").for_pair([(4.9e8, 2.0)] * 3)] == [16, 16, 16]
    assert [each.bits for each in find_placement("cpu").for_pair([(4.9e8, 2.0)] * 4)] == [None] * 4
    # A larger model stays in its file, and is laid out once.
    assert [each.bits for each in find_placement("cpu").for_pair([(4.9e9, 2.0), (1e6, 2.0)])] == [16, 16]
    assert [each.bits for each in find_placement("cpu").for_pair([(5.1e9, 2.0), (1e6, 2.0)])] == [None, None]


@pytest.mark.skipif(not compiled_kernel(), reason="this needs numba")
@pytest.mark.parametrize(("kind", "is_tied"), [("bfloat16", True), ("float16", False)])
def test_a_large_model_saved_in_16_bits_stays_in_its_folder_and_says_what_float32_says(
    kind, is_tied, tmp_path, monkeypatch
):
    """1e-30 and 300 are in one matrix, which bfloat16 holds and float16 does not; any size is large here."""
    for module in (placement, pair_reading):
        monkeypatch.setattr(module, "SMALL", 0)
    config = llama(tie_word_embeddings=is_tied)
    folder = save_model(tmp_path / kind, config, weights=False)
    model = AutoModelForCausalLM.from_config(config).to(getattr(torch, kind))
    if kind == "bfloat16":
        model.model.layers[0].mlp.up_proj.weight.data[3, 5:7] = torch.tensor([1e-30, 300])
    model.save_pretrained(folder)
    expected = Models(folder, placement=find_placement("cpu", "float32")).load().target
    models = Models(folder)
    target = models.load().target
    facts = target.facts()
    assert (facts["forward_pass"], facts["dtype"], facts["bits"]) == (HALVES_NAME, f"{kind} and float32", 16)
    tree = TokenTree([1, 2, 3])
    nodes = [2, tree.add(2, 4), tree.add(2, 5)]
    torch.testing.assert_close(target.logits(tree, nodes), expected.logits(tree, nodes), rtol=1e-4, atol=1e-4)
    assert all(weight.is_meta or weight.ndim == 1 for weight in target.model.parameters())
    assert 0.9 < models.memory().weights_bytes / facts["reads"]["bytes"] <= 1.1


def test_second_copies_are_foretold_where_the_lean_pass_makes_them(tmp_path, monkeypatch):
    """By hand: all matrices twice but an embedding that is not the output layer; GPT-2 has transformers' pass alone."""
    monkeypatch.setattr(placement, "is_held_twice", lambda *_: True)
    rest = 3 * (4 * 64 * 64 + 3 * 64 * 128 + 2 * 64) + 64
    for tied in (True, False):
        folder = save_model(tmp_path / str(tied), llama(tie_word_embeddings=tied))
        for bits, second in ((None, 4), (16, 2)):
            where = dataclasses.replace(find_placement("cpu", "float32"), bits=bits)
            weights = (1 if tied else 2) * 8 * 64 + rest
            assert Models(folder, placement=where).memory().weights_bytes == 4 * weights + second * (8 * 64 + rest)
    folder = save_model(tmp_path / "gpt2", GPT2Config(vocab_size=8, n_embd=16, n_layer=1, n_head=2, n_positions=64))
    numbers = sum(weight.numel() for weight in Models(folder).load().target.model.parameters())
    assert Models(folder, placement=find_placement("cpu", "float32")).memory().weights_bytes == 4 * numbers


def test_few_bits_are_foretold(tmp_path, equipped):
    """By hand: a table of 8 x 64 as it is, once or twice; everything else a byte each, or 4.5 bits with the scales."""
    for tied in (True, False):
        folder = save_model(tmp_path / str(tied), llama(tie_word_embeddings=tied))
        tables, rest = (1 if tied else 2) * 8 * 64, 3 * (4 * 64 * 64 + 3 * 64 * 128 + 2 * 64) + 64
        for bits, each in ((8, 1.0), (4, 4.5 / 8)):
            foretold = Models(folder, placement=find_placement("cpu", bits=bits)).memory().weights_bytes
            assert foretold == round(4 * tables + each * rest)


def test_matrices_that_are_not_plain_run_by_transformers_pass():
    """In bytes, or nowhere while they wait on a disk."""
    for change in (lambda weight: weight.to(torch.int8), lambda weight: weight.to("meta")):
        model = random_model("llama").model
        assert is_llama_shaped(model)
        for layer in model.model.layers:
            layer.mlp.down_proj.weight = torch.nn.Parameter(change(layer.mlp.down_proj.weight.data), False)
        assert not is_llama_shaped(model)
    assert not is_llama_shaped(random_model("llama").model.to("meta"))


def test_a_library_that_cannot_multiply_is_one_sentence(monkeypatch):
    made = random_model("llama")
    made.model.is_loaded_in_8bit = True
    model = LanguageModel(made.model, made.vocabulary, name="small")
    assert model.facts()["bits"] == 8 and model.facts()["dtype"].startswith("int8 and ")

    def refuse(*_arguments, **_named):
        raise RuntimeError("shape '[320, 13]' is invalid.\nand more")

    monkeypatch.setattr(model.model, "forward", refuse)
    with pytest.raises(
        PlaygroundError, match=r"^small \(llama\) does not run in 8 bits on cpu: shape .* is invalid. Choose"
    ):
        prove(model)


def test_a_spread_model_is_mapped_by_accelerate(tmp_path, monkeypatch, equipped):
    """The device map that transformers gets is tested; on this machine it puts everything on the one device."""
    request, read = [], AutoModelForCausalLM.from_pretrained

    def watched(*arguments, device_map=None, **named):
        request.append(device_map)
        return read(*arguments, **named)

    monkeypatch.setattr(AutoModelForCausalLM, "from_pretrained", watched)
    folder = save_model(tmp_path / "m", llama())
    Models(folder, placement=find_placement("spread")).load()
    Models(folder, placement=find_placement("cpu")).load()
    assert request == ["auto", None]


@needs_accelerate
def test_layers_on_a_disk_give_the_same_logits(tmp_path, monkeypatch):
    """A map over two places, for want of two GPUs: tokens go in where the first layer is, logits come back there."""
    folder, said = save_model(tmp_path / "m", llama()), []
    disk = {"model.embed_tokens": "cpu", "model.rotary_emb": "cpu", "model.norm": "cpu", "lm_head": "cpu"}
    disk |= {f"model.layers.{layer}": "disk" if layer else "cpu" for layer in range(3)}
    whole = Models(folder, placement=find_placement("cpu")).load().target
    monkeypatch.setattr(
        Placement, "reading_options", lambda placement: {"device_map": disk} if placement.is_spread else {}
    )
    spread = Models(folder, placement=find_placement("spread")).load(said.append).target
    assert set(spread.model.hf_device_map.values()) == {"cpu", "disk"}
    assert spread.forward_pass.name == "transformers" and whole.forward_pass.name.startswith("lean")
    assert any("by transformers' own pass" in line for line in said)
    tree = TokenTree([1, 2, 3])
    nodes = [2, tree.add(2, 4), tree.add(2, 5)]
    logits = spread.logits(tree, nodes)
    assert logits.device == whole.device
    assert torch.allclose(logits, whole.logits(tree, nodes), atol=1e-4)


@needs_bitsandbytes
@pytest.mark.parametrize("bits", [8, 4])
def test_a_quantised_model_is_near_the_plain_one(tmp_path, bits):
    folder, said = save_model(tmp_path / "m", llama()), []
    plain = Models(folder, placement=find_placement("cpu")).load().target
    small = Models(folder, placement=find_placement("cpu", bits=bits)).load(said.append).target
    facts = small.facts()
    assert facts["bits"] == bits and facts["forward_pass"] == "transformers"
    assert facts["parameters"] == plain.facts()["parameters"]
    assert any("by transformers' own pass" in line for line in said)
    states = [getattr(weight, "quant_state", None) for weight in small.model.parameters()]
    held = small.model.get_memory_footprint(return_buffers=False)
    held += sum(state.absmax.nbytes for state in states if state)  # the scales of 4 bits
    assert held == pytest.approx(
        Models(folder, placement=find_placement("cpu", bits=bits)).memory().weights_bytes, rel=0.05
    )
    tree = TokenTree([1, 2, 3])
    logits, expected = small.logits(tree, [2]), plain.logits(tree, [2])
    off = float((logits - expected).abs().max()) / float(expected.abs().max())
    assert 0 < off < {8: 0.05, 4: 0.3}[bits], "not the same weights, and not other ones"


@needs_bitsandbytes
def test_the_bundled_pair_in_8_bits_writes_a_text():
    trace = run("speculative_sampling", "Once upon a time", temperature=0, max_new_tokens=16, bits=8, device="cpu")
    assert trace.finished.num_tokens == 16 and trace.started.target["bits"] == 8
