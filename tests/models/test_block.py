"""A block drafter: it drafts as it was trained, one call for a whole draft, whatever the tree."""

import json
import random
import sys
from functools import cache, partial

import pytest
import torch
from safetensors.torch import save_file

from playground.decoding.decode import Round, decode
from playground.decoding.method import make_method
from playground.errors import PlaygroundError
from playground.makers.training.block import BlockNetwork, BlockShape
from playground.models.bundled import BLOCK_CONFIDENCE, BLOCK_MARKOV
from playground.models.drafters import block as module
from playground.models.drafters.beside import fingerprint
from playground.models.drafters.block import Block, load_block
from playground.models.drafters.choice import BLOCKS, drafter_called, with_drafter
from playground.models.drafters.early_exit import EarlyExit
from playground.models.drafters.head import Head, load_head
from playground.models.loading import LoadedPair
from playground.models.sampling import Sampling
from playground.tree import TokenTree
from tests.decoding.runs import request, tokens, trace_of
from tests.models import test_head
from tests.models.small import generated, random_model, wild
from tests.models.test_head import assert_says_in_any_tree

POSITIONS = 4
OF_61 = BlockShape(layers=2, width=32, heads=4, feed_forward=24, vocab=61, positions=POSITIONS, rank=3)
OF_3 = BlockShape(layers=1, width=32, heads=4, feed_forward=24, vocab=3, positions=3, rank=2)


def network(shape=OF_61):
    return wild(BlockNetwork(shape), 0.3)


def config(target, shape=OF_61):
    own = {name: getattr(shape, name) for name in ("layers", "heads", "feed_forward", "positions", "rank")}
    return own | {"norm_eps": 1e-5, "rope_theta": 1e4, "fingerprint": fingerprint(target.model)}


def block_of(target, word=BLOCK_MARKOV, shape=OF_61):
    weights = {name: each.detach() for name, each in network(shape).state_dict().items()}
    return Block(target, config(target, shape), weights, word=word)


@torch.inference_mode()
def as_trained(target, text, num_read, word=BLOCK_MARKOV):
    """Logits that training gives behind a text whose first `num_read` tokens the target has read. (V,)"""
    made, anchor = network(), num_read
    depth = len(text) - 1 - anchor
    batch = torch.tensor([text[: anchor + 1]])
    features = target.model.model(batch).last_hidden_state
    predicted = made(target.model.model.embed_tokens(batch), features, torch.tensor([anchor]))
    logits = target.model.lm_head(predicted)  # (1, 1, K, V)
    if word != "block":
        before = torch.full((1, 1, POSITIONS), text[-1])
        logits = made.with_bias(logits, before)
    return logits[0, 0, min(depth, POSITIONS - 1)]


@pytest.mark.parametrize("word", ["block", BLOCK_MARKOV])
@pytest.mark.parametrize("shape", ["llama", "tied llama with biases"])
def test_it_says_in_any_tree_what_it_was_trained_to_say(shape, word):
    target = random_model(shape, lean=True)
    assert_says_in_any_tree(target, block_of(target, word), partial(as_trained, word=word))


def test_a_draft_costs_one_call_and_several_texts_one_each():
    target = random_model("llama", lean=True)
    block, tree = block_of(target), TokenTree([3, 1, 4, 1, 5])
    target.logits(tree, [3])
    assert block.forward(tree, [4]).fed == [0, 1, 2, 3, 4]
    first, other = tree.add(4, 9), tree.add(4, 2)
    assert not block.forward(tree, [first, other, tree.add(first, 7)]).fed
    target.logits(tree, [4, first, other])
    ends = [tree.add(first, 8), tree.add(other, 8)]  # two texts, of which the target has not read the last tokens
    result = block.forward(tree, ends)
    assert result.fed == [first, other, *ends] and result.num_cached == 5
    for row, node in zip(result.logits, ends, strict=True):
        assert torch.allclose(row, as_trained(target, tree.context(node), 6), atol=2e-4)
    assert block.cache_bytes(tree) == 9 * 2 * 2 * 4 * 8 * 4  # layers, keys and values, heads, size, bytes of a number


greedy_text = cache(lambda target, prompt: generated(target.model, prompt, 20))


@pytest.fixture(scope="module")
def target():
    return random_model("llama", 1, lean=True)


@pytest.mark.parametrize("method", ["speculative_sampling", "rsd_s", "dynamic_tree", "sequoia", "dsbd", "hybrid"])
@pytest.mark.parametrize("word", ["exit", "head", *BLOCKS])
def test_methods_take_it_as_any_other_draft_model_and_a_head_and_an_exit_too(target, method, word):
    """Greedily the text is the target's own, which is transformers'; sampled, the run is whole."""
    makers = {"exit": lambda: EarlyExit(target, 2), "head": lambda: test_head.head_of(target)}
    draft = makers.get(word, lambda: block_of(target, word))()
    facts = {"exit": {"layers": 2}, "head": {"layers": 1}}.get(word, {"positions": POSITIONS})
    options = {"target": target, "draft": draft, "prompt": [5, 7, 11], "length": 20}
    trace = trace_of(request(make_method(method), **options, seed=3))
    assert trace.events[-1].num_tokens == 20 and facts.items() <= trace.started.draft.items()
    if make_method(method).reproduces == "target sampling":
        written = tokens(request(make_method(method), **options, sampling=Sampling(0)))
        assert list(written) == greedy_text(target, tuple(options["prompt"]))


def test_no_draft_is_longer_than_the_block():
    target = random_model("llama", 1, lean=True)
    long = make_method("speculative_sampling", {"draft_length": 9})
    trace = trace_of(request(long, target=target, draft=block_of(target), prompt=[5, 7, 11], length=20))
    assert max(len(each.drafted) for each in trace.rounds) == POSITIONS


def test_its_confidence_is_known_before_anything_is_drawn(monkeypatch):
    """The length depends on the text up to the anchor alone, and on nothing that is drafted below it."""
    target = random_model("llama", 1, lean=True)
    block, tree = block_of(target, BLOCK_CONFIDENCE), TokenTree([5, 7, 11, 2])
    target.logits(tree, [2])
    lengths = []
    for least in (0.0, 0.2, 0.5, 1.1):
        monkeypatch.setattr(module, "LEAST_SURVIVAL", least)
        before, _ = block.max_depth(tree, [3])
        tree.add(tree.add(3, random.Random(least).randrange(61)), 4)
        lengths.append(before)
        assert block.max_depth(tree, [3])[0] == before
    assert lengths[0] == POSITIONS and lengths[-1] == 0 and lengths == sorted(lengths, reverse=True)


@torch.inference_mode()
def confidences_in_training(target, text):
    """Confidence of each row after a text, as training computes it. (K,)"""
    made, batch = network(), torch.tensor([text])
    features = target.model.model(batch).last_hidden_state
    predicted = made(target.model.model.embed_tokens(batch), features, torch.tensor([len(text) - 1]))
    return made.confidence(predicted)[0, 0, :, 0].sigmoid()


@pytest.mark.parametrize("word", BLOCKS)
@pytest.mark.parametrize("method", ["speculative_sampling", "rsd_s", "dynamic_tree", "dsbd"])
def test_a_round_records_what_its_call_gave_as_training_computes_it(target, method, word, monkeypatch):
    """q by the row alone, q with the bias, and the confidence, whatever the run's temperature warps."""
    monkeypatch.setattr(module, "LEAST_SURVIVAL", 0.05)
    options = {"target": target, "draft": block_of(target, word), "prompt": [5, 7, 11], "length": 12}
    trace = trace_of(request(make_method(method), **options, sampling=Sampling(0.7)))
    tokens_of, above = dict(enumerate(options["prompt"])), {0: -1, 1: 0, 2: 1}
    num_seen = 0
    for each in trace.rounds:
        for layer in each.drafted:
            tokens_of |= dict(zip(layer.nodes, layer.tokens, strict=True))
            above |= dict(zip(layer.nodes, layer.parents, strict=True))
        results = [working for working in each.verified.workings if working["kind"] == "block_draft"]
        assert len(results) == bool(each.drafted)
        for working in results:
            num_seen += 1
            path, node = [], above[working["nodes"][0]]
            assert [above[at] for at in working["nodes"]] == [node, *working["nodes"][:-1]]
            while node >= 0:
                path.insert(0, tokens_of[node])
                node = above[node]
            drafted = [tokens_of[at] for at in working["nodes"]]
            for i, token in enumerate(drafted):
                for name, by in (("base", "block"), ("biased", word)):
                    row = as_trained(target, path + drafted[:i], len(path) - 1, by).softmax(-1)
                    assert working[name][i] == pytest.approx(float(row[token]), abs=1e-5)
            assert working["confidences"] == pytest.approx(confidences_in_training(target, path).tolist(), abs=1e-5)
            assert working["least_survival"] == (0.05 if word == BLOCK_CONFIDENCE else None)
        committed = each.committed
        tokens_of |= dict(zip(committed.nodes, committed.tokens, strict=True))
        above |= dict(zip(committed.nodes, committed.parents, strict=True))
    assert num_seen > 3


def test_a_copied_draft_has_no_record_of_the_block_and_without_a_reader_nothing_is_computed(monkeypatch):
    target = random_model("llama", 1, lean=True)
    block = block_of(target, BLOCK_CONFIDENCE)
    hybrid = make_method("hybrid", {"least_score": 0.0})
    run_request = request(hybrid, target=target, draft=block, prompt=[5, 7, 11, 5, 7], length=16)
    kinds = [{each["kind"] for each in at.verified.workings} for at in trace_of(run_request).rounds]
    assert any("suffix" in each for each in kinds) and not any({"suffix", "block_draft"} <= each for each in kinds)
    monkeypatch.setattr(Block, "_block_path", lambda *_: pytest.fail("computed, and nobody has asked"))
    assert [each.number for each in decode(run_request) if isinstance(each, Round)]


def test_a_call_for_the_length_alone_counts_as_a_draft_call_of_the_round(monkeypatch):
    """With confidence the length takes the call, and the drafts read its rows: one pass, as without."""
    monkeypatch.setattr(module, "LEAST_SURVIVAL", 0.0)
    work = {}
    for word in BLOCKS:
        target = random_model("llama", 1, lean=True)
        models = {"target": target, "draft": block_of(target, word)}
        made = decode(request(make_method("speculative_sampling", {"draft_length": 3}), **models))
        work[word] = next(item.draft_work for item in made if isinstance(item, Round))
    assert work[BLOCK_CONFIDENCE] == work[BLOCK_MARKOV] and work[BLOCK_MARKOV][0] == 1


@pytest.mark.parametrize(
    ("called", "words", "made_of", "load", "drafter"),
    [
        ("head", ("head",), test_head, load_head, Head),
        ("block drafter", BLOCKS, sys.modules[__name__], load_block, Block),
    ],
    ids=["head", "block"],
)
def test_a_pair_finds_the_drafter_beside_its_target_and_says_what_is_wrong(
    called, words, made_of, load, drafter, tmp_path
):
    target, other = random_model("llama", 1, lean=True), random_model("llama", 2, lean=True)
    pair, folder = LoadedPair(target, None), tmp_path / called.split()[0]
    for where in ("", str(tmp_path / "target")):
        target.model.name_or_path = where
        with pytest.raises(PlaygroundError, match=f"no {called}\\. Train one"):
            with_drafter(pair, folder.name)
    folder.mkdir()
    (folder / f"{folder.name}.json").write_text(json.dumps(made_of.config(target)))
    with pytest.raises(PlaygroundError, match="cannot be read"):
        load(target)
    save_file(made_of.network().state_dict(), folder / f"{folder.name}.safetensors")
    for word in words:
        result = with_drafter(pair, word).draft
        assert drafter_called(pair, result.name).draft.name == result.name
    other.model.name_or_path = str(tmp_path / "target")
    with pytest.raises(PlaygroundError, match="trained on another target"):
        load(other)
    with pytest.raises(PlaygroundError, match="Llama-shaped"):
        drafter(random_model("gpt2"), made_of.config(target), {})
