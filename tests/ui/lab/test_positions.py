"""The section of the best drafter answers with what was recorded, one rate per token, drafter and rule."""

from playground.ui.lab.positions import ask
from tests.languages import in_english, scripts


def test_every_token_has_a_rate_of_every_drafter():
    answer = ask({"type": "positions"})
    words = {drafter["word"] for drafter in answer["drafters"]}
    assert answer["texts"] and len(words) >= 5 and "Recorded on" in in_english(answer)["recorded"]
    for text in answer["texts"]:
        for rates in text["acceptance"].values():
            assert set(rates) == words and all(len(each) == len(text["pieces"]) for each in rates.values())
    assert {f"positions_kinds_{text['kind']}" for text in answer["texts"]} <= set(scripts())
