"""Early exit: what the first layers say, in the target's own cache, without the target noticing."""

import copy
import random

import pytest
import torch

from playground.errors import PlaygroundError
from playground.models.drafters.early_exit import EarlyExit
from playground.models.language_model import LanguageModel
from playground.models.passes.slots import BLOCK
from playground.tree import TokenTree
from tests.models.small import Numbers, random_model


def cut_off(target, depth):
    """The same model of transformers without its later layers, with transformers' own pass and a cache of its own."""
    model = copy.deepcopy(target.model)
    model.model.layers = model.model.layers[:depth]
    model.config.num_hidden_layers = depth
    return LanguageModel(model, Numbers(), name="cut off")


def same(found, expected):
    assert torch.allclose(found, expected, atol=2e-4), float((found - expected).abs().max())


@pytest.mark.parametrize("shape", ["llama", "tied llama with biases", "qwen3"])
@pytest.mark.parametrize("depth", [1, 2])
def test_it_says_what_the_first_layers_alone_say_in_any_tree(shape, depth):
    """Grown, asked and cut at random, with the target asked in between; and the target says what it always says."""
    target, rng = random_model(shape, lean=True), random.Random(f"{shape} {depth}")
    depth = min(depth, target.forward_pass.num_layers - 1)
    early, alone = EarlyExit(target, depth), cut_off(target, depth)
    plain = LanguageModel(target.model, Numbers(), name="plain")
    tree = TokenTree([3, 1, 4, 1, 5])
    for _ in range(12):
        alive = [tree.trunk[-1], *tree.tail]
        for _draft in range(rng.randrange(1, 6)):
            alive.append(tree.add(rng.choice(alive), rng.randrange(61)))
        for _ask in range(rng.randrange(1, 4)):
            nodes = rng.sample(alive, rng.randrange(1, len(alive) + 1))
            if rng.random() < 0.6:
                same(early.forward(tree, nodes).logits, alone.logits(tree, nodes))
            else:
                same(target.logits(tree, nodes), plain.logits(tree, nodes))
        tree.retain(rng.sample(alive, rng.choice([1, 1, 2]) if len(alive) > 2 else 1))


def test_it_reads_nothing_that_the_target_has_read():
    """After a verification the draft runs the one new token, though it has not read what was accepted by itself."""
    target = random_model("llama", lean=True)
    early, tree = EarlyExit(target, 1), TokenTree([3, 1, 4, 1, 5])
    target.logits(tree, [tree.trunk[-2]])
    assert early.forward(tree, [4]).fed == [4]
    drafted = tree.add(4, 9)
    assert early.forward(tree, [drafted]).fed == [drafted] and early.cache_bytes(tree) == 2 * early._bytes_per_token()
    target.logits(tree, [4, drafted])
    tree.retain([extra := tree.add(drafted, 7)])
    result = early.forward(tree, [extra])
    assert result.fed == [extra] and result.num_cached == 6 and early.cache_bytes(tree) == early._bytes_per_token()


def test_a_draft_across_the_end_of_a_block_of_slots():
    target, text = random_model("llama 3", lean=True), [number % 61 for number in range(BLOCK - 1)]
    target.max_positions = 2 * BLOCK
    early, alone, tree = EarlyExit(target, 1), cut_off(target, 1), TokenTree(text)
    target.logits(tree, [tree.trunk[-2]])
    node = tree.trunk[-1]
    for token in range(5):
        same(early.forward(tree, [node]).logits, alone.logits(tree, [node]))
        node = tree.add(node, token)
    same(target.logits(tree, [node]), LanguageModel(target.model, Numbers(), name="plain").logits(tree, [node]))


def test_it_says_why_a_model_cannot_be_left_early():
    with pytest.raises(PlaygroundError, match="Llama-shaped"):
        EarlyExit(random_model("gpt2"), 1)
    for depth in (0, 3, 12):
        with pytest.raises(PlaygroundError, match=r"has 3 layers.*Choose 1 to 2"):
            EarlyExit(random_model("llama", lean=True), depth)


def test_it_has_fewer_parameters_than_its_target_and_shares_them():
    target = random_model("llama", lean=True)
    sizes = [EarlyExit(target, depth).num_parameters for depth in (1, 2)]
    assert sizes[0] < sizes[1] < target.num_parameters
    assert target.num_parameters - sizes[1] == sizes[1] - sizes[0]  # a layer each
