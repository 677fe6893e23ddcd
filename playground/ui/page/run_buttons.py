"""The button that starts something long and the one that stops it, alike in every tab that runs something."""

from typing import Any

import gradio as gr

from playground.ui.live import turns
from playground.ui.page.messages import say
from playground.words import word


def buttons(*, running: bool) -> tuple[Any, Any]:
    """(start, stop)."""
    return gr.Button(interactive=not running), gr.Button(interactive=running)


def buttons_after(request: gr.Request) -> tuple[Any, Any]:
    """Update the buttons after a run; another of this page may be waiting meanwhile. (start, stop)"""
    return buttons(running=turns.is_asked(request.session_hash or ""))


def stop_waiting(request: gr.Request) -> dict[str, Any] | None:
    """Stop this page's runs: what to say, or None where one has begun, which ends before its next round and says so.

    `nothing_comes` tells the page that it need not keep a place for a run.
    """
    stopped = turns.stop(request.session_hash or "")
    if any(turn.has_begun for turn in stopped):
        return None
    return say(word("notice_not_begun") if stopped else word("notice_had_ended")) | {"nothing_comes": True}
