"""The handlers of expected speed and beam width, and the links to the sections of the Lab."""

import pytest

from playground.lab.beam_width import simulated_counts
from playground.lab.expected_speed import expected_speed
from playground.paths import ASSETS
from playground.theory.roofline import MACHINES
from playground.ui.lab.tab import beam, speed
from playground.ui.live.device import device
from playground.words import english
from tests.lab.test_beam_width import SLIDERS as BEAM
from tests.lab.test_beam_width import P, Q
from tests.lab.test_expected_speed import PASSING, SLIDERS
from tests.languages import in_english

SPEED = {"type": "speed", "passing": PASSING} | SLIDERS
WIDTH = {"type": "width", "target": P, "draft": Q, "seed": 0} | BEAM


def test_the_answer_is_the_computation():
    assert speed.ask(SPEED) == expected_speed(PASSING, **SLIDERS)
    assert beam.ask(WIDTH)["width"] == 2
    assert beam.ask(WIDTH | {"type": "depth"})["runs"] == 2000


@pytest.mark.parametrize(
    ("section", "request_", "message"),
    [
        *((section, request_, "Reload") for section in (speed, beam) for request_ in (None, {}, {"type": "nothing"})),
        (speed, SPEED | {"passing": ["<img>"]}, 'passing[0]: "<img>" is not a number'),
        (speed, SPEED | {"draft_length": None}, "draft_length: null is not a whole number"),
        (speed, SPEED | {"draft_length": 2.5}, "draft_length: 2.5 is not a whole number"),
        (speed, {"type": "batches", "draft_length": 2.5}, "draft_length: 2.5 is not a whole number"),
        (speed, {"type": "batches", "draft_length": 99}, "99"),
        (speed, SPEED | {"nodes_cost": "<b>"}, "Unknown machine '<b>'"),
        (beam, WIDTH | {"target": [0] * 5}, "The target row sums to 0."),
        (beam, WIDTH | {"type": "rounds", "seed": -1}, "Seed -1 is out of range"),
        (beam, WIDTH | {"type": "rounds", "seed": 10**30}, "is out of range"),
        (beam, WIDTH | {"type": "depth", "num_draws": 10**9}, "out of range"),
    ],
)  # fmt: skip
def test_a_bad_question_gets_a_sentence(section, request_, message):
    assert message in in_english(section.ask(request_))["error"]


def test_a_class_that_simulates_leaves_the_page_its_threads():
    for _ in range(beam.MOST_SIMULATING):
        beam._slots.acquire()
    assert beam.ask(WIDTH | {"type": "rounds"}) == {"wait": True} and beam.ask(WIDTH)["width"] == 2
    for _ in range(beam.MOST_SIMULATING):
        beam._slots.release()
    assert "error" in beam.ask(WIDTH | {"type": "depth", "num_draws": 10**9})
    assert beam.ask(WIDTH | {"type": "depth"})["runs"] == 2000, "a refusal gives its place back"


def test_simulations_wait_while_a_run_is_timed_and_are_the_same_in_the_worker():
    layer = WIDTH | {"type": "depth"}
    with device:
        assert beam.ask(layer) == beam.ask(WIDTH | {"type": "rounds"}) == {"wait": True}
        assert beam.ask(WIDTH)["width"] == 2
    assert beam.ask(layer) == simulated_counts(P, Q, num_draws=BEAM["num_draws"], seed=0)


def test_the_page_offers_every_machine_by_its_name():
    choices = (ASSETS / "lab" / "choices.js").read_text().partition("export const COSTS")[2].partition("\n")[0]
    for machine in MACHINES.values():
        assert english("lab/speed")[f"nodes_{machine.id}"] == f"memory roofline: {machine.title.removesuffix(' SXM')}"
        assert f'"{machine.id}"' in choices


def test_one_client_measures_batches_at_a_time():
    with speed._measuring:
        assert speed.ask({"type": "batches", "draft_length": 3}) == {"wait": True}
