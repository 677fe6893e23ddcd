"""What cannot be loaded is refused in one sentence; the bundled pair loads without a network."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    LlamaConfig,
    PreTrainedTokenizerFast,
    Qwen2VLConfig,
    T5Config,
)

import playground
from playground.decoding.decode import Request
from playground.decoding.method import methods
from playground.errors import PlaygroundError
from playground.models import catalog, loading
from playground.models.bundled import BUNDLED
from playground.models.catalog import PAIRS, find_pair
from playground.models.language_model import LanguageModel
from playground.models.loading import Models
from playground.models.passes.path_pass import PathPass
from playground.models.sampling import Sampling
from playground.models.sources import model_cache
from playground.models.sources.model_cache import ModelCache
from playground.models.sources.placement import Placement, find_placement
from playground.models.vocabulary import TokenizerVocabulary
from tests.decoding.runs import tokens
from tests.models.small import generated

TINY = {"vocab_size": 8, "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}


def save_model(folder, config, letters="abcdefgh", weights=True):
    tokenizer = Tokenizer(models.WordLevel({letter: i for i, letter in enumerate(letters)}, unk_token=letters[0]))
    PreTrainedTokenizerFast(tokenizer_object=tokenizer).save_pretrained(folder)
    config.save_pretrained(folder)
    if weights:
        torch.manual_seed(0)
        AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    return str(folder)


def llama(**changes):
    return LlamaConfig(**(TINY | {"intermediate_size": 32, "max_position_embeddings": 64} | changes))


def test_bundled_pair_loads_in_float32_and_once():
    pair = Models.named().load()
    assert pair.target.dtype == torch.float32 or torch.cuda.is_available()
    assert pair.target.vocab_size == pair.draft.vocab_size == 4096
    assert [model.name for model in pair.others] == ["bundled weaker", "bundled foreign"]
    assert Models.named().load() is pair


def test_further_drafts_come_with_the_first(tmp_path):
    names = [save_model(tmp_path / name, llama()) for name in "tdef"]
    pair = Models(names[0], names[1], names[2:]).load()
    assert [pair.draft.name, *(model.name for model in pair.others)] == names[1:]
    assert Models(*names[:2]).load().others == ()
    stranger = save_model(tmp_path / "stranger", llama(), letters="stuvwxyz")
    with pytest.raises(PlaygroundError, match="stranger have 0 tokens in common"):
        Models(names[0], names[1], [stranger]).load()


def test_which_draft_is_loaded_changes_nothing_of_the_targets_text(tmp_path):
    """Families pad their vocabularies to different sizes; here most of what the target writes is such padding."""
    shape = {"initializer_range": 1.0, "num_hidden_layers": 2}
    target = save_model(tmp_path / "t", llama(vocab_size=24, **shape))
    drafts = [save_model(tmp_path / f"d{size}", llama(vocab_size=size, **shape)) for size in (8, 16, 24, 32)]
    texts = {name: set() for name in ("autoregressive", "beam_search", "speculative_sampling", "rsd_s", "sampled")}
    for draft in drafts:
        pair = Models(target, draft).load()
        assert pair.target.vocab_size == pair.draft.vocab_size == 24
        for name, written in texts.items():
            method, temperature = ("autoregressive", 1.0) if name == "sampled" else (name, 0.0)
            request = Request(
                methods()[method](), pair.target, "", pair.draft, Sampling(temperature), 3, 24, prompt_ids=(1, 2)
            )
            written.add(tuple(tokens(request)))
    greedy = {tuple(generated(pair.target.model, (1, 2), 24))}
    assert texts["autoregressive"] == texts["speculative_sampling"] == texts["rsd_s"] == greedy
    assert len(texts["beam_search"]) == len(texts["sampled"]) == 1
    assert all(max(text) >= 16 for written in texts.values() for text in written)


def test_tokens_that_were_added_behind_a_gap_are_tokens(tmp_path):
    name = save_model(tmp_path / "t", llama(vocab_size=24), letters="abcdefgh")
    file = tmp_path / "t" / "tokenizer.json"
    content = json.loads(file.read_text())
    content["model"]["vocab"]["z"] = 20
    file.write_text(json.dumps(content))
    target = Models(name).load().target
    assert target.vocabulary.size == 21 and target.vocabulary.piece(20).strip() == "z"
    assert [placement for placement, each in enumerate(target.vocabulary.spellings()) if each] == [*range(8), 20]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (T5Config(vocab_size=8, d_model=16, num_layers=1, num_heads=2), "encoder-decoder"),
        (Qwen2VLConfig(text_config=TINY), r"not among the types .* writes text from text alone"),
    ],
)
def test_what_writes_no_text_from_text_alone_is_refused(tmp_path, config, message):
    with pytest.raises(PlaygroundError, match=message):
        Models(save_model(tmp_path / "m", config, weights=False)).load()


def without_tokenizer(folder, **shape):
    name = save_model(folder, llama(**shape))
    for file in folder.glob("tokenizer*"):
        file.unlink()
    return name


def test_a_draft_saved_without_its_tokenizer_has_the_targets_where_it_is_as_large(tmp_path):
    target, draft = save_model(tmp_path / "t", llama()), without_tokenizer(tmp_path / "d")
    pair = Models(target, draft).load()
    assert pair.draft.vocabulary is pair.target.vocabulary
    other = without_tokenizer(tmp_path / "o", vocab_size=9)
    for pair in ((target, other), (draft, None)):
        with pytest.raises(PlaygroundError, match=r"was saved without its tokenizer\. Copy the files"):
            Models(*pair).load()


def test_a_begin_token_is_not_written_twice():
    words = Tokenizer(models.WordLevel({"<s>": 0, "a": 1, "b": 2}, unk_token="b"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    words.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    for text in ("a b", "<s> a b", "<s>a b"):
        vocabulary = TokenizerVocabulary(PreTrainedTokenizerFast(tokenizer_object=words, bos_token="<s>"))
        assert vocabulary.encode(text) == [0, 1, 2]


def test_a_token_without_a_row_is_never_written_and_never_drafted(tmp_path):
    """As `generate` does; a prompt that holds it is a sentence, and an end token without a row ends nothing."""
    letters = "abcdefghijklmnopqrst"
    names = [save_model(tmp_path / role, llama(vocab_size=20), letters=letters) for role in ("t", "d")]
    for name in names:
        tokenizer = AutoTokenizer.from_pretrained(name)
        tokenizer.add_special_tokens({"pad_token": "<pad>"})
        tokenizer.save_pretrained(name)
    said = []
    pair = Models(*names).load(said.append)
    assert pair.target.vocabulary.size == 21 and pair.target.vocab_size == pair.draft.vocab_size == 20
    assert any("has no weights for 1 of its tokenizer's 21 tokens" in each for each in said)
    how = {"target": names[0], "draft": names[1], "temperature": 0.0, "max_new_tokens": 24}
    written = [playground.run(method, "a b", **how).finished.text for method in ("autoregressive", "rsd_s")]
    expected = generated(pair.target.model, pair.target.vocabulary.encode("a b"), 24)
    assert written == [pair.target.vocabulary.decode(expected)] * 2
    with pytest.raises(PlaygroundError, match=r"has token 20 \('<pad>'\); these models know 0 to 19\."):
        playground.run("autoregressive", "a <pad>", **how)
    pair.target.model.generation_config.eos_token_id = [2, 20]
    again = LanguageModel(pair.target.model, pair.target.vocabulary, name="again")
    assert again.eos_ids == {2}


def test_a_vocabulary_larger_than_the_model_is_refused(tmp_path):
    with pytest.raises(PlaygroundError, match=r"has 8 tokens, but the model's vocabulary ends at 4\. "):
        Models(save_model(tmp_path / "t", llama(vocab_size=4))).load()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("/no/such/folder", "no folder"),
        ("~nosuchuser/x", "no folder"),
        ("/" + 300 * "x", "no folder"),
        ("https://example.com/gpt2", "is an address outside of the Hub. Give a Hub id"),
        ("../nowhere", "no folder"),
        ("", "name is empty"),
        ("not a model!!", "is not a model name"),
    ],
)
def test_names_that_lead_nowhere(name, message):
    with pytest.raises(PlaygroundError, match=message):
        Models(name).load()


def test_all_weights_that_come_along_are_small():
    assert sum(file.stat().st_size for file in BUNDLED.glob("*/*.safetensors")) <= 44e6


def test_without_a_network_the_answer_comes_at_once(monkeypatch):
    from huggingface_hub import HfApi

    def unreachable(*_, **__):
        raise ConnectionError("no network")

    monkeypatch.setattr(HfApi, "model_info", unreachable)
    with pytest.raises(PlaygroundError, match="does not answer"):
        Models("some-org/some-model").load()


def test_more_than_the_memory_is_refused_before_reading(monkeypatch):
    monkeypatch.setattr(model_cache, "_caches", type(model_cache._caches)(ModelCache))
    monkeypatch.setattr(Placement, "free_bytes", lambda self: 2**20)
    with pytest.raises(PlaygroundError, match=r"OPT 6.7B \+ 125M needs 28 GB of memory in float32 .* 944 kB are free"):
        Models.named("opt-6.7b", placement=find_placement("cpu")).load()


def test_a_folder_larger_than_the_memory_is_refused_before_reading(tmp_path, monkeypatch):
    folder = save_model(tmp_path / "m", llama())
    monkeypatch.setattr(model_cache, "_caches", type(model_cache._caches)(ModelCache))
    monkeypatch.setattr(Placement, "free_bytes", lambda self: 1000)
    monkeypatch.setattr(loading, "read_pair", lambda *_: pytest.fail("it was read"))
    with pytest.raises(PlaygroundError, match="Choose a smaller pair"):
        Models(folder, placement=find_placement("cpu", dtype="float16")).load()


def test_a_model_that_ignores_the_mask_reads_paths_as_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(LanguageModel, "additive_mask", lambda self, visible, prefix: None)
    folder = save_model(tmp_path / "t", llama(initializer_range=1.0, num_hidden_layers=3))
    assert Models(folder).load().target.forward_pass.name == "transformers, paths as rows, state cut"


def test_a_model_whose_logits_change_from_call_to_call_is_refused(tmp_path, monkeypatch):
    folder = save_model(tmp_path / "t", llama(initializer_range=1.0, num_hidden_layers=3))
    read = PathPass.run

    def changed(self, rows, before, columns):
        logits, state = read(self, rows, before, columns)
        return logits + 9 * torch.rand_like(logits), state

    monkeypatch.setattr(LanguageModel, "additive_mask", lambda self, visible, prefix: None)
    monkeypatch.setattr(PathPass, "run", changed)
    with pytest.raises(PlaygroundError, match=r"computes other logits for a token where it reads others beside it"):
        Models(folder).load()
    with pytest.raises(PlaygroundError, match=r"in bfloat16, where rounding may be all of it\. Choose float32\."):
        Models(folder, placement=find_placement("cpu", dtype="bfloat16")).load()


def test_a_pair_of_a_package_is_loaded_from_it_and_says_how_to_get_it(tmp_path, monkeypatch):
    """The bundled target in the place of the package's file, with the head beside it as drafter."""
    pair = find_pair("smollm2-135m")
    monkeypatch.setattr(catalog, "find_spec", lambda name: None)
    with pytest.raises(PlaygroundError, match=r"not installed\. Install it: python3 app\.py --with-model\."):
        Models.named(pair).load()
    monkeypatch.setattr(catalog, "find_spec", lambda name: SimpleNamespace(submodule_search_locations=[str(BUNDLED)]))
    loaded = Models.named(replace(pair, target="target")).load()
    assert loaded.draft.name == "head of bundled target" and not loaded.others
    assert pair.target_name == str(BUNDLED / pair.target) and not pair.way_to_get


def test_catalog_ids_are_unique_and_sizes_plausible():
    assert len({pair.id for pair in PAIRS}) == len(PAIRS)
    assert all(pair.target_parameters > pair.draft_parameters > 1e5 for pair in PAIRS if pair.draft)
