from dataclasses import replace

import pytest

from playground.errors import PlaygroundError
from playground.makers.recommender.card import write_cards
from playground.makers.recommender.evaluation import check, evaluate, ndcg, recall, some
from playground.makers.recommender.tables import tables
from playground.recommender.recommend import load_recommender
from playground.recommender.shop import Shop
from playground.recommender.versions import VERSIONS
from tests.makers.recommender.tiny import silent, tiny_models, tiny_shop


def test_recall_and_ndcg_by_hand():
    assert recall([4, 9, 2], [2, 7]) == 0.5
    assert ndcg([4, 9, 2], [2, 7], 3) == pytest.approx(0.5 / (1 + 1 / 1.5849625))
    assert ndcg([7, 2], [2, 7], 2) == pytest.approx(1)
    assert ndcg([7], [2, 7], 2) == pytest.approx(1 / (1 + 1 / 1.5849625))  # a list that is too short misses the other
    assert ndcg([1], [2], 1) == recall([1], [2]) == 0


def test_users_are_spread_evenly():
    users = tiny_shop().tested()
    assert some(users, 10**6) == users
    assert [some(users, 3)[index].id for index in (0, 2)] == [users[0].id, users[-1].id]


def measured():
    return evaluate(
        tiny_shop(),
        tiny_models(),
        num_users=4,
        drafts=8,
        lengths=(1, 5),
        versions=("sft", "atspeed_r"),
        say=silent,
    )


def every_version(rows):
    """The rows of one version, as if all had them."""
    return rows + [row | {"version": name} for row in rows if row["version"] == "atspeed_r" for name in VERSIONS]


def test_a_measurement_has_a_row_for_everything_and_makes_tables():
    result = measured()
    rows = {(row["version"], row["verification"], row["k"]): row for row in result["rows"]}
    assert len(rows) == len(result["rows"]) == 2 * (4 + 2)
    for (_, verification, length), row in rows.items():
        assert row["unknown"] == 0
        assert row["items"] == length
        assert 0 <= row["as"]["mean"] <= 3
        if verification in ("none", "strict"):
            assert row["same_lists"] == 4
    for length in (1, 5):
        assert rows["sft", "strict", length]["recall"] == rows["sft", "none", length]["recall"]
    untouched = tiny_models() / "atspeed_s" / "README.md"
    untouched.write_text("as it was")
    write_cards(tiny_models(), result)
    assert untouched.read_text() == "as it was"  # That version was not measured.
    write_cards(tiny_models(), result | {"rows": every_version(result["rows"])})
    assert "| 5 | " in (tiny_models() / "target" / "README.md").read_text()
    assert "# Recommender: draft, AtSpeed-R" in (tiny_models() / "atspeed_r" / "README.md").read_text()
    assert "invented" not in (tiny_models() / "target" / "README.md").read_text()  # a shop from files is anybody's
    written = tables(result)
    assert "| strict | SFT |" in written
    assert "| relaxed | AtSpeed-R |" in written


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"num_users": 0}, "0 users cannot be measured"),
        ({"num_users": -3}, "-3 users cannot be measured"),
        ({"versions": ("sft", "atsped_s")}, "Unknown draft version 'atsped_s'"),
        ({"lengths": (1, 33)}, "A list of 33 items is out of range"),
        ({"lengths": (61,)}, "has 60 items, so none of these lists can be filled"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_anything_is(monkeypatch, changed, said):
    monkeypatch.setattr("playground.makers.recommender.evaluation.load_recommender", None)
    options = {"num_users": 3, "drafts": 8, "lengths": (1,), "versions": ("sft",)}
    with pytest.raises(PlaygroundError, match=said):
        evaluate(tiny_shop(), tiny_models(), **options | changed)


def test_nobody_to_test_is_said():
    shop = tiny_shop()
    users = {number: replace(user, test=()) for number, user in shop.users.items()}
    with pytest.raises(PlaygroundError, match="so no list can be judged"):
        evaluate(Shop(shop.title, shop.items, users), tiny_models(), num_users=3, drafts=8, lengths=(1,))


def test_the_check_counts_lists_and_calls():
    rows = check(
        tiny_shop(), load_recommender(models=tiny_models()), num_users=5, drafts=20, lengths=(1, 3), say=silent
    )
    assert [(row["same"], row["users"], row["unknown"]) for row in rows] == [(5, 5, 0)] * 2
    assert all(row["beam_search_calls"] == 20 > row["strict_calls"] for row in rows)
    with pytest.raises(PlaygroundError, match="has 80 users with a history"):
        check(tiny_shop(), load_recommender(models=tiny_models()), num_users=10**6, drafts=20, say=silent)
