"""Traversal verification by arithmetic: the exact joint law over every tree, and its two simpler cases."""

import itertools

import numpy as np
import pytest

from playground.decoding.distribution import Distinct, without
from playground.decoding.drafting.draft import Draws
from playground.decoding.verification import block, recursive
from playground.decoding.verification.traversal import leaf_to_root
from playground.models.table_model import TableModel
from playground.tree import TokenTree

PROMPT = [0, 1]


def row(model, tree, node):
    return np.array(model.table[model._window(tree.context(node))])


def drawn_trees(draft, branching):
    """Every tree of draws without replacement, with its probability: children by node, in draw order."""

    def grow(tree_tokens, depth):
        """Draws below each node of a depth, as (probability, {path: tokens})."""
        if depth == len(branching):
            yield 1.0, {}
            return
        choices = []
        for path in tree_tokens:
            q = draft.table[draft._window([*PROMPT, *path])]
            choices.append(
                [(chance_of(q, draws), draws) for draws in itertools.permutations(range(3), branching[depth])]
            )
        for combined in itertools.product(*choices):
            below = dict(zip(tree_tokens, (draws for _, draws in combined), strict=True))
            paths = [(*path, token) for path, draws in below.items() for token in draws]
            for chance, deeper in grow(paths, depth + 1):
                yield chance * float(np.prod([chance for chance, _ in combined])), below | deeper

    yield from grow([()], 0)


def chance_of(q, draws):
    chance, left = 1.0, 1.0
    for token in draws:
        chance, left = chance * q[token] / left, left - q[token]
    return chance


def planted(below):
    """A token tree with these draws: the tree, its root, its children in draw order."""
    tree, nodes, children = TokenTree(PROMPT), {(): len(PROMPT) - 1}, {}
    for path, draws in below.items():
        for token in draws:
            nodes[(*path, token)] = tree.add(nodes[path], token)
            children.setdefault(nodes[path], []).append(nodes[(*path, token)])
    return tree, nodes[()], children


def outcomes(target, draft, branching):
    """Probability, kept tokens and law of the next token, over every tree and every run of its tests."""
    for left, below in drawn_trees(draft, branching):
        tree, root, children = planted(below)
        p = {node: row(target, tree, node) for node in range(root, len(tree.tokens))}
        draws = {
            node: Draws(below, [tree.tokens[child] for child in below], Distinct(row(draft, tree, node)))
            for node, below in children.items()
        }
        for test in leaf_to_root(root, draws, p):
            chance = left * test.accept_prob
            yield chance, tuple(tree.tokens[n] for n in tree.path(test.node, below=root)), test.residual
            left -= chance
        assert abs(left) < 1e-15, "the root always passes"


@pytest.mark.parametrize("branching", [(2,), (3,), (1, 1, 1), (2, 1), (1, 2), (2, 2), (2, 1, 1)])
def test_the_joint_law_of_the_text_is_the_targets(branching):
    """All trees, all coins, on tables that remember: the law of the next depth + 1 tokens, to 1e-10."""
    depth = len(branching)
    for seed in range(2):
        target, draft = TableModel.random(3, order=2, seed=seed), TableModel.random(3, order=1, seed=seed + 50)
        distribution = np.zeros((3,) * (depth + 1))
        for chance, kept, after in outcomes(target, draft, branching):
            for token in range(3):
                text = (*kept, token)
                distribution[text] += (
                    chance * after[token] / after.sum() * target.distribution([*PROMPT, *text], depth - len(kept))
                )
        assert np.abs(distribution - target.distribution(PROMPT, depth + 1)).max() < 1e-10


@pytest.mark.parametrize("seed", range(5))
def test_more_is_kept_than_by_walking_down(seed):
    """Expected accepted tokens on 5 pairs of tables, branching (2, 2), against recursive rejection from the root."""
    target, draft = TableModel.random(3, order=2, seed=seed), TableModel.random(3, order=1, seed=seed + 50)
    walked = 0.0
    for chance, below in drawn_trees(draft, (2, 2)):
        walked += chance * expected_by_walking(target, draft, below)
    climbed = sum(chance * len(kept) for chance, kept, _ in outcomes(target, draft, (2, 2)))
    assert climbed > walked


def of(target, draft, path):
    return [np.array(model.table[model._window([*PROMPT, *path])]) for model in (target, draft)]


def expected_by_walking(target, draft, below, path=()):
    """Expected accepted tokens of recursive rejection on one tree."""
    if path not in below:
        return 0.0
    rest, offered = of(target, draft, path)
    total, left = 0.0, 1.0
    for token in below[path]:
        accept = min(1.0, float(rest[token] / offered[token]))
        total += left * accept * (1 + expected_by_walking(target, draft, below, (*path, token)))
        left *= 1 - accept
        rest, offered = recursive.reject(rest, offered), without(offered, token)
    return total


def test_one_path_is_block_verification():
    """The same chances and the same residuals, in the same order, on 50 random chains of four."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        p, q = np.array(rng.dirichlet(np.ones(4), 5)), np.array(rng.dirichlet(np.ones(4), 4))
        tokens = [0, *rng.integers(0, 4, size=4).tolist()]
        draws = {i: Draws([i + 1], [tokens[i + 1]], Distinct(q[i])) for i in range(4)}
        tests = list(leaf_to_root(0, draws, dict(enumerate(p))))
        reach = block.reaches(*([float(of[i, tokens[i + 1]]) for i in range(4)] for of in (p, q)))
        accept_probs = block.acceptance(p[:-1], q, reach)
        assert [test.node for test in tests] == [4, 3, 2, 1, 0]
        assert np.allclose([test.accept_prob for test in tests], [*accept_probs[::-1], 1.0], atol=1e-12)
        for test in tests[1:]:
            rest = block.residual(p[test.node], q[test.node], reach[test.node])
            assert test.accept_prob == 0 or np.allclose(test.residual, rest / rest.sum(), atol=1e-12)
