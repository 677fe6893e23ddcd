"""A draft with another tokenizer proposes what both know, reads what the target wrote, and changes no law."""

import dataclasses

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from playground.decoding.method import make_method
from playground.decoding.record import run
from playground.errors import PlaygroundError
from playground.models.drafters.translated_model import TranslatedModel, Translation
from playground.models.loading import Models
from playground.models.sampling import Sampling
from playground.models.table_model import TableModel
from playground.models.vocabulary import TokenizerVocabulary
from playground.trace import validate
from playground.tree import TokenTree
from tests.decoding.runs import request
from tests.models.small import random_model
from tests.models.test_loading import llama, save_model

TARGET = TableModel.random(4, order=2, seed=5)
# token 1 is spelled by two of the draft's, token 3 by none; the draft has two that the target does not know
CUT = Translation([(0, 4), (2, 1)], [(4,), (0, 2), (1,), ()], beginning=(3,))
DRAFT = TranslatedModel(TableModel.random(5, order=2, seed=6), CUT, TARGET)
OTHERS = tuple(TranslatedModel(TableModel.random(5, order=1, seed=seed), CUT, TARGET) for seed in (7, 8, 9))


def test_what_the_draft_does_not_know_has_no_probability():
    tree = TokenTree([0, 1])
    probs = Sampling().probs(DRAFT.logits(tree, [1]))[0]
    own = DRAFT.model.row([3, 4, 0, 2])[[4, 1]]
    assert probs.tolist() == pytest.approx([own[0] / own.sum(), 0, own[1] / own.sum(), 0])


def test_one_that_is_first_asked_below_what_a_round_has_drafted_follows_the_rounds_after():
    """Its own tree ended behind that draft once, and a round that rejected it broke off."""
    method = make_method("specinfer", {"draft_models": 3, "first_draws": 1, "later_draws": 2})
    for seed in range(12):
        run_request = request(method, target=TARGET, draft=DRAFT, length=12)
        trace = run(dataclasses.replace(run_request, other_drafts=OTHERS, seed=seed))
        validate(trace)
        assert trace.finished.num_tokens == 12


def test_the_drafts_tree_follows_the_targets_through_branches_and_cuts():
    """At every node the answer is that of the draft's own plain pass over the translated text."""
    target, draft = random_model("llama", seed=1), random_model("gpt2", seed=2)
    rng = np.random.default_rng(0)
    spelled = [tuple(rng.integers(0, 61, size=rng.integers(0, 4)).tolist()) for _ in range(61)]
    translation = Translation([(token, 60 - token) for token in range(0, 61, 3)], spelled, beginning=(5,))
    model = TranslatedModel(draft, translation, target)
    tree = TokenTree(rng.integers(0, 61, size=6).tolist())
    model.forward(tree, [4])
    frontier = [5]
    for _ in range(5):
        nodes = list(frontier)
        for _ in range(9):
            nodes.append(tree.add(nodes[rng.integers(len(nodes))], int(rng.integers(61))))
        nodes = list(dict.fromkeys(nodes))
        result = model.logits(tree, nodes)
        for node, row in zip(nodes, result, strict=True):
            text = [5, *(each for token in tree.context(node) for each in spelled[token])]
            plain = draft.logits(TokenTree(text), [len(text) - 1])[0]
            assert torch.allclose(row[::3], plain.flip(0)[::3], atol=1e-4)
            assert torch.isinf(row[1::3]).all()
        frontier = [node for node in nodes[-2:] if not tree.children(node)]
        tree.retain(frontier)
    assert model.cache_bytes(tree) == draft.bytes_per_token * len(draft._caches[model._trees[tree].tree].slots)


def test_letters_in_another_order_are_the_same_letters(tmp_path):
    """Two tokenizers that know the same letters by other numbers share all of them, and the run is a whole trace."""
    pair = Models(save_model(tmp_path / "t", llama()), save_model(tmp_path / "d", llama(), letters="hgfedcba")).load()
    assert isinstance(pair.draft, TranslatedModel)
    assert sorted(pair.draft.translation.shared)[:3] == [(0, 7), (1, 6), (2, 2)]  # 2 ends a text in both
    run_request = request(make_method("rsd_s"), target=pair.target, draft=pair.draft, length=12)
    trace = run(run_request)
    validate(trace)
    assert trace.started.draft["shared_vocabulary"] == {"tokens": 8, "of_target": 8}
    alone = run(
        dataclasses.replace(run_request, method=make_method("autoregressive"), sampling=Sampling(temperature=0))
    )
    drafted = run(dataclasses.replace(run_request, sampling=Sampling(temperature=0)))
    assert drafted.finished.text == alone.finished.text


def test_words_are_spelled_by_the_drafts_pieces(tmp_path):
    """A byte-level vocabulary against one of SentencePiece's manner: tokens are the same where their bytes are."""

    def vocabulary(words, **parts):
        tokenizer = Tokenizer(models.BPE({word: number for number, word in enumerate(words)}, [], byte_fallback=False))
        for name, part in parts.items():
            setattr(tokenizer, name, part)
        return TokenizerVocabulary(PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>"))

    theirs = ["<end>", "a", "b", "\u0120", "\u0120ab", "\u00c3", "\u00a9", "\u00c3\u00a9"]
    own = ["<end>", "b", "a", "\u2581", "ab", "\u00e9", "\u2581a", "<0xC3>"]
    byte_level = vocabulary(theirs, pre_tokenizer=pre_tokenizers.ByteLevel(), decoder=decoders.ByteLevel())
    assert byte_level.spellings() == [None, b"a", b"b", b" ", b" ab", b"\xc3", b"\xa9", b"\xc3\xa9"]
    assert vocabulary(own).spellings() == [None, b"b", b"a", b" ", b"ab", "\u00e9".encode(), b" a", b"\xc3"]


def test_special_tokens_of_one_spelling_are_one_token(tmp_path):
    """Both write <end> and <turn>, by other numbers; <end> begins a text, too, and is written once."""
    names = []
    for folder, letters, added in (("t", "abcdefgh", ["<end>", "<turn>"]), ("d", "hgfedcba", ["<turn>", "<end>"])):
        names.append(save_model(tmp_path / folder, llama(vocab_size=10), letters=letters))
        tokenizer = AutoTokenizer.from_pretrained(names[-1])
        tokenizer.add_special_tokens({"additional_special_tokens": added})
        tokenizer.save_pretrained(names[-1])
    pair = Models(*names).load()
    assert dict(pair.draft.translation.shared)[8] == 9 and dict(pair.draft.translation.shared)[9] == 8
    assert pair.draft.facts()["shared_vocabulary"]["tokens"] == 10
    begun = dataclasses.replace(pair.draft.translation, beginning=(9,))
    model = TranslatedModel(pair.draft.model, begun, pair.target)
    trees = [TokenTree([8, 0]), TokenTree([0])]  # with the begin token in the target's text, and without
    for tree in trees:
        model.forward(tree, tree.trunk[-1:])
    assert [model._trees[tree].tree.tokens for tree in trees] == [[9, 7], [9, 7]]


def test_a_text_too_long_for_the_draft_is_one_sentence():
    target, draft = random_model("llama"), random_model("llama", seed=1)
    draft.max_positions = 16
    model = TranslatedModel(draft, Translation([(0, 0)], [(1, 2, 3)] * 61), target)
    assert model.max_positions == 8
    with pytest.raises(PlaygroundError, match="longer than the 16 of its own tokens"):
        model.forward(TokenTree([1] * 6), [5])
