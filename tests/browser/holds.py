"""Properties of any page, and of every sentence on it."""

import re
from typing import Any

from tests.browser.app_fixture import TRIES, wait_for_frames

EXECUTED = "window.executed === true || document.querySelector('img[src=\"x\"], .gradio-container script:not([src])')"


def assert_one_sentence(text: str) -> None:
    """Something for a person: short, ended, and no program's innards."""
    assert 10 < len(text) < 400 and text.rstrip().endswith("."), text
    assert not re.search(r"Traceback|Error:|object at 0x|\bNone\b", text), text


def assert_comes_to_rest(page) -> None:
    """Half a second in which nothing is asked of the server."""
    asked: list[Any] = []

    def note(request) -> None:
        asked.append(request)

    page.on("request", note)
    for _ in range(TRIES):
        before = len(asked)
        for _ in range(15):
            wait_for_frames(page)
        if len(asked) == before:
            break
    page.remove_listener("request", note)
    assert len(asked) == before, [each.post_data or each.url for each in asked[before:]]


def assert_nothing_executed(page) -> None:
    """Once an image of our own, as broken as theirs, has failed: the `onerror` of others has had its turn by then."""
    page.evaluate("new Promise((failed) => { const own = new Image(); own.onerror = failed; own.src = 'x'; })")
    assert not page.evaluate(f"Boolean({EXECUTED})")
