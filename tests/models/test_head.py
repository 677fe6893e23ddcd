"""A drafting head: it drafts as it was trained, whatever the tree, and whatever the target has read by then."""

import json
import random

import pytest
import torch
from safetensors.torch import save_file

from playground.errors import PlaygroundError
from playground.makers.training.head import HeadNetwork
from playground.makers.training.network import Shape
from playground.models.drafters import beside
from playground.models.drafters import head as head_module
from playground.models.drafters.beside import fingerprint
from playground.models.drafters.head import CONFIG, VOCABULARY, WEIGHTS, Head, load_head
from playground.tree import TokenTree
from tests.models.small import random_model, wild

SHAPE = Shape(layers=1, width=32, heads=4, feed_forward=24, vocab=61)


def network():
    return wild(HeadNetwork(SHAPE), 0.3)


def config(target):
    about = {"heads": SHAPE.heads, "feed_forward": SHAPE.feed_forward, "norm_eps": 1e-5, "rope_theta": 1e4}
    return about | {"fingerprint": fingerprint(target.model)}


def head_of(target, tokens=None):
    weights = {name: each.detach() for name, each in network().state_dict().items()}
    return Head(target, config(target), weights | ({VOCABULARY: torch.tensor(tokens)} if tokens else {}))


@torch.inference_mode()
def as_trained(target, text, num_read):
    """What training says after a text whose first `num_read` tokens the target has read. (V,)"""
    batch, steps = torch.tensor([text]), max(1, len(text) - num_read)
    features = target.model.model(batch).last_hidden_state
    guesses = network()(target.model.model.embed_tokens(batch), features, steps)
    return target.model.lm_head(guesses[-1][0, -1])


def assert_says_in_any_tree(target, drafter, expected_logits):
    """Grown, asked, verified and cut at random; the last token of a text is never read by the target before it.

    Args:
        expected_logits: of a text of which the target has read so many tokens.
    """
    rng, tree = random.Random(target.name), TokenTree([3, 1, 4, 1, 5])
    for _ in range(6):
        root = tree.trunk[-1]
        target.logits(tree, [tree.parents[root]])
        alive = [root]
        for _draft in range(rng.randrange(1, 7)):
            alive.append(tree.add(rng.choice(alive), rng.randrange(61)))
        for node in rng.sample(alive, rng.randrange(1, len(alive) + 1)):
            result = drafter.forward(tree, [node]).logits[0]
            expected = expected_logits(target, tree.context(node), tree.depths[root])
            assert torch.allclose(result, expected, atol=2e-4), float((result - expected).abs().max())
        leaf = rng.choice(alive)
        target.logits(tree, alive)
        tree.retain([tree.add(leaf, rng.randrange(61))])


@pytest.mark.parametrize("shape", ["llama", "tied llama with biases", "qwen3"])
def test_it_says_in_any_tree_what_it_was_trained_to_say(shape):
    target = random_model(shape, lean=True)
    assert_says_in_any_tree(target, head_of(target), as_trained)


def test_what_was_read_with_a_guess_is_read_again_when_the_target_knows():
    target = random_model("llama", lean=True)
    head, tree = head_of(target), TokenTree([3, 1, 4, 1, 5])
    target.logits(tree, [3])
    assert head.forward(tree, [3]).fed == [0, 1, 2, 3] and head.forward(tree, [4]).fed == [4]
    first = tree.add(4, 9)
    second = tree.add(first, 2)
    assert head.forward(tree, [second]).fed == [first, second]  # one pass each: the second takes the first one's guess
    target.logits(tree, [4, first, second])
    tree.retain([extra := tree.add(first, 7)])
    result = head.forward(tree, [extra])
    assert result.fed == [first, extra] and result.num_cached == 5
    assert head.cache_bytes(tree) == 7 * 2 * 4 * 8 * 4  # keys and values, heads, their size, bytes of a number


@pytest.mark.parametrize("halved", [False, True])
def test_a_draft_vocabulary_leaves_its_rows_and_no_other_token(halved, monkeypatch):
    """What the head says of these tokens is what it says without one, but for the rounding of the rows to 16 bits."""
    monkeypatch.setattr(head_module, "reads_halves", lambda *_: halved)
    target, chosen = random_model("llama", lean=True), [40, 3, 17, 60]
    weights = {name: each.detach().half().float() for name, each in network().state_dict().items()}
    heads = [Head(target, config(target), weights | more) for more in ({}, {VOCABULARY: torch.tensor(chosen)})]
    rows = []
    for head in heads:
        tree = TokenTree([3, 1, 4, 1, 5])
        target.logits(tree, [3])
        rows.append(head.forward(tree, [4, tree.add(4, 9), tree.add(4, 40)]).logits)
    assert torch.allclose(rows[0][:, chosen], rows[1][:, chosen], atol=5e-3)
    assert rows[1].isneginf().sum(1).tolist() == [57, 57, 57] and rows[1].shape == rows[0].shape
    assert heads[1].facts()["draft_vocabulary"] == 4 and "draft_vocabulary" not in heads[0].facts()


def test_a_head_that_comes_with_the_playground_is_found_by_its_target(tmp_path, monkeypatch):
    target, other = random_model("llama", 1, lean=True), random_model("llama", 2, lean=True)
    monkeypatch.setattr(beside, "BUNDLED", tmp_path)
    folder = tmp_path / "some-chat-model" / "head"
    folder.mkdir(parents=True)
    (folder / CONFIG).write_text(json.dumps(config(target)))
    save_file(network().state_dict(), folder / WEIGHTS)
    assert load_head(target).name == f"head of {target.name}"
    for without in (other, random_model("gpt2")):
        with pytest.raises(PlaygroundError, match=r"no head\. Train one"):
            load_head(without)
