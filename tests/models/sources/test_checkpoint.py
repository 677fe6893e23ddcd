"""What is not in a model's files is never used, and no code of its folder runs: it is refused in a sentence."""

import gc
import json

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import LlamaForCausalLM

from playground.errors import PlaygroundError
from playground.makers.training.export import read_exported
from playground.models.drafters.head import CONFIG, WEIGHTS, load_head
from playground.models.loading import Models
from playground.models.sources.placement import find_placement
from playground.tree import TokenTree
from tests.models.small import random_model
from tests.models.test_head import config, network
from tests.models.test_loading import llama, save_model

HEAD, MATRIX, NORM = "lm_head.weight", "model.layers.1.mlp.down_proj.weight", "model.norm.weight"


def saved(folder, change=dict, **shape):
    """A model whose weights, by name, are changed in its file."""
    name = save_model(folder, llama(num_hidden_layers=2, **shape))
    file = folder / "model.safetensors"
    save_file(change(load_file(file)), file, metadata={"format": "pt"})
    return name


def without(*names):
    return lambda weights: {name: weight for name, weight in weights.items() if name not in names}


def load(target, draft=None, tell=lambda _: None):
    return Models(target, draft, placement=find_placement("cpu")).load(tell)


@pytest.mark.parametrize("names", [[HEAD], [MATRIX], [NORM, MATRIX]], ids=["head", "matrix", "two"])
def test_weights_that_are_not_in_the_file_are_counted_and_named(tmp_path, names):
    broken = saved(tmp_path / "broken", without(*names))
    whole = saved(tmp_path / "whole")
    expected = rf"{len(names)} of its 21 weights (is|are) not in its files.*: {', '.join(sorted(names))}\. "
    for pair in ((broken, None), (whole, broken)):
        with pytest.raises(PlaygroundError, match=expected):
            load(*pair)


def test_weights_missing_in_a_file_of_the_old_format_are_named_too(tmp_path):
    name = saved(tmp_path / "m")
    weights = load_file(tmp_path / "m" / "model.safetensors")
    (tmp_path / "m" / "model.safetensors").unlink()
    torch.save(weights, tmp_path / "m" / "pytorch_model.bin")
    assert load(name).target.num_parameters
    torch.save(without(HEAD)(weights), tmp_path / "m" / "pytorch_model.bin")
    with pytest.raises(PlaygroundError, match=rf"not in its files.*{HEAD}"):
        Models(name, name, placement=find_placement("cpu")).load()


def test_a_tied_head_is_not_missing(tmp_path):
    name = saved(tmp_path / "m", tie_word_embeddings=True)
    assert HEAD not in load_file(tmp_path / "m" / "model.safetensors")
    model = load(name).target.model
    assert model.lm_head.weight is model.model.embed_tokens.weight


@pytest.mark.parametrize("prefix", ["_orig_mod.", "base_model.model.", "module."])
def test_names_under_a_wrapper_are_refused_with_its_prefix(tmp_path, prefix):
    name = saved(tmp_path / "m", lambda weights: {prefix + each: weight for each, weight in weights.items()})
    with pytest.raises(PlaygroundError, match=rf"21 of its 21 .* 21 names in them have '{prefix.split('.')[0]}\.'"):
        load(name)


def test_a_weight_of_another_shape_is_refused_with_both_shapes(tmp_path):
    name = saved(tmp_path / "m", lambda weights: weights | {HEAD: torch.zeros(9, 16)})
    with pytest.raises(PlaygroundError, match=rf"{HEAD} is 9 x 16 in its files and 8 x 16 by its configuration\. "):
        load(name)


def test_names_without_a_place_are_listed_and_change_nothing(tmp_path):
    said = []
    extra = {f"adapter.{number}.weight": torch.ones(2) for number in range(6)}
    more, plain = saved(tmp_path / "more", lambda weights: weights | extra), saved(tmp_path / "plain")
    logits = [load(name, tell=said.append).target.logits(TokenTree([1, 2]), [1]) for name in (more, plain)]
    assert torch.equal(*logits)
    (sentence,) = [each for each in said if "without" in each]
    assert "6 weights" in sentence and "adapter.0.weight" in sentence and sentence.endswith("and 2 more.")


def test_nothing_half_loaded_stays_in_memory(tmp_path):
    whole, broken = saved(tmp_path / "whole"), saved(tmp_path / "broken", without(HEAD))

    def count():
        return sum(type(each) is LlamaForCausalLM for each in gc.get_objects())

    gc.collect()
    before = count()
    with pytest.raises(PlaygroundError) as refused:
        load(whole, broken)
    assert count() == before, refused


def test_an_exported_network_is_read_whole_or_not_at_all(tmp_path):
    saved(tmp_path / "m", without(MATRIX))
    with pytest.raises(PlaygroundError, match=f"not in its files.*{MATRIX}"):
        read_exported(tmp_path / "m")


@pytest.mark.parametrize(
    ("name", "weight", "message"),
    [
        ("fuse.weight", None, r"missing: fuse\.weight"),
        ("layer.mlp.up_proj.weight", None, r"missing: mlp\.up_proj\.weight"),
        ("fuse.weight", torch.zeros(32, 32), "fuse.weight is 32 x 32 and should be 32 x 64"),
        ("token_norm.weight", torch.zeros(1), "token_norm.weight is 1 and should be 32"),
        ("layer.mlp.up_proj.weight", torch.zeros(24, 31), "up_proj.weight is 24 x 31 and should be 24 x 32"),
    ],
)
def test_a_head_beside_its_target_is_read_whole_or_not_at_all(tmp_path, name, weight, message):
    target = random_model("llama", 1, lean=True)
    target.model.name_or_path = str(tmp_path / "target")
    (tmp_path / "head").mkdir()
    (tmp_path / "head" / CONFIG).write_text(json.dumps(config(target)))
    changed = without(name)(network().state_dict()) | ({} if weight is None else {name: weight})
    save_file(changed, tmp_path / "head" / WEIGHTS)
    with pytest.raises(PlaygroundError, match=rf"cannot be read: .*{message}"):
        load_head(target)


CODE = """import pathlib
pathlib.Path({mark!r}).touch()
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
class Mine(LlamaConfig):
    model_type = "mine"
class Model(LlamaForCausalLM):
    config_class = Mine
class Tokenizer(PreTrainedTokenizerFast):
    pass
"""


@pytest.mark.parametrize("kind", ["AutoConfig", "AutoModelForCausalLM", "AutoTokenizer"])
def test_code_in_a_folder_neither_runs_nor_is_asked_about(tmp_path, monkeypatch, kind):
    name, mark = saved(tmp_path / "m"), tmp_path / "ran"
    (tmp_path / "m" / "mine.py").write_text(CODE.format(mark=str(mark)))
    of_tokenizer = kind == "AutoTokenizer"
    file = tmp_path / "m" / ("tokenizer_config.json" if of_tokenizer else "config.json")
    settings = json.loads(file.read_text())
    if of_tokenizer:
        settings |= {"auto_map": {kind: ["mine.Tokenizer", None]}, "tokenizer_class": "Tokenizer"}
    else:
        settings |= {"auto_map": {"AutoConfig": "mine.Mine", kind: "mine.Model"}, "model_type": "mine"}
    file.write_text(json.dumps(settings))
    monkeypatch.setattr("builtins.input", lambda *_: pytest.fail("a question was asked"))
    with pytest.raises(PlaygroundError, match="needs code from its own folder, which is never run here"):
        load(name)
    assert not mark.exists()


def test_a_model_that_transformers_knows_is_read_by_the_code_of_transformers(tmp_path, monkeypatch):
    name, mark = saved(tmp_path / "m"), tmp_path / "ran"
    (tmp_path / "m" / "mine.py").write_text(CODE.format(mark=str(mark)))
    settings = json.loads((tmp_path / "m" / "config.json").read_text())
    settings["auto_map"] = {"AutoConfig": "mine.Mine", "AutoModelForCausalLM": "mine.Model"}
    (tmp_path / "m" / "config.json").write_text(json.dumps(settings))
    monkeypatch.setattr("builtins.input", lambda *_: pytest.fail("a question was asked"))
    assert type(load(name).target.model) is LlamaForCausalLM and not mark.exists()
