"""Who drafts is one word; whoever it is, methods take it as a draft model, and the text keeps the target's law."""

import numpy as np
import pytest
import torch

import playground
from playground.decoding.method import make_method
from playground.errors import PlaygroundError
from playground.models.drafters.choice import drafter_called, drafter_title, with_drafter
from playground.models.drafters.text_model import TextModel, following
from playground.models.drafters.translated_model import TranslatedModel, Translation
from playground.models.loading import LoadedPair, Models
from playground.models.sampling import Sampling
from playground.tree import TokenTree
from tests.decoding.runs import DRAFT, OTHERS, TARGET, request, tokens, trace_of
from tests.decoding.test_whole_rounds import LENGTH, enumerable, law_of_a_round  # noqa: F401, a fixture
from tests.decoding.test_whole_rounds import TARGET as TARGET_OF_3
from tests.models.small import random_model
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
    with pytest.raises(PlaygroundError, match="one draft model and no other"):
        with_drafter(LoadedPair(loaded.target, loaded.draft), "other")
    with pytest.raises(PlaygroundError, match="no draft with another tokenizer"):
        with_drafter(LoadedPair(loaded.target, loaded.draft), "foreign")
    with pytest.raises(PlaygroundError, match=r"Unknown drafter 'sufix'\. Did you mean 'suffix'"):
        with_drafter(loaded, "sufix")
    with pytest.raises(PlaygroundError, match=r"has 3 layers.*Choose 1 to 2"):
        with_drafter(loaded, "exit3")
    assert with_drafter(LoadedPair(loaded.target, None), "suffix").draft is not None


def test_the_text_says_what_followed_its_longest_match():
    assert sorted(following([1, 2, 3, 1, 2, 4, 1, 2])) == [3, 4]
    assert following([1, 2, 9, 5, 2, 8, 1, 2]) == [9]  # of the longest match, not of all
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
    monkeypatch.setattr("playground.models.loading._model", lambda *_: pytest.fail("weights were read"))
    how = {"target": names[0], "draft": names[1]}
    for drafter, sentence in (
        ("foreign", "no draft with another"),
        ("other", "no other"),
        ("haed", "Did you mean .head"),
    ):
        with pytest.raises(PlaygroundError, match=sentence):
            playground.run("speculative_sampling", "a b", drafter=drafter, **how)
    with pytest.raises(PlaygroundError, match="no draft with another"):
        playground.run("autoregressive", "a b", drafter="foreign", target=names[0])


@pytest.mark.parametrize("method", ["speculative_sampling", "rsd_c", "specinfer"])
def test_a_round_that_the_text_drafts_has_exactly_the_targets_law(method, enumerable):  # noqa: F811
    """Enumerated; draws of a law that covers few tokens, and mostly not those of the target."""
    text = [0, 1, 2, 0, 1, 0, 1, 1, 0, 1]
    distribution = law_of_a_round(
        make_method(method, {"draft_length": 2}), draft_model=TextModel(TARGET_OF_3), prompt=text
    )
    assert np.abs(distribution - TARGET_OF_3.distribution(text, LENGTH)).max() < 1e-6  # counts are in single precision


@pytest.mark.parametrize("method", ["speculative_sampling", "dynamic_tree", "greedy_draft", "hybrid"])
def test_greedily_the_text_is_the_targets_own_whoever_drafts(method):
    plain = tokens(request(make_method("autoregressive"), sampling=Sampling(0), length=30))
    for drafter in (DRAFT, OTHERS[0], TextModel(TARGET)):
        run_request = request(make_method(method), draft=drafter, sampling=Sampling(0), length=30)
        assert tokens(run_request) == plain
        assert trace_of(run_request).started.draft["name"] == drafter.name
