"""A class opens the page at once, and everyone presses Run: nobody is refused, nobody's run is lost or another's."""

import json
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.visitors import Visitor, ended_well, page_at

VISITORS, NUM_PROMPTS = 16, 9  # Seven prompts are asked for twice.
TOKENS = "New tokens (at most)"
NUM_TOKENS = 4


@pytest.fixture
def page_there(address):
    return page_at(address)


def visit(page, number):
    """Open the page, press Run, and wait; everything the server said."""
    own = {"Prompt": f"Pupil {number % NUM_PROMPTS} opened the door, and", "Seed": number % NUM_PROMPTS}
    with Visitor(page, f"pupil{number}") as pupil:
        return pupil.open(), pupil.ask(**{TOKENS: NUM_TOKENS}, **own), list(pupil.run())


@pytest.mark.usefixtures("undisturbed")
def test_sixteen_press_run_at_once_and_each_gets_a_run_of_their_own(page_there):
    """A hundred press it in tests/load/class_of_a_hundred.py."""
    with ThreadPoolExecutor(VISITORS) as visitors:
        results = list(visitors.map(lambda number: visit(page_there, number), range(VISITORS)))
    for number, (opened, asked, ran) in enumerate(results):
        assert ended_well(opened, len(page_there.loads)) and ended_well(asked) and ended_well(ran)
        assert f"{NUM_TOKENS} tokens" in json.dumps(ran) or "the very same run" in json.dumps(asked)
        prompts = re.findall(r"Pupil\W(\d+)\Wopened", json.dumps([opened, asked, ran]))
        assert {int(each) for each in prompts} == {number % NUM_PROMPTS}
