import gzip

import numpy as np
import pytest

from playground.errors import PlaygroundError
from playground.makers.recommender.invention import invent_shop
from playground.makers.recommender.quantisation import quantise
from playground.recommender.files import SHOP, load_shop

FILES = ("splits", "index", "items")


def test_a_seed_makes_the_same_bytes(tmp_path):
    sizes = {"num_items": 60, "num_users": 50, "num_codes": 6}
    for name, seed in (("one", 3), ("two", 3), ("three", 4)):
        invent_shop(tmp_path / name, **sizes, seed=seed)
    one, two, three = (
        [(tmp_path / name / f"{file}.json.gz").read_bytes() for file in FILES] for name in ("one", "two", "three")
    )
    assert one == two != three


def test_the_shop_that_comes_along_is_what_its_seed_makes(tmp_path):
    """What is in the files; how tightly gzip packs it depends on its version."""
    invent_shop(tmp_path)
    for file in FILES:
        made, kept = ((folder / f"{file}.json.gz").read_bytes() for folder in (tmp_path, SHOP))
        assert gzip.decompress(made) == gzip.decompress(kept)


def test_the_shop_is_split_by_time_and_nobody_buys_a_thing_twice():
    shop = load_shop()
    parts = [sum(len(getattr(user, part)) for user in shop.users.values()) for part in ("train", "valid", "test")]
    assert [part / sum(parts) for part in parts] == pytest.approx([0.8, 0.1, 0.1], abs=1e-3)
    for user in shop.users.values():
        bought = user.history + user.held_out
        assert len(bought) == len(set(bought)) >= 6


def test_identifiers_and_names_are_each_items_own():
    items = load_shop().items
    assert len({item.codes for item in items}) == len({item.name for item in items}) == len(items) == 2000
    assert [item.id for item in items] == list(range(2000))


def test_the_identifiers_tree_leads_to_the_items():
    identifiers = load_shop().identifiers
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


def test_alike_items_begin_alike_and_equal_ones_are_told_apart():
    vectors = np.repeat(np.eye(4), 3, axis=0)
    codes, moved = quantise(vectors, 4, seed=0)
    assert moved == 8
    assert len(set(codes)) == 12
    assert [len({each[:3] for each in codes[start : start + 3]}) for start in (0, 3, 6, 9)] == [1] * 4


@pytest.mark.parametrize(
    ("vectors", "said"), [(np.eye(3), "3 items are too few for 4"), (np.zeros((9, 2)), "More items than codes")]
)
def test_what_cannot_be_quantised_is_refused(vectors, said):
    with pytest.raises(PlaygroundError, match=said):
        quantise(vectors, 4, seed=0)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"num_items": 39}, "39 items is out of range. Choose 40 to 20000."),  # a user may want forty different ones
        ({"num_users": 0}, "0 users is out of range"),
        ({"num_items": 50, "num_codes": 51}, "51 codes is out of range. Choose 2 to 50."),
        ({"seed": -1}, "-1 as a seed is out of range"),
    ],
)
def test_a_shop_that_cannot_be_is_refused_at_once(tmp_path, asked, said):
    with pytest.raises(PlaygroundError, match=said):
        invent_shop(tmp_path, **asked)
    assert not list(tmp_path.iterdir())
