import pytest

from playground.errors import PlaygroundError
from playground.recommender.recommend import load_recommender, recommend, written_identifiers
from tests.makers.recommender.tiny import tiny_models, tiny_shop


def pair(version="atspeed_s"):
    return load_recommender(version, models=tiny_models())


def listed(history, verification, top_k, drafts=12, **options):
    options |= {"top_k": top_k, "drafts": max(drafts, top_k)}
    return recommend(history, verification=verification, shop=tiny_shop(), pair=pair(), **options)


def ids(result):
    return [each.item.id for each in result.items]


def log_probs(result):
    return [each.log_prob for each in result.items]


@pytest.mark.parametrize("top_k", [1, 3, 5, 10, 20])
def test_strict_verification_is_beam_search_and_asks_the_target_less(top_k):
    calls = {"none": 0, "strict": 0}
    for user in tiny_shop().tested()[:6]:
        plain, strict = (listed(user.history, verification, top_k, drafts=32) for verification in calls)
        assert ids(strict) == ids(plain)
        assert log_probs(strict) == pytest.approx(log_probs(plain), abs=1e-4)
        calls["none"] += plain.trace.finished.target_calls
        calls["strict"] += strict.trace.finished.target_calls
    assert calls["strict"] < calls["none"]


@pytest.mark.parametrize("verification", ["none", "strict", "relaxed", "sampled"])
def test_every_item_exists_and_none_comes_twice(verification):
    for user in tiny_shop().tested()[:6]:
        result = listed(user.history, verification, 8, seed=user.id)
        assert all(
            tiny_shop().identifiers.item(tokens) is not None
            for tokens, _ in written_identifiers(tiny_shop(), result.trace)
        )
        assert len(ids(result)) == len(set(ids(result))) == 8


@pytest.mark.parametrize(
    ("history", "options", "said"),
    [
        ([], {}, "The history is empty. Give at least one item that the user has bought."),
        ([1, 60], {}, "Item 60, number 2 of the history, is not in splits. Choose 0 to 59."),
        ([1], {"drafts": 3}, "3 drafts cannot hold 10 items, so no step could be accepted. Choose 10 drafts or more."),
        ([1], {"top_k": 33}, "A list of 33 items is out of range. Choose 1 to 32."),
        ([1], {"verification": "strikt"}, "Unknown verification 'strikt'. Did you mean 'strict'?"),
    ],
)
def test_what_cannot_be_is_one_sentence(history, options, said):
    with pytest.raises(PlaygroundError) as caught:
        recommend(history, shop=tiny_shop(), pair=pair(), **options)
    assert str(caught.value) == said


def test_an_unknown_version_is_named():
    with pytest.raises(PlaygroundError, match="Did you mean 'atspeed_s'"):
        load_recommender("atspeed-s")
