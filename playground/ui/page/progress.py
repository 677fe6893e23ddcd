"""How far something long is: a sentence and a bar. Nothing in it moves by itself: a page that measures stands still."""

from __future__ import annotations

from typing import Any

import gradio as gr

from playground.ui.live import turns
from playground.ui.page.drawn_panel import drawn_panel, on_page
from playground.ui.page.messages import say

_LINE_AND_BAR = (
    '<p class="notice" role="status" aria-live="polite"></p>'
    '<progress class="race-bar" aria-label="Runs done" hidden></progress>'
)


def progress_line(*, elem_id: str) -> gr.HTML:
    """The line and its bar; a value comes from `say`, `complain` or `say_how_far`."""
    return drawn_panel("line", template=_LINE_AND_BAR, value=say(""), elem_id=elem_id, elem_classes="notice-line")


def say_how_far(text: str, done: int, total: int) -> dict[str, Any]:
    """A sentence with the bar below it."""
    return say(text) | {"done": done, "total": total}


def stand_still(line: gr.HTML) -> str:
    """For a button that begins to measure: its line comes into sight on a phone, and whatever plays is halted."""
    return on_page("standStill", f"#{line.elem_id}")


def waiting(ahead: int) -> dict[str, str]:
    """The place in the queue."""
    if not ahead:
        return say("Waiting for its turn ...")
    return say(f"Waiting: {ahead} run{'s' if ahead > 1 else ''} on other pages come{'' if ahead > 1 else 's'} first.")


def place_in_queue(request: gr.Request) -> Any:
    """The message of something long that waits."""
    ahead = turns.ahead(request.session_hash or "")
    return gr.skip() if ahead is None else waiting(ahead)
