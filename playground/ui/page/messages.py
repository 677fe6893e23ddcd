"""Messages of the page to its reader, shown as text, whatever characters they hold."""

import logging
from collections.abc import Sequence
from typing import Literal

import gradio as gr

from playground.errors import PlaygroundError, StoppedError
from playground.ui.contract.to_page import Line
from playground.ui.page.drawn_panel import drawn_panel, on_page
from playground.words import keyed, listed, word

_log = logging.getLogger(__name__)

_LINE = '<p class="notice" role="status" aria-live="polite"></p>'


def notice(text: str = "", *, elem_id: str) -> gr.HTML:
    """Return a line for messages; its value comes from `say` or `complain`."""
    return drawn_panel("line", template=_LINE, value=say(text), elem_id=elem_id, elem_classes="notice-line")


def say(*sentences: str, kind: Literal["quiet", "error"] = "quiet") -> Line:
    """Return a quiet message: its English, and its sentences as the browser words them (assets/page/panels/line.js)."""
    parts = [each for each in sentences if each]
    return {"text": " ".join(parts), "said": keyed(parts), "kind": kind}


def complain(problem: str | PlaygroundError) -> Line:
    """Return an error: what is wrong, and what to do."""
    return say(problem.args[0] if isinstance(problem, PlaygroundError) else problem, kind="error")


def set_up(press: str, wrong: Sequence[str], dropped: Sequence[str] = ()) -> Line:
    """Return the line after a link was followed.

    Args:
        press: the button to press now: Run, Race, Sweep or Recommend.
        wrong: what of the link was left out, a phrase each.
        dropped: those without which the browser can make the run of the link.
    """
    if not wrong:
        return say(word("set_up"), word(f"press_{press.lower()}"))
    message = say(word("watch_error_set_up", wrong=listed(wrong)), word(f"press_{press.lower()}"), kind="error")
    return {**message, "dropped": keyed(list(dropped))}


def failure(what: str, error: Exception, remaining: str = "") -> Line:
    """Return what a refusal or a stop says of itself; of any other error what broke off and what is left. Log that."""
    if isinstance(error, PlaygroundError):
        return (say if isinstance(error, StoppedError) else complain)(error.args[0])
    _log.error("%s broke off", what, exc_info=error)
    name = type(error).__name__
    broken = word("watch_error_broke_off", what=what, name=name)
    if remaining:
        broken = word("watch_error_broke_off_left", what=what, name=name, left=remaining)
    return say(broken, word("watch_error_log"), kind="error")


# said by the page itself: the server's answer could arrive after the run's last word, and stay in its place
STOPPING = on_page("say", say(word("stopping")))
