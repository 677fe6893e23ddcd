"""The handlers of expected speed, and the machines that it offers."""

import pytest

from playground.lab.expected_speed import expected_speed
from playground.paths import ASSETS
from playground.theory.roofline import MACHINES
from playground.ui.lab import speed
from playground.words import english
from tests.lab.test_expected_speed import PASSING, SLIDERS
from tests.languages import in_english

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
        ({"type": "batches", "draft_length": 99}, "99"),
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


def test_one_client_measures_batches_at_a_time():
    with speed._measuring:
        assert speed.ask({"type": "batches", "draft_length": 3}) == {"wait": True}
