import gzip
import json

import pytest

from playground.errors import PlaygroundError
from playground.recommender.files import read_shop

INDEX = {str(item): [f"<a_{item % 3}>", f"<b_{item % 4}>", f"<c_{item}>"] for item in range(6)}
SPLITS = {"train": {"0": [1, 2], "7": [3]}, "valid": {"0": [4], "7": []}, "test": {"0": [5], "7": [0]}}


def read(folder, splits=SPLITS, index=INDEX, items=None, **kwargs):
    paths = []
    for name, content in (("splits.json", splits), ("index.json", index), ("items.json", items)):
        path = folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        paths.append(path)
    return read_shop(paths[0], paths[1], paths[2] if items else None, **kwargs)


def test_a_shop_without_names_calls_items_by_their_identifiers(tmp_path):
    shop = read(tmp_path)
    assert shop.items[4].name == "<a_1><b_0><c_4>"
    assert shop.users[0].history == (1, 2, 4)
    assert shop.users[0].held_out == (5,)
    assert [user.id for user in shop.tested()] == [0, 7]


def test_names_and_attributes_are_read(tmp_path):
    items = {"names": list("uvwxyz"), "attributes": {"colour": ["red"] * 6}}
    assert read(tmp_path, items=items).items[1].attributes == {"colour": "red"}
    assert read(tmp_path, items=items).items[1].name == "v"


def test_a_log_without_parts_is_split_before_each_users_last_items(tmp_path):
    user = read(tmp_path, splits={"3": [0, 1, 2, 3], "4": [1]}).users[3]
    assert (user.train, user.valid, user.test) == ((0, 1), (2,), (3,))


def test_a_users_number_may_have_zeros_before_it(tmp_path):
    splits = {"train": {"0007": [3]}, "valid": {"0007": [4]}, "test": {"0007": [0]}}
    assert read(tmp_path, splits=splits).users[7].history == (3, 4)
    with pytest.raises(PlaygroundError, match="train, user 7: this user is there twice"):
        read(tmp_path, splits=splits | {"train": {"0007": [3], "7": [1]}})


def test_shared_identifiers_can_be_renumbered(tmp_path):
    index = INDEX | {"4": INDEX["1"], "5": INDEX["1"]}
    shop = read(tmp_path, index=index, renumber=True)
    codes = [item.codes for item in shop.items]
    assert len(set(codes)) == 6
    assert [codes[item][:2] for item in (4, 5)] == [codes[1][:2]] * 2


def test_a_compressed_file_is_read(tmp_path):
    for name, content in (("s", SPLITS), ("i", INDEX)):
        (tmp_path / f"{name}.json.gz").write_bytes(gzip.compress(json.dumps(content).encode()))
    assert len(read_shop(tmp_path / "s.json.gz", tmp_path / "i.json.gz").items) == 6


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"index": INDEX | {"5": INDEX["1"]}},
            "index.json: items 1 and 5 share the identifier <a_1><b_1><c_1>. "
            "Give one of them another, or ask for --renumber.",
        ),
        (
            {"index": {key: row for key, row in INDEX.items() if key != "2"}},
            "index.json has 5 items, but none is number 2. Fill that hole.",
        ),
        (
            {"index": INDEX | {"3": ["<a_1>", "<b_2>"]}},
            "index.json, item 3: 2 codes, and item 0 has 3. All need the same, 2 to 8.",
        ),
        (
            {"index": INDEX | {"3": ["<a_1>", "b2", "<c_9>"]}},
            'index.json, item 3: ["<a_1>", "b2", "<c_9>"] is not a list of codes like <a_58>.',
        ),
        (
            {"index": INDEX | {"3": ["<b_1>", "<b_2>", "<c_9>"]}},
            "index.json, item 3: <b_1> is its code number 1, and elsewhere it is number 2. "
            "Every level needs codes of its own.",
        ),
        ({"index": []}, "index.json is not an index: it must map item numbers to lists of codes."),
        (
            {"splits": '{"train": {"0": [1, 2]},\n"valid": {"0": [4}, "test": {}}'},
            "splits.json, line 2, column 18: no JSON (Expecting ',' delimiter). Repair that line.",
        ),
        (
            {"splits": SPLITS | {"valid": {"0": [4, "x"]}}},
            'splits.json, valid, user 0: [4, "x"] is not a list of item numbers. Repair that line.',
        ),
        (
            {"splits": SPLITS | {"test": {"7": [9]}}},
            "splits.json, test, user 7: item 9 is unknown, the index ends at 5.",
        ),
        ({"splits": {"train": {}}}, "splits.json is not a split: it needs train, valid and test, each by user."),
        (
            {"splits": SPLITS | {"train": {"ann": [1]}}},
            "splits.json, train, user ann: a user is a whole number. Rename that user.",
        ),
        (
            {"splits": SPLITS | {"train": {"0": []}}},
            "splits.json: nobody has bought anything in train. There is nothing to learn from.",
        ),
        ({"items": {"names": ["one"]}}, "items.json: names must be a list of 6 texts, one for each item."),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path, changed, said):
    with pytest.raises(PlaygroundError) as caught:
        read(tmp_path, **changed)
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(b"no gzip", "is damaged", id="no gzip"),
        pytest.param(gzip.compress(b"{}" * 99, mtime=0)[:10] + b"x" * 20, "is damaged", id="no deflate"),
        pytest.param(gzip.compress(b"[" * 99_999, mtime=0), "is nested too deeply", id="too deep"),
        pytest.param(gzip.compress(b"9" * 5_000, mtime=0), "a number of 5,000 digits", id="too long a number"),
    ],
)
def test_a_damaged_or_missing_file_is_named(tmp_path, content, words):
    (tmp_path / "s.json.gz").write_bytes(content)
    (tmp_path / "index.json").write_text(json.dumps(INDEX))
    with pytest.raises(PlaygroundError, match=rf"^s\.json\.gz .*{words}"):
        read_shop(tmp_path / "s.json.gz", tmp_path / "index.json")
    with pytest.raises(PlaygroundError, match="cannot be read: No such file"):
        read_shop(tmp_path / "other.json", tmp_path / "index.json")
