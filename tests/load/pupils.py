"""A pupil of a class: opens the page, writes a prompt, presses Run, waits for the run.

It does what a reader's page does, and writes down what it was told and when. A pupil's prompt names its number, so
that whatever came to another one can be told.
"""

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx

from tests.visitors import Page, Visitor, ended_well

TOKENS = 48
ENDED = re.compile(rf"Done: {TOKENS} tokens in|The text ended: \d+ tokens in")
BEGAN = "Reading the prompt"
PUPIL = re.compile(r"Pupil\W(\d+)\Wopened")
PLACE = re.compile(r"Waiting: (\d+) runs? on other pages")
CLOCK = re.compile(r'"active": ?(true|false), ?"value": ?([\d.]+)')


@dataclass(frozen=True)
class Visit:
    """What came of it.

    Attributes:
        problem: empty where the run came.
        told: (when, what) of all that was said, in order, in seconds of one clock.
        asked_at: when Run was pressed.
        began_at, ended_at: the run, as the pupil saw it.
        others: pupils of whom something came to this one.
    """

    problem: str = ""
    told: tuple[tuple[float, str], ...] = ()
    asked_at: float = 0.0
    began_at: float = 0.0
    ended_at: float = 0.0
    others: frozenset[int] = frozenset()

    @property
    def first_place(self) -> int:
        """Runs that were to come first, as the pupil was told at once."""
        place = PLACE.search(self.told[0][1])
        return int(place[1]) if place else 0


def prompt_of(number: int) -> str:
    """Nobody else's."""
    return f"Pupil {number} opened the door, and"


def visit(page: Page, number: int) -> Visit:
    """Post what a page posts, at the times at which it does."""
    session = f"client-{number}"
    heartbeat = httpx.stream("GET", f"{page.address}/gradio_api/heartbeat/{session}", timeout=None)
    with heartbeat, Visitor(page, session) as pupil:
        try:
            pupil.open()
            asked_at = time.monotonic()
            asked = pupil.ask(Prompt=prompt_of(number), **{"New tokens (at most)": TOKENS, "Seed": number})
        except AssertionError as error:
            return Visit(f"refused: {error}"[:200])
        if not ended_well(asked):
            return Visit("refused: " + json.dumps(asked[-1:])[:200])
        told = [(asked[-1]["at"], json.dumps(asked))]
        with place_clock(page, session, told):
            ran = list(pupil.run())
    said = json.dumps(ran)
    began = [each["at"] for each in ran if BEGAN in json.dumps(each)]
    if not ended_well(ran) or not ENDED.search(json.dumps(ran[-3:])) or not began or prompt_of(number) not in said:
        return Visit("lost: " + json.dumps(ran[-1:])[:200], tuple(told))
    seen = {int(each) for each in PUPIL.findall(said + "".join(text for _, text in told))}
    return Visit("", tuple(told), asked_at, began[0], ran[-1]["at"], frozenset(seen - {number}))


@contextmanager
def place_clock(page: Page, session: str, told: list[tuple[float, str]]) -> Iterator[None]:
    """Meanwhile ask for the place in the line, as often as the page is told to."""
    over = threading.Event()

    def ask() -> None:
        with Visitor(page, session) as same:
            while (clock := CLOCK.search(told[-1][1])) and clock[1] == "true" and not over.wait(float(clock[2])):
                text = same.place()
                told.append((time.monotonic(), text))

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
