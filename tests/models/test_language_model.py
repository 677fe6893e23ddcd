"""Reading a tree gives, at every node, what a plain forward pass along its path gives."""

import random

import pytest
import torch

from playground.errors import PlaygroundError
from playground.tree import TokenTree
from tests.models.small import SHAPES, random_model

TOLERANCE = 1e-4


def along_the_path(model, tree, node):
    """Logits after `node` from a plain pass without any cache. (V,)"""
    with torch.inference_mode():
        return model.model(torch.tensor([tree.context(node)])).logits[0, -1]


def assert_exact(model, tree, nodes):
    request = model.logits(tree, nodes)
    for row, node in zip(request, nodes, strict=True):
        difference = float((row - along_the_path(model, tree, node)).abs().max())
        assert difference < TOLERANCE, f"{model.name}: node {node} differs by {difference}"


def assert_exact_while_growing(model, rounds, seed):
    """Random growth, asking and pruning, with branches, beams, unasked ancestors and repeated questions."""
    rng = random.Random(seed)
    tree = TokenTree([3, 1, 4, 1, 5])
    for _ in range(rounds):
        alive = [tree.trunk[-1], *tree.tail]
        for _draft in range(rng.randrange(1, 8)):
            alive.append(tree.add(rng.choice(alive), rng.randrange(61)))
        assert_exact(model, tree, rng.sample(alive, rng.randrange(1, len(alive) + 1)))
        tree.retain(rng.sample(alive, rng.choice([1, 1, 2, 3]) if len(alive) > 3 else 1))


@pytest.mark.parametrize("shape", SHAPES)
def test_every_node_of_a_growing_tree(shape):
    assert_exact_while_growing(random_model(shape), 12, shape)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_chain_needs_no_mask_and_a_branch_does(shape):
    model, tree = random_model(shape), TokenTree([3, 1, 4])
    left = tree.add(2, 5)
    assert model.forward(tree, [2, left]).visible is None
    right = tree.add(2, 6)
    forward = model.forward(tree, [right])
    assert forward.fed == [right] and forward.columns == [left, right]
    assert forward.visible.tolist() == [[False, True]]


def test_nothing_runs_twice():
    model, tree = random_model("llama"), TokenTree([3, 1, 4])
    child = tree.add(2, 5)
    assert model.forward(tree, [2, child]).fed == [0, 1, 2, child]
    assert model.forward(tree, [child, 2]).fed == []


def test_the_last_of_an_accepted_chain_is_caught_up_with_the_next_question():
    """The draft model never reads its own last token; the next round feeds it together with the bonus token."""
    model, tree = random_model("llama"), TokenTree([3, 1, 4])
    first = tree.add(2, 5)
    model.logits(tree, [2])
    bonus = tree.add(first, 6)
    tree.retain([bonus])
    assert model.forward(tree, [bonus]).fed == [first, bonus]


def test_logits_forgotten_in_the_trunk_are_computed_again():
    model, tree = random_model("llama"), TokenTree([3, 1, 4, 1, 5])
    leaf = tree.add(4, 9)
    model.logits(tree, [leaf])
    tree.retain([leaf])
    assert_exact(model, tree, [2, leaf])
    assert_exact(model, tree, [tree.add(leaf, 2), tree.add(leaf, 3)])


def test_caches_of_two_trees_do_not_mix():
    model, one, two = random_model("llama"), TokenTree([3, 1]), TokenTree([4, 1])
    model.logits(one, [1])
    assert_exact(model, two, [1])
    assert_exact(model, one, [one.add(1, 7)])


def test_logits_are_cut_to_the_shared_vocabulary():
    model = random_model("llama")
    model.vocab_size = 50
    assert model.logits(TokenTree([3, 1]), [0, 1]).shape == (2, 50)


def test_a_full_memory_is_one_sentence_and_the_next_run_works(monkeypatch):
    """The allocator's own error, in the middle of a run: nothing of the tree is held, and the same run comes out."""
    model = random_model("llama")
    tree = TokenTree([1, 2, 3])
    model.forward(tree, [2])
    expected = model.logits(TokenTree([1, 2, 3, 4]), [3])
    node, passed = tree.add(2, 4), model.forward_pass.run
    monkeypatch.setattr(model.forward_pass, "run", lambda *_: torch.empty(2**60))
    with pytest.raises(PlaygroundError, match=r"memory of cpu is full: llama-0 held 1.2 kB"):
        model.forward(tree, [node])
    assert model.cache_bytes(tree) == 0
    monkeypatch.setattr(model.forward_pass, "run", passed)
    assert torch.allclose(model.logits(tree, [node]), expected, atol=1e-5)


def test_other_errors_stay_what_they_are(monkeypatch):
    model = random_model("llama")
    monkeypatch.setattr(model.forward_pass, "run", lambda *_: torch.ones(2) @ torch.ones(3))
    with pytest.raises(RuntimeError, match="size"):
        model.forward(TokenTree([1]), [0])
