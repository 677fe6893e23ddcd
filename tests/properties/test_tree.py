"""The token tree, whatever is added and cut off."""

from hypothesis import given
from hypothesis import strategies as some

from playground.tree import TokenTree

steps = some.lists(some.tuples(some.integers(0, 10_000), some.integers(0, 3), some.booleans()), max_size=60)


@given(some.lists(some.integers(0, 9), min_size=1, max_size=5), steps)
def test_its_laws_hold_after_every_step(prompt, steps):
    tree = TokenTree(prompt)
    for choice, token, cuts in steps:
        living = [node for node in range(len(tree.tokens)) if tree.is_alive(node)]
        below = [node for node in living if node in tree.tail or node == tree.trunk[-1]]
        if cuts and tree.tail:
            leaves = {tree.tail[choice % len(tree.tail)], tree.tail[(choice * 7 + 3) % len(tree.tail)]}
            paths = [tree.path(leaf) for leaf in leaves]
            tree.retain(leaves)
            assert {node for node in living if tree.is_alive(node)} == set().union(*paths)
            assert set(tree.trunk) == set(paths[0]).intersection(*paths)
        else:
            parent = below[choice % len(below)]
            size = len(tree.tokens)
            node = tree.add(parent, token)
            assert tree.add(parent, token) == node and len(tree.tokens) <= size + 1
        _lawful(tree, prompt)


def _lawful(tree, prompt):
    assert tree.tokens[: len(prompt)] == prompt
    assert tree.trunk == tree.path(tree.trunk[-1])
    assert sorted({*tree.trunk, *tree.tail}) == sorted([*tree.trunk, *tree.tail]), "a node stands in both"
    for node in [*tree.trunk, *tree.tail]:
        parent = tree.parents[node]
        assert tree.is_alive(node) and parent < node and (parent < 0 or tree.is_alive(parent))
        assert tree.depths[node] == len(tree.path(node)) - 1
        assert tree.context(node) == [tree.tokens[each] for each in tree.path(node)]
        tokens = [tree.tokens[child] for child in tree.children(node)]
        assert len(set(tokens)) == len(tokens), "siblings with one token"
