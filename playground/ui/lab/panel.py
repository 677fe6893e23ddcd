"""A section of the Lab on the page: drawn by the scripts of assets/lab, which ask the server for numbers."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

import gradio as gr

from playground.errors import PlaygroundError
from playground.ui.page.checks import whole_number
from playground.ui.page.drawn_panel import drawn_panel
from playground.words import english, keyed, word

Ask = Callable[[dict[str, Any]], dict[str, Any]]

_log = logging.getLogger(__name__)


def lab_panel(section: str, ask: Ask) -> gr.HTML:
    """Lay a section out: what it is about, and its picture, which asks the server for numbers.

    Args:
        section: its folder in assets/lab, and the module in it that mounts it; its words begin with `lab_<section>`.
        ask: answers what the page asks; it must be called so, the page knows it by that name.
    """
    if (intro := f"lab_{section}_intro") in english():
        gr.Markdown(word(intro), elem_classes="lead")
    return drawn_panel(
        "lab",
        settings={"section": section},
        value="",
        server_functions=[ask],
        elem_id=f"lab-{section}-panel",
    )


def whole_field(request: dict[str, Any], name: str) -> int:
    """Return a field of a question that counts something; `lab_error_field_<name>` is its name in messages.

    Raises:
        PlaygroundError: if it is not a whole number.
    """
    return whole_number(request[name], word(f"lab_error_field_{name}"))


def answered(ask: Ask) -> Ask:
    """Return the function, with a sentence under "error" where a question is bad or its answer fails."""

    @wraps(ask)
    def safely(request: dict[str, Any]) -> dict[str, Any]:
        try:
            return keyed(ask(request))
        except PlaygroundError as error:
            return {"error": keyed(error.args[0])}
        except (KeyError, TypeError, ValueError):
            return {"error": keyed(word("lab_error_unread"))}
        except Exception as error:
            _log.exception("The lab failed")
            return {"error": keyed(word("lab_error_failed", error=type(error).__name__))}

    return safely
