"""A class opens the page at once, and everyone presses Run: nobody is refused, nobody's run is lost."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.visitors import Visitor, ended_well, page_at

VISITORS = 16
TOKENS = "New tokens (at most)"
NUM_TOKENS = 4


@pytest.fixture
def page_there(address):
    return page_at(address)


def visit(page, number, seed):
    """Open the page, press Run, and wait; everything the server said."""
    with Visitor(page, f"pupil{number}") as pupil:
        return pupil.open(), pupil.ask(**{TOKENS: NUM_TOKENS, "Seed": seed}), list(pupil.run())


@pytest.mark.usefixtures("undisturbed")
def test_sixteen_press_run_at_once_and_each_gets_a_run(page_there):
    """Of nine runs seven are asked for twice. A hundred press it in tests/load/class_of_a_hundred.py."""
    with ThreadPoolExecutor(VISITORS) as visitors:
        found = list(visitors.map(lambda number: visit(page_there, number, number % 9), range(VISITORS)))
    for opened, asked, ran in found:
        assert ended_well(opened, len(page_there.loads)) and ended_well(asked) and ended_well(ran)
        assert f"{NUM_TOKENS} tokens" in json.dumps(ran) or "the very same run" in json.dumps(asked)
