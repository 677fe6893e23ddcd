"""Who drafts is one word; whoever it is, methods take it as a draft model, and the text keeps the target's law."""

from functools import cache, partial

import numpy as np
import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

import playground
from playground.decoding.method import make_method
from playground.errors import PlaygroundError
from playground.models.bundled import BLOCK_CONFIDENCE
from playground.models.drafters.choice import BLOCKS, drafter_called, drafter_title, with_drafter
from playground.models.drafters.eagle3 import LAYERS
from playground.models.drafters.early_exit import EarlyExit
from playground.models.drafters.text_model import TextModel, following
from playground.models.drafters.translated_model import TranslatedModel, Translation
from playground.models.language_model import LanguageModel
from playground.models.loading import LoadedPair, Models
from playground.models.passes.lean_pass import LeanPass
from playground.tree import TokenTree
from tests.decoding.runs import TARGET
from tests.decoding.test_whole_rounds import LENGTH, PROMPT, enumerable, law_of_a_round  # noqa: F401, a fixture
from tests.models import test_eagle3
from tests.models.eagle import random_weights, save_original
from tests.models.small import Numbers, random_model
from tests.models.test_block import OF_3, block_of
from tests.models.test_head import head_of
from tests.models.test_loading import llama, save_model

WORDS = ("draft", "other", "foreign", "exit1", "exit2", "suffix")


def pair():
    target, *drafts = random_model("llama", 1, lean=True), *(random_model("llama", seed) for seed in (2, 3, 4))
    for model, name in zip(drafts, ("small", "smaller", "strange"), strict=True):
        model.name = name
    strange = TranslatedModel(drafts.pop(), Translation([(0, 0)], [(0,)] * 61), target)
    return LoadedPair(target, drafts[0], (drafts[1], strange))


def test_every_word_names_a_draft_model_and_its_name_leads_back():
    loaded = pair()
    names = {word: with_drafter(loaded, word).draft.name for word in WORDS}
    assert len(set(names.values())) == len(WORDS)
    for word, name in names.items():
        result = drafter_called(loaded, name)
        assert result.draft.name == name and drafter_title(word)
        assert {result.draft.name, *(each.name for each in result.others)} >= {"small", "smaller", "strange"}
    assert drafter_called(loaded, "another") is None
    assert with_drafter(loaded, "draft") is loaded


def test_what_a_pair_has_not_is_said():
    loaded = pair()
    with pytest.raises(PlaygroundError, match="only one draft model"):
        with_drafter(LoadedPair(loaded.target, loaded.draft), "other")
    with pytest.raises(PlaygroundError, match="no draft model with another tokenizer"):
        with_drafter(LoadedPair(loaded.target, loaded.draft), "foreign")
    with pytest.raises(PlaygroundError, match=r"Unknown drafter 'sufix'\. Did you mean 'suffix'"):
        with_drafter(loaded, "sufix")
    with pytest.raises(PlaygroundError, match=r"has 3 layers.*Choose 1 to 2"):
        with_drafter(loaded, "exit3")
    assert with_drafter(LoadedPair(loaded.target, None), "suffix").draft is not None


def test_the_text_says_what_followed_its_longest_match():
    assert sorted(following([1, 2, 3, 1, 2, 4, 1, 2])) == [3, 4]
    assert following([1, 2, 9, 5, 2, 8, 1, 2]) == [9]  # It follows the longest match, not all.
    assert following([1, 2, 3]) == [1, 2, 3]
    tree = TokenTree([1, 2, 3, 1, 2, 3, 1, 2, 4, 1, 2])
    model = TextModel(TARGET)
    node = tree.add(10, 3)
    said = torch.softmax(model.forward(tree, [10, node]).logits, -1)
    assert said[0].tolist() == pytest.approx([0, 0, 0, 2 / 3, 1 / 3]) and said[1].tolist() == [0, 1, 0, 0, 0]


def test_a_drafter_that_is_not_there_is_refused_before_any_weight_is_read(tmp_path, monkeypatch):
    letters = {"t": "abcdefgh", "d": "abcdefgh", "f": "hgfedcba"}
    names = [save_model(tmp_path / role, llama(), letters=each) for role, each in letters.items()]
    Models(names[0], names[2], drafter="foreign").check()
    monkeypatch.setattr("playground.models.pair_reading.read_weights", lambda *_: pytest.fail("weights were read"))
    how = {"target": names[0], "draft": names[1]}
    for drafter, sentence in (
        ("foreign", "no draft model with another"),
        ("other", "only one draft model"),
        ("haed", "Did you mean .head"),
    ):
        with pytest.raises(PlaygroundError, match=sentence):
            playground.run("speculative_sampling", "a b", drafter=drafter, **how)
    with pytest.raises(PlaygroundError, match="no draft model with another"):
        playground.run("autoregressive", "a b", drafter="foreign", target=names[0])


class OfThree(LanguageModel):
    """A language model of three tokens, whose law can be written down."""

    def __init__(self):
        torch.manual_seed(5)
        sizes = {"hidden_size": 32, "intermediate_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4}
        model = LlamaForCausalLM(LlamaConfig(vocab_size=3, bos_token_id=None, eos_token_id=None, **sizes)).float()
        with torch.no_grad():
            model.lm_head.weight.mul_(8)
        super().__init__(model, Numbers(), name="of three", forward_pass=LeanPass(model))
        self.row = cache(self._row)

    def _row(self, *context):
        with torch.inference_mode():
            return self.model(torch.tensor([context])).logits[0, -1].double().softmax(-1).numpy()

    def distribution(self, prompt, length):
        """The joint law of the next tokens. (3,) * length"""
        exact = np.ones((3,) * length)
        for path in np.ndindex(*exact.shape):
            exact[path] = np.prod([self.row(*prompt, *path[:placement])[x] for placement, x in enumerate(path)])
        return exact


ROUNDS = {
    "speculative_sampling": {"draft_length": 2},
    "dynamic_tree": {"depth": 2, "width": 2, "total_tokens": 4},
    "specinfer": {"draft_length": 2, "first_draws": 2},
}


def eagle_head(target, folder, tokens=None):
    return test_eagle3.head_of(target, save_original(folder, random_weights(tokens, vocab=3), **{LAYERS: [0, 1, 1]}))


BESIDE = {  # drafters on a target of three tokens; heads that draft some of them only
    "head": lambda target, _: head_of(target),
    "head of two tokens": lambda target, _: head_of(target, tokens=[0, 2]),
    "head of one token": lambda target, _: head_of(target, tokens=[1]),
    "EAGLE-3 head": eagle_head,
    "EAGLE-3 head of two tokens": partial(eagle_head, tokens=[0, 2]),
    "EAGLE-3 head of one token": partial(eagle_head, tokens=[1]),
    "exit": lambda target, _: EarlyExit(target, 1),
    **{word: lambda target, _, word=word: block_of(target, word, OF_3) for word in BLOCKS},
    "text": lambda target, _: TextModel(target),
}


@pytest.mark.parametrize("method", ROUNDS)
@pytest.mark.parametrize("drafter", BESIDE)
def test_a_round_that_it_drafts_has_exactly_the_targets_law(drafter, method, enumerable, tmp_path, monkeypatch):  # noqa: F811
    """Enumerated: every draw of the drafter's, every coin, and every length that a block's confidence may choose."""
    target = OfThree()
    made = BESIDE[drafter](target, tmp_path)
    prompt = [0, 1, 2, 0, 1, 0, 1, 1, 0, 1] if drafter == "text" else PROMPT  # mostly not what the target writes
    expected = target.distribution(prompt, LENGTH)
    for least in (0.0, 0.3, 0.6, 1.0) if drafter == BLOCK_CONFIDENCE else (0.0,):
        monkeypatch.setattr("playground.models.drafters.block.LEAST_SURVIVAL", least)
        options = {"target": target, "draft_model": made, "prompt": prompt}
        result = law_of_a_round(make_method(method, ROUNDS[method]), **options)
        assert np.abs(result - expected).max() < 1e-5  # single precision
