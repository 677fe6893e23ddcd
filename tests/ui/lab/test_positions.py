"""The section of the best drafter answers with what was recorded, one rate per token, drafter and rule."""

from playground.ui.lab.positions import ask


def test_every_token_has_a_rate_of_every_drafter():
    answer = ask({"kind": "positions"})
    words = {drafter["word"] for drafter in answer["drafters"]}
    assert answer["texts"] and len(words) >= 5
    for text in answer["texts"]:
        for rates in text["acceptance"].values():
            assert set(rates) == words and all(len(each) == len(text["pieces"]) for each in rates.values())


def test_another_question_is_refused():
    assert "does not know" in ask({"kind": "speed"})["error"]
