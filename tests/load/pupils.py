"""A pupil of a class, with a browser or without: opens the page, writes a prompt, presses Run, waits for the run.

Both do what a reader's page does, and write down what they were told and when. A pupil's prompt names its number, so
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
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect, sync_playwright

from tests.browser.app_fixture import (
    PLAYER,
    notice,
    of_player,
    press_run,
    wait_for_player,
    write,
)
from tests.browser.conftest import ARGUMENTS, CHROMIUM, listen, new_tab
from tests.visitors import Page, Visitor, ended_well

TOKENS = 48
ENDED = re.compile(rf"Done: {TOKENS} tokens in|The text ended: \d+ tokens in")
BEGAN = "Reading the prompt"
PUPIL = re.compile(r"Pupil\W(\d+)\Wopened")
CLOCK = re.compile(r'"active": ?(true|false), ?"value": ?([\d.]+)')
NOTE = """() => {
  const line = document.querySelector('#notice');
  const note = () => {
    const text = line.querySelector('.notice').textContent;
    if (text !== window.told.at(-1)?.[1]) window.told.push([Date.now() / 1000, text]);
  };
  window.told = [];
  note();
  new MutationObserver(note).observe(line, {subtree: true, childList: true, characterData: true});
}"""


@dataclass(frozen=True)
class Visit:
    """What came of it.

    Attributes:
        problem: empty where the run came.
        told: (when, what) of all that was said, in order, in seconds of one clock.
        began_at, ended_at: the run, as the pupil saw it.
        others: pupils of whom something came to this one.
    """

    problem: str = ""
    told: tuple[tuple[float, str], ...] = ()
    began_at: float = 0.0
    ended_at: float = 0.0
    others: frozenset[int] = frozenset()


def prompt_of(number: int) -> str:
    """Nobody else's."""
    return f"Pupil {number} opened the door, and"


def by_client(page: Page, number: int) -> Visit:
    """Post what a page posts, at the times at which it does."""
    session = f"client-{number}"
    heartbeat = httpx.stream("GET", f"{page.address}/gradio_api/heartbeat/{session}", timeout=None)
    with heartbeat, Visitor(page, session) as pupil:
        try:
            pupil.open()
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
    return Visit("", tuple(told), began[0], ran[-1]["at"], frozenset(seen - {number}))


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


def by_browser(page: Page, number: int, late_s: float) -> Visit:
    """Follow the link that the class was given, write a prompt, press Run, and look."""
    faults: list[str] = []
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        tab = new_tab(chromium)
        tab.set_default_timeout(1000 * late_s)
        listen(tab, faults)
        tab.goto(f"{page.address}/?tokens={TOKENS}&seed={number}")
        wait_for_player(tab)
        expect(notice(tab)).to_contain_text("Filled in from the link")
        write(tab, tab.locator("#prompt textarea"), prompt_of(number))
        tab.evaluate(NOTE)
        press_run(tab)
        tab.wait_for_function(
            f"{PLAYER}.trace !== window.traceBefore && {PLAYER}.trace.finished"
            " || document.querySelector('.toast-body')",
            polling=500,
        )
        visit = _seen(tab, number, faults)
        chromium.close()
    return visit


def _seen(tab: Tab, number: int, faults: list[str]) -> Visit:
    """What is on the page once the run has ended."""
    expect(notice(tab)).to_contain_text(ENDED)
    ahead_s = time.time() - time.monotonic()
    told = tuple((at - ahead_s, text) for at, text in tab.evaluate("window.told.slice(1)"))
    begun = [at for at, text in told if not text.startswith("Waiting")]
    if faults or of_player(tab, "p.trace.run.prompt") != prompt_of(number) or not begun:
        return Visit(f"lost: {faults}"[:200], told)
    said = of_player(tab, "document.body.innerText + JSON.stringify([p.trace.run, p.trace.finished])")
    seen = {int(each) for each in PUPIL.findall(said)}
    return Visit("", told, begun[0], told[-1][0], frozenset(seen - {number}))
