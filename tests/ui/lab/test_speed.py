"""The handlers of expected speed, and the machines that it offers."""

from types import SimpleNamespace

import pytest

from playground.bench import batches
from playground.lab.expected_speed import expected_speed
from playground.paths import ASSETS
from playground.theory.roofline import MACHINES
from playground.ui.lab import speed
from playground.words import english
from tests.decoding.test_batch import models
from tests.lab.test_expected_speed import PASSING, SLIDERS
from tests.languages import in_english
from tests.ui.lab.test_live import OVER, no_benches  # noqa: F401  a fixture

SPEED = {"type": "speed", "passing": PASSING} | SLIDERS


def test_the_answer_is_the_computation():
    assert in_english(speed.ask(SPEED)) == expected_speed(PASSING, **SLIDERS)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        *((request_, "Reload") for request_ in (None, {}, {"type": "nothing"})),
        (SPEED | {"passing": ["<img>"]}, 'passing[0]: "<img>" is not a number'),
        (SPEED | {"draft_length": None}, "draft_length: null is not a whole number"),
        (SPEED | {"draft_length": 2.5}, "draft_length: 2.5 is not a whole number"),
        ({"type": "batches", "draft_length": 2.5}, "draft_length: 2.5 is not a whole number"),
        (SPEED | {"passing": []}, "passing"),
        (SPEED | {"nodes_cost": "<b>"}, "Unknown machine '<b>'"),
    ],
)  # fmt: skip
def test_a_bad_question_gets_a_sentence(request_, message):
    assert message in in_english(speed.ask(request_))["error"]


def test_the_page_offers_every_machine_by_its_name():
    choices = (ASSETS / "lab" / "choices.js").read_text().partition("export const COSTS")[2].partition("\n")[0]
    for machine in MACHINES.values():
        assert english("lab/speed")[f"nodes_{machine.id}"] == f"memory roofline: {machine.title.removesuffix(' SXM')}"
        assert f'"{machine.id}"' in choices


def test_batches_are_measured_until_they_are_stopped_and_what_is_there_stays(no_benches, monkeypatch):  # noqa: F811
    """The first answers are of the warm-up, so that only a batch that was measured ends the wait."""
    pair = SimpleNamespace(**dict(zip(("target", "draft"), models(), strict=True)))
    monkeypatch.setattr(speed, "chosen_models", lambda *_: SimpleNamespace(load=lambda: pair))
    monkeypatch.setattr(batches, "read_prompts", lambda _: ["3 1 4", "1 5"])
    answer = follow(speed.ask({"type": "batches", "draft_length": 2}), lambda answer: answer.get("done"))
    assert speed.ask({"type": "stop", "id": answer["id"]}) == {}
    answer = follow(answer, lambda answer: answer["state"] in OVER)
    assert answer["state"] == "stopped" and 0 < answer["done"] < answer["total"] == 45


def test_a_draft_length_out_of_range_ends_the_measurement_with_a_sentence(no_benches):  # noqa: F811
    answer = follow(speed.ask({"type": "batches", "draft_length": 99}), lambda answer: answer["state"] in OVER)
    assert "99" in in_english(answer)["error"]


def follow(answer, condition):
    while not condition(answer):
        assert not answer["error"], answer
        answer = speed.ask({"type": "follow", "id": answer["id"]})
    return answer
