"""The progress of something long: a sentence and a bar. Nothing moves by itself: a page that measures stands still."""

from typing import Any

import gradio as gr

from playground.ui.contract.to_page import Line
from playground.ui.live import turns
from playground.ui.page.drawn_panel import drawn_panel, on_page
from playground.ui.page.messages import say
from playground.words import Word, word

OFTEN_S = 1.0  # between two looks at the place in the queue
WAITS = "waiting"  # The keys of such a message begin with it.

_LINE_AND_BAR = (
    '<p class="notice" role="status" aria-live="polite"></p>'
    '<progress class="race-bar" aria-label="Runs done" hidden></progress>'
)


def progress_line(*, elem_id: str) -> gr.HTML:
    """Return the line and its bar; its value is a line."""
    return drawn_panel("line", template=_LINE_AND_BAR, value=say(""), elem_id=elem_id, elem_classes="notice-line")


def stand_still(line: gr.HTML) -> str:
    """For a button that begins to measure: its line comes into sight on a phone, and whatever plays is halted."""
    return on_page("standStill", f"#{line.elem_id}")


def waiting(ahead: int) -> Line:
    """Return the place in the queue."""
    return say(
        word("waiting_one") if ahead == 1 else word("waiting_many", count=ahead) if ahead else word("waiting_turn")
    )


def queue_message(request: gr.Request) -> tuple[Any, gr.Timer]:
    """(message of something that waits, the clock that asks for it, which stops once nothing waits).

    It takes the place of such a message alone: on a busy server the run may overtake it, and say its own before.
    """
    ahead = turns.ahead(request.session_hash or "")
    message = gr.skip() if ahead is None else waiting(ahead) | {"instead_of": WAITS}
    return message, asking(ahead)


def asking(ahead: int | None) -> gr.Timer:
    """Return a clock for a client that has so many runs before it; a hundred pages asking each second would be a load.

    Args:
        ahead: how many runs come first; None where nothing waits and the clock is stopped.
    """
    return gr.Timer(min(OFTEN_S * 10, max(OFTEN_S, OFTEN_S * (ahead or 0) / 10)), active=ahead is not None)


def about(seconds: float, key: str = "about") -> Word:
    """`About 40 s.`, rounded as a guess should be; with the key "left", `About 40 s left.`, "within": `About 40 s`."""
    if seconds < 10:
        return word(f"{key}_seconds", seconds=max(1, round(seconds)))
    if seconds < 90:
        return word(f"{key}_seconds", seconds=5 * round(seconds / 5))
    return word(f"{key}_minutes", minutes=f"{seconds / 60:.0f}")


def in_words(seconds: float) -> Word:
    """`About 40 s`, within a sentence."""
    return about(seconds, "within")
