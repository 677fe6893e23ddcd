"""A GGUF file is a model like any other: its text is that of the model which it was made of."""

from importlib.util import find_spec
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from tokenizers import pre_tokenizers
from transformers import AutoModelForCausalLM, LlamaConfig
from transformers.models.qwen2 import Qwen2Config

import playground
from playground.errors import PlaygroundError
from playground.makers.training.head import HeadNetwork
from playground.makers.training.network import Shape
from playground.models.drafters.beside import fingerprint
from playground.models.drafters.early_exit import EarlyExit
from playground.models.drafters.feature_drafter import FeatureDrafter
from playground.models.drafters.head import VOCABULARY, Head
from playground.models.loading import Models
from playground.models.passes.block_pass import HALVES_NAME, ROUNDED_NAME, BlockPass, BlockProduct
from playground.models.products import compiled_kernel
from playground.models.sources import gguf_file, hub, number_formats
from playground.models.sources.address import model_name
from playground.models.sources.gguf_file import on_hub, weights_told
from playground.models.sources.hub import fetch, find_source, is_on_this_machine
from playground.tree import TokenTree
from tests.models.small import generated, wild

PACKAGES = ("gguf", "accelerate")
installed = pytest.mark.skipif(
    not all(map(find_spec, PACKAGES)), reason="GGUF files are made and read by the packages gguf and accelerate"
)
WORDS = ["<|endoftext|>", "<user>", "<bot>", *sorted(pre_tokenizers.ByteLevel.alphabet()), "he"]
HEADS, GROUPS, LAYERS, WIDTH = 4, 2, 2, 64
TEMPLATE = "{% for turn in messages %}<user>{{ turn.content }}{% endfor %}<bot>"


def save(path, family="llama", kind="Q8_0", **changes):
    """A random model as a GGUF file in 8 bits or 16, and the model with the numbers that these hold."""
    import gguf
    from gguf.quants import dequantize, quantize

    torch.manual_seed(0)
    shape = (LlamaConfig if family == "llama" else Qwen2Config)(
        vocab_size=len(WORDS), hidden_size=WIDTH, intermediate_size=2 * WIDTH, num_hidden_layers=LAYERS,
        num_attention_heads=HEADS, num_key_value_heads=GROUPS, max_position_embeddings=128, rms_norm_eps=1e-5,
        bos_token_id=0, eos_token_id=None, **changes,
    )  # fmt: skip
    model = AutoModelForCausalLM.from_config(shape).eval()
    writer = gguf.GGUFWriter(str(path), family)
    writer.add_block_count(LAYERS)
    writer.add_context_length(128)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(2 * WIDTH)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(GROUPS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10_000.0)
    writer.add_vocab_size(len(WORDS))
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(WORDS)
    writer.add_token_types([3] * 3 + [1] * (len(WORDS) - 3))  # control tokens, then plain ones
    writer.add_token_merges(["h e"])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(0)
    writer.add_chat_template(TEMPLATE)
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH[family.upper()], LAYERS)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            stored = names.get_name(name, try_suffixes=(".weight", ".bias"))
            if weight.ndim == 1:
                weight.add_(torch.randn(weight.shape) / 8)
                writer.add_tensor(stored, weight.numpy())
                continue
            weight.mul_(4.0)
            type_, turned = gguf.GGMLQuantizationType[kind], family == "llama"
            packed = quantize((_as_llama_cpp_has_it(name, weight) if turned else weight).numpy(), type_)
            plain = torch.from_numpy(dequantize(packed, type_))
            weight.copy_(_as_transformers_has_it(name, plain) if turned else plain)
            writer.add_tensor(stored, packed, raw_dtype=type_)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return model


def _as_llama_cpp_has_it(name, weight):
    """Halves of a head that are turned together lie beside each other there."""
    heads = _heads(name)
    return weight.reshape(heads, 2, -1, WIDTH).transpose(1, 2).reshape(weight.shape).contiguous() if heads else weight


def _as_transformers_has_it(name, weight):
    heads = _heads(name)
    return weight.reshape(heads, -1, 2, WIDTH).transpose(1, 2).reshape(weight.shape) if heads else weight


def _heads(name):
    return HEADS if "q_proj" in name else GROUPS if "k_proj" in name else 0


@installed
def test_its_text_is_that_of_the_model_it_was_made_of(tmp_path):
    model, file = save(tmp_path / "tiny.Q8_0.gguf"), str(tmp_path / "tiny.Q8_0.gguf")
    options = {"target": file, "draft": file, "temperature": 0, "max_new_tokens": 24}
    trace = playground.run("speculative_sampling", "he ate", **options)
    prompt = torch.tensor([trace.started.prompt_ids])
    ids = [token for round_ in trace.rounds for token in round_.committed.tokens]
    expected = generated(model, trace.started.prompt_ids, 24)
    assert ids == expected[: len(ids)] and (len(ids) == 24 or ids[-1] == 0)
    with torch.inference_mode():
        logits = Models(file, file).load().target.model(prompt).logits
        torch.testing.assert_close(logits, model(prompt).logits, rtol=1e-4, atol=1e-4)
    chat = playground.run("autoregressive", "he", target=file, chat=True, max_new_tokens=2).started
    assert (chat.prompt, chat.prompt_ids) == ("<user>he<bot>", [1, len(WORDS) - 1, 2])


@installed
@pytest.mark.skipif(not compiled_kernel(), reason="this needs numba")
@pytest.mark.parametrize(("family", "is_tied"), [("llama", False), ("qwen2", False), ("llama", True)])
def test_a_models_matrices_stay_in_their_file(family, is_tied, tmp_path):
    """Transformers' own pass widens them as they are needed, and so do drafters; the fast one has them in its order."""
    saved = save(tmp_path / "tiny.gguf", family, tie_word_embeddings=is_tied)
    target = Models(str(tmp_path / "tiny.gguf")).load().target
    assert target.facts()["forward_pass"] == ROUNDED_NAME and target.num_parameters == saved.num_parameters()
    assert all(weight.is_meta or weight.ndim == 1 for weight in target.model.parameters())
    assert target.devices == {torch.device("cpu")}
    prompt = torch.tensor([[5, 6, 7, 8]])
    with torch.inference_mode():
        torch.testing.assert_close(target.model(prompt).logits, saved(prompt).logits, rtol=1e-4, atol=1e-4)
    block_pass = target.forward_pass
    assert isinstance(block_pass, BlockPass)
    assert torch.equal(block_pass.embedded([5, 9]), saved.get_input_embeddings().weight[[5, 9]])
    assert fingerprint(target.model) == fingerprint(saved)
    assert EarlyExit(target, 1).num_parameters < saved.num_parameters()


@installed
@pytest.mark.skipif(not compiled_kernel(), reason="this needs numba")
@pytest.mark.parametrize("kind", ["F16", "BF16"])
def test_matrices_of_16_bits_stay_in_their_file_and_are_multiplied_as_they_are(kind, tmp_path):
    saved = save(tmp_path / "tiny.gguf", kind=kind)
    target = Models(str(tmp_path / "tiny.gguf")).load().target
    halves = {"F16": "float16", "BF16": "bfloat16"}[kind]
    assert (target.facts()["forward_pass"], target.facts()["dtype"]) == (HALVES_NAME, f"{halves} and float32")
    with torch.inference_mode():
        expected = saved(torch.tensor([[5, 6, 7, 8]])).logits[0]
    tree = TokenTree([5, 6, 7, 8])
    torch.testing.assert_close(target.logits(tree, [0, 1, 2, 3]), expected, rtol=1e-4, atol=1e-4)


@installed
@pytest.mark.parametrize("spoiled", ["a product", "a layer"])
def test_blocks_that_give_something_else_are_not_used(spoiled, tmp_path, monkeypatch):
    """The file is widened whole then, by transformers."""
    save(tmp_path / "tiny.gguf")
    if spoiled == "a product":
        before = BlockProduct.of
        monkeypatch.setattr(BlockProduct, "of", lambda self, rows: 1.01 * before(self, rows))
    else:
        monkeypatch.setattr(BlockPass, "embedded", lambda self, tokens: 2 * torch.ones(len(tokens), WIDTH))
    target = Models(str(tmp_path / "tiny.gguf")).load().target
    assert target.facts()["forward_pass"] == "lean, compiled"
    assert not any(weight.is_meta for weight in target.model.parameters())


@installed
def test_the_memory_that_blocks_take_is_foretold(tmp_path):
    save(tmp_path / "tiny.gguf", tie_word_embeddings=True)
    target = Models(str(tmp_path / "tiny.gguf"))
    assert 0.9 < target.load().target.facts()["reads"]["bytes"] / target.memory().weights_bytes <= 1.1


@installed
def test_what_it_takes_is_told_by_its_weights_and_its_file_is_found_however_it_is_pasted(tmp_path):
    model = save(tmp_path / "tiny.gguf")
    for name in (str(tmp_path / "tiny.gguf"), f' "{tmp_path}/tiny.gguf" '):
        source = find_source(name)
        assert source.weights.parameters == sum(weight.numel() for weight in model.parameters())
        assert source.gguf == "tiny.gguf" and is_on_this_machine(name)
    assert Models(str(tmp_path / "tiny.gguf")).memory().token_bytes == 2 * LAYERS * WIDTH // HEADS * GROUPS * 4


@installed
def test_a_file_is_parsed_once_however_often_transformers_asks(tmp_path, monkeypatch):
    save(tmp_path / "tiny.gguf")
    import gguf

    parsed, before = [], gguf.gguf_reader.GGUFReader.__init__
    monkeypatch.setattr(
        gguf.gguf_reader.GGUFReader, "__init__", lambda self, *file: (parsed.append(file), before(self, *file))[1]
    )
    Models(str(tmp_path / "tiny.gguf")).load()
    assert len(parsed) == 1 and gguf.GGUFReader is gguf.gguf_reader.GGUFReader


@installed
def test_a_file_of_the_same_name_in_the_working_folder_is_not_read_instead(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    save(tmp_path / "tiny.gguf")
    (tmp_path / "here" / "tiny.gguf").write_bytes(b"no model")
    monkeypatch.chdir(tmp_path / "here")
    assert Models("../tiny.gguf").load().target.vocab_size == len(WORDS)


@pytest.fixture
def with_packages(monkeypatch):
    monkeypatch.setattr(number_formats, "find_spec", lambda name: name)


def test_packages_that_lack_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr(number_formats, "find_spec", lambda name: None if name == "gguf" else name)
    (tmp_path / "m.gguf").touch()
    with pytest.raises(PlaygroundError, match=r"A GGUF file needs the package gguf, not here\. Install: pip"):
        find_source(str(tmp_path / "m.gguf"))


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "nowhere/m.gguf",
            r"This machine has no file nowhere/m\.gguf\. Give a GGUF file that it has, or id:file\.gguf of",
        ),
        ("~nobody/m.gguf", "has no file"),
        ("/models/m\0.gguf", "has no file"),
        ("m-00002-of-00003.gguf", "is one of several parts of a model. Join them"),
    ],
)
def test_a_file_that_is_not_there_or_not_whole_is_called_so(with_packages, name, sentence):
    with pytest.raises(PlaygroundError, match=sentence):
        find_source(name)


def test_a_folder_with_a_gguf_file_names_it(tmp_path):
    (tmp_path / "a.gguf").touch()
    with pytest.raises(PlaygroundError, match=r"config\.json is missing\. Give its GGUF file: .*a\.gguf\."):
        find_source(str(tmp_path))


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("me/m-GGUF:m.Q4_K_M.gguf", ("me/m-GGUF", None, "m.Q4_K_M.gguf")),
        ("me/m@607a30d:q/m.gguf", ("me/m", "607a30d", "q/m.gguf")),
        (model_name("https://hf.co/me/m/blob/main/q/m.gguf"), ("me/m", None, "q/m.gguf")),
    ],
)
def test_a_file_of_the_hub_is_named_behind_its_repository(name, parts):
    assert on_hub(name) == parts


def test_of_the_hub_the_one_file_is_downloaded_and_its_size_told_before(with_packages, tmp_path, monkeypatch):
    """With a stand-in for the Hub, which no test asks."""
    files = [SimpleNamespace(rfilename=name, size=size) for name, size in (("m.Q4.gguf", 600), ("README.md", 5))]
    info = SimpleNamespace(siblings=files, sha="607a30d", gguf={"total": 1000})
    monkeypatch.setattr("huggingface_hub.HfApi.model_info", lambda *_, **__: info)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    requests = []
    monkeypatch.setattr(hub, "download", lambda *names, **_: requests.append(names) or str(tmp_path / "607a30d"))
    source = find_source("me/m@v1:m.Q4.gguf")
    assert source.weights == weights_told(1000, 600) and source.files == (("m.Q4.gguf", 600),)
    assert Models("me/m@v1:m.Q4.gguf").memory().download_bytes == 600
    here = fetch(source)
    assert requests == [("me/m", "v1", ["m.Q4.gguf"])]
    assert (here.name, here.revision, here.download_bytes) == ("me/m:m.Q4.gguf", "607a30d", 0)
    assert here.options == {"gguf_file": str(tmp_path / "607a30d" / "m.Q4.gguf")}
    with pytest.raises(PlaygroundError, match=r"me/m has no file x\.gguf\. Its GGUF files: m\.Q4\.gguf\."):
        find_source("me/m:x.gguf")


def test_a_file_whose_number_of_weights_is_not_told_counts_as_its_largest():
    assert weights_told(None, 500).parameters == 1000 and gguf_file.ITEM_BYTES == 4


@installed
@pytest.mark.parametrize("family", ["qwen35", "qwen3next", "granitehybrid", "falcon-h1"])
def test_a_hybrid_that_transformers_cannot_read_from_a_gguf_file_is_refused_by_name(family, tmp_path):
    import gguf

    writer = gguf.GGUFWriter(str(tmp_path / "tiny.gguf"), family)
    writer.add_block_count(LAYERS)
    writer.add_tensor("token_embd.weight", np.zeros((len(WORDS), WIDTH), np.float32))
    for write in (writer.write_header_to_file, writer.write_kv_data_to_file, writer.write_tensors_to_file):
        write()
    writer.close()
    with pytest.raises(PlaygroundError, match=f"tiny.gguf cannot be loaded: .*{family}.*Choose another model"):
        Models(str(tmp_path / "tiny.gguf")).load()


@installed
@pytest.mark.skipif(not compiled_kernel(), reason="this needs numba")
@pytest.mark.parametrize("tokens", [None, [7, 3, 40, 11]])
def test_a_head_on_a_file_reads_in_one_compiled_call_what_its_parts_read(tokens, tmp_path, monkeypatch):
    """Before the first token, behind a feature of the target, and behind a guess; tokens it does not know stay -inf."""
    save(tmp_path / "tiny.gguf")
    target = Models(str(tmp_path / "tiny.gguf")).load().target
    shape = Shape(layers=1, width=WIDTH, heads=HEADS, feed_forward=WIDTH, vocab=len(WORDS))
    config = {"heads": HEADS, "feed_forward": WIDTH, "norm_eps": 1e-5, "rope_theta": 1e4}
    weights = {name: each.detach() for name, each in wild(HeadNetwork(shape), 0.3).state_dict().items()}
    known = {VOCABULARY: torch.tensor(tokens)} if tokens else {}
    tree, read = TokenTree([5, 6, 7]), []
    target.logits(tree, [1])
    ahead = tree.add(2, 8)
    nodes = [2, ahead, tree.add(ahead, 9), tree.add(ahead, 4)]
    for in_parts in (False, True):
        head = Head(target, config | {"fingerprint": fingerprint(target.model)}, weights | known)
        if in_parts:
            head._pass.draft_vocabulary = head._pass.draft_vocabulary[0][:0], 0
            monkeypatch.setattr(Head, "_read", FeatureDrafter._read)
        read.append(head.forward(tree, nodes).logits)
    assert read[0].shape == (4, len(WORDS)) and int(read[0].isfinite().sum()) == 4 * len(tokens or WORDS)
    torch.testing.assert_close(*read, rtol=1e-4, atol=1e-4)
