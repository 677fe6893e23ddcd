"""The token tree keeps exactly the paths it is told to keep."""

from playground.tree import TokenTree


def test_the_prompt_is_the_trunk_and_the_same_token_twice_is_one_node():
    prompt = TokenTree([7, 8, 9])
    assert (prompt.trunk, prompt.tail, prompt.parents, prompt.depths) == ([0, 1, 2], [], [-1, 0, 1], [0, 1, 2])
    tree = TokenTree([1])
    assert tree.add(0, 5) == tree.add(0, 5)
    assert tree.add(0, 6) != tree.add(0, 5)
    assert tree.children(0) == [1, 2]


def test_one_leaf_makes_its_path_the_trunk_and_two_share_only_their_common_path():
    tree = TokenTree([1])
    node = tree.add(tree.add(0, 2), 3)
    lost = tree.add(0, 4)
    tree.retain([node])
    assert tree.trunk == tree.path(node) and tree.tail == []
    assert tree.is_alive(node) and not tree.is_alive(lost)
    tree = TokenTree([1])
    shared = tree.add(0, 2)
    left, right = tree.add(shared, 3), tree.add(shared, 4)
    tree.retain([left, right])
    assert tree.trunk == [0, shared] and tree.tail == [left, right]


def test_a_pruned_token_can_be_drafted_again_as_a_new_node():
    tree = TokenTree([1])
    first = tree.add(0, 2)
    tree.retain([tree.add(0, 3)])
    again = TokenTree([1])
    assert first == 1 and again.add(0, 2) == 1
    assert tree.children(0) == [2]
