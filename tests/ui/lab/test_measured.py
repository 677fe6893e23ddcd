"""Measurements at a press begin with a model that is offered, and a bad question gets a sentence."""

import pytest

from playground.ui.lab import greedy, live, losslessness, measured
from tests.languages import in_english
from tests.ui.lab.test_live import no_benches  # noqa: F401  a fixture

GREEDY = {"type": "greedy", "pair": "bundled", "products": "own"}
CLOCKS = {"type": "clocks", "draft_length": 2, "guesses": 1, "temperature": 1.0}


@pytest.fixture
def begun(monkeypatch):
    """The measurements that were begun, none of which runs."""
    works = []
    monkeypatch.setattr(live, "begin_steps", lambda work: works.append(work) or {"id": "one", "state": "starting"})
    return works


@pytest.mark.parametrize(
    ("ask", "question"),
    [
        (losslessness.ask, GREEDY),
        (measured.ask, CLOCKS),
        (measured.ask, {"type": "contexts", "pair": "bundled", "draft_length": 4}),
    ],
)
def test_a_press_begins_what_the_page_follows(begun, ask, question):
    assert ask(question) == {"id": "one", "state": "starting"} and len(begun) == 1
    assert "error" in ask(question | {"type": "nothing"})


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (GREEDY | {"products": "<img>"}, "products"),
        (GREEDY | {"pair": "gpt2"}, "pair"),
    ],
)
def test_a_bad_question_gets_a_sentence(begun, question, message):
    assert message in in_english(losslessness.ask(question))["error"] and not begun


def test_torch_s_products_are_those_of_bfloat16(begun, monkeypatch):
    """Two prompts: by our passes no letter differs."""
    monkeypatch.setattr(greedy, "hundred_prompts", lambda: ["Once upon a time", "One day"])
    for products, dtype in (("own", "float16 and float32"), ("torch", "bfloat16")):
        seen = []
        monkeypatch.setattr(greedy, "greedy_texts", lambda pair, *_, seen=seen: iter([seen.append(pair.target)]))
        losslessness.ask(GREEDY | {"products": products})
        next(begun.pop()())
        assert seen[0].facts()["dtype"] == dtype


def test_numbers_out_of_range_are_refused_in_the_page_s_words(no_benches):  # noqa: F811
    answer = measured.ask(CLOCKS | {"guesses": 99})
    while answer["state"] not in ("failed", "finished"):
        answer = measured.ask({"type": "follow", "id": answer["id"]})
    assert "guesses of 99 is out of range" in in_english(answer)["error"]
