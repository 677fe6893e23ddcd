"""The handlers of expected speed and beam width, and the links to the sections of the Lab."""

from __future__ import annotations

import pytest

from playground.bench.expected_speed import expected_speed
from playground.theory.roofline import MACHINES
from playground.ui.drawn_panel import LAB
from playground.ui.tabs.lab import SECTIONS, beam, follow, speed
from tests.bench.test_beam_lab import SLIDERS as BEAM
from tests.bench.test_beam_lab import P, Q
from tests.bench.test_expected_speed import PASSING, SLIDERS

SPEED = {"kind": "speed", "passing": PASSING} | SLIDERS
WIDTH = {"kind": "width", "target": P, "draft": Q, "seed": 0} | BEAM


def test_the_answer_is_the_computation():
    assert speed.ask(SPEED) == expected_speed(PASSING, **SLIDERS)
    assert beam.ask(WIDTH)["width"] == 2
    assert beam.ask(WIDTH | {"kind": "layer"})["runs"] == 2000


@pytest.mark.parametrize(
    "request_",
    [
        None,
        {},
        {"kind": "nothing"},
        {"kind": "speed"},
        SPEED | {"passing": ["<img>"]},
        SPEED | {"passing": [2]},
        SPEED | {"draft_length": None},
        SPEED | {"num_nodes": 10**9},
        SPEED | {"nodes_cost": "<b>"},
    ],
)
def test_a_bad_question_on_speed_gets_a_sentence(request_):
    assert speed.ask(request_)["error"].endswith(".")


@pytest.mark.parametrize(
    "request_",
    [
        None,
        {},
        {"kind": "nothing"},
        WIDTH | {"target": [0, 0]},
        WIDTH | {"draft": Q[:2]},
        WIDTH | {"num_draws": 99},
        WIDTH | {"kind": "rounds", "seed": -1},
        WIDTH | {"kind": "rounds", "seed": 10**30},
        WIDTH | {"kind": "layer", "num_draws": 10**9},
    ],
)
def test_a_bad_question_on_widths_gets_a_sentence(request_):
    assert beam.ask(request_)["error"].endswith(".")


def test_the_page_offers_every_machine_by_its_name():
    words = (LAB / "speed_words.js").read_text()
    for machine in MACHINES.values():
        assert f'["{machine.id}", "memory roofline: {machine.title.removesuffix(" SXM")}"]' in words


@pytest.mark.parametrize("section", SECTIONS)
def test_a_link_turns_to_its_section(section):
    tabs, sections = follow({"tab": "lab", "section": section})
    assert tabs.selected == "lab" and sections.selected == f"lab-{section}"


def test_other_links_leave_the_tabs_and_unknown_sections_are_the_first():
    assert all(update == {"__type__": "update"} for update in follow({"tab": "compare"}))
    assert follow({"tab": "lab", "section": "<b>"})[1].selected == "lab-acceptance"
