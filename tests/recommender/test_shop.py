"""The shop that comes along, and its identifiers."""

import pytest

from playground.recommender.files import load_shop


def test_the_shop_is_split_by_time_and_nobody_buys_a_thing_twice():
    shop = load_shop()
    parts = [sum(len(getattr(user, part)) for user in shop.users.values()) for part in ("train", "valid", "test")]
    assert [part / sum(parts) for part in parts] == pytest.approx([0.8, 0.1, 0.1], abs=1e-3)
    for user in shop.users.values():
        bought = user.history + user.held_out
        assert len(bought) == len(set(bought)) >= 6


def test_identifiers_and_names_are_each_items_own_and_their_tree_leads_to_the_items():
    shop = load_shop()
    items, identifiers = shop.items, shop.identifiers
    assert len({item.codes for item in items}) == len({item.name for item in items}) == len(items) == 2000
    assert [item.id for item in items] == list(range(2000))
    for item in (0, 7, 1999):
        node = 0
        for token in identifiers.tokens[item]:
            node = int(identifiers.children[node, token])
        assert node == item == identifiers.item(identifiers.tokens[item])
    assert identifiers.item([1, 2, 3, 4]) is None


def test_a_tokenizer_reads_what_it_writes():
    identifiers = load_shop().identifiers
    prompt = identifiers.prompt([5, 6])
    tokenizer = identifiers.tokenizer()
    assert tokenizer.encode(identifiers.text(prompt)) == prompt
    assert tokenizer.decode(prompt) == identifiers.text(prompt)
