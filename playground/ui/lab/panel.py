"""A section of the Lab on the page: drawn by the scripts of assets/lab, which ask the server for numbers."""

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

import gradio as gr
from msgspec.structs import asdict

from playground.errors import PlaygroundError
from playground.ui.contract.lab import Refusal
from playground.ui.contract.reading import receive
from playground.ui.page.drawn_panel import drawn_panel
from playground.words import english, keyed, word

Ask = Callable[[Any], dict[str, Any]]

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


def answers(questions: Any) -> Callable[[Callable[[Any], dict[str, Any]]], Ask]:
    """Make an answer to these questions, a type or a union, what the page calls; bad ones get a `Refusal`."""

    def calls(answer: Callable[[Any], dict[str, Any]]) -> Ask:
        @wraps(answer)
        def ask(data: Any) -> dict[str, Any]:
            try:
                return keyed(answer(receive(data, questions)))
            except PlaygroundError as error:
                refusal = Refusal(error.args[0])
            except Exception as error:
                _log.exception("The lab failed")
                refusal = Refusal(word("lab_error_failed", error=type(error).__name__))
            return keyed(asdict(refusal))

        return ask

    return calls
