"""The losslessness section's handler: what there is, what is started, and sentences for whatever else is asked."""

import json

import pytest

from playground.decoding.method import methods
from playground.exactness.broken_rules import BROKEN
from playground.ui.lab import live as live_bench
from playground.ui.lab.losslessness import ask
from playground.ui.live import worker
from tests.decoding.runs import chosen
from tests.languages import in_english
from tests.ui.lab.test_live import TOKENS

START = {
    "type": "start", "runs": [{"name": "rsd_s", "options": {"width": "3"}, "broken": False}], "on": "tables",
    "prompt": "", "num_tokens": 2, "num_likeliest": 4, "samples": 1000, "seed": 0,
}  # fmt: skip


@pytest.fixture(autouse=True)
def begun(monkeypatch):
    """Nothing is sampled here."""
    requests = []

    class Bench:
        id = "one"

        def __init__(self, *what):
            requests.append(what)

    monkeypatch.setattr(live_bench, "begin", Bench)
    monkeypatch.setattr(worker, "warm_up", lambda: None)
    return requests


def test_everything_is_offered_with_its_mark():
    result = in_english(ask({"type": "catalogue"}))
    assert {each["id"] for each in result["methods"]} == set(methods())
    assert [each["id"] for each in result["broken"]] == list(BROKEN)
    seen = {each["id"]: each["seen"] for each in result["broken"]}
    assert "transformers/issues/47932" in seen["draft_before_top_k"] and "No public report" in seen["undivided"]
    assert all(each["badge"]["mark"] for each in result["methods"])
    assert json.loads(json.dumps(result)) == result


def test_a_start_says_what_is_compared_with_what(begun, monkeypatch):
    answer = in_english(ask(START))
    [about] = answer["series"]
    assert about["compared"] == "the first three tokens" and about["law"] == about["claim"] == "target sampling"
    [(subjects, samples, seed, tokens)] = begun
    assert (samples, seed, tokens) == (1000, 0, None)
    assert subjects[0].options == {}, "3 is the default"
    [about] = ask(START | {"runs": [{"name": "mtad", "options": {}}]})["series"]
    assert about["claim"] is None and about["law"] == "target sampling", "what claims nothing is measured, too"
    monkeypatch.setattr("playground.ui.lab.losslessness.chosen_models", lambda *_: chosen(TOKENS))
    [about] = in_english(ask(START | {"on": "pair", "prompt": "abc"}))["series"]
    assert about["compared"] == "the first 2 tokens" and "product of the target's probabilities" in about["where"]
    assert begun[-1][3].prompt == "abc"


def test_an_option_that_decides_the_law_is_offered_with_the_value_it_is_measured_with(begun):
    [method] = [each for each in ask({"type": "catalogue"})["methods"] if each["id"] == "beam_search"]
    offered = {option["name"]: option["value"] for option in method["options"]}
    assert offered == {"width": 3, "length_penalty": 1.0}
    ask(START | {"runs": [{"name": "beam_search", "options": offered}]})
    assert begun[0][0][0].options == {}, "as the command `check` measures it"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"runs": []}, "0 methods side by side"),
        ({"runs": [{"name": "rsd_s"}] * 3}, "3 methods side by side"),
        ({"runs": [{"name": "rsd_x"}]}, "Did you mean"),
        ({"runs": [{"name": "rsd_s", "options": {"width": 99}}]}, "out of range"),
        ({"runs": [{"name": "rsd_s", "options": {"width": "<img>"}}]}, "must be a number"),
        ({"runs": [{"name": "beam_sampling", "options": {"width": 4}}]}, "Leave beam width at 2"),
        ({"runs": [{"name": "undivided"}]}, "Unknown method"),
        ({"runs": [{"name": "rsd_s", "broken": True}]}, "Unknown broken rule"),
        ({"samples": 10**9}, "out of range"),
        ({"seed": -1}, "out of range"),
        ({"on": "pair", "prompt": "a" * 5000}, "Shorten it"),
    ],
)
def test_a_bad_question_gets_a_sentence(changes, message):
    assert message in in_english(ask(START | changes))["error"]


@pytest.mark.parametrize("question", [{"type": "poll", "seen": [0]}, {"type": "stop"}])
def test_a_bench_that_is_not_there_is_over(question):
    assert "over" in in_english(ask(question | {"id": "nobody"}))["error"]
