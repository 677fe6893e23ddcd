"""What the page says to its reader when something needs saying. Shown as text, whatever characters it holds."""

from __future__ import annotations

from collections.abc import Sequence

import gradio as gr

from playground.ui.page.drawn_panel import drawn_panel, on_page

_LINE = '<p class="notice" role="status" aria-live="polite"></p>'
# said by the page itself: the server's answer could arrive after the run's last word, and stay in its place
STOPPING = on_page("say", "Stopping ...")


def notice(text: str = "", *, elem_id: str) -> gr.HTML:
    """A line for messages; its value comes from `say` or `complain`."""
    return drawn_panel("line", template=_LINE, value=say(text), elem_id=elem_id, elem_classes="notice-line")


def say(text: str) -> dict[str, str]:
    """A quiet sentence."""
    return {"text": text, "kind": "quiet"}


def complain(text: str) -> dict[str, str]:
    """What is wrong, and what to do."""
    return {"text": text, "kind": "error"}


def set_up(press: str, wrong: Sequence[str]) -> dict[str, str]:
    """The line after a link was followed.

    Args:
        press: the button to press now.
        wrong: what of the link was left out, a phrase each.
    """
    if not wrong:
        return say(f"Set up by the link. Press {press}.")
    return complain(f"Set up by the link, but for what could not be read: {', '.join(wrong)}. Press {press}.")


def broke_off(what: str, error: Exception, kept: str = "") -> dict[str, str]:
    """Something failed that should not: what it was, and what is left. The traceback is in the log."""
    left = f"; {kept}" if kept else ""
    return complain(f"{what} broke off ({type(error).__name__}){left}. The server's log says more.")
