"""A section of the Lab on the page: drawn by the scripts of assets/lab, which ask the server for numbers."""

import logging
from collections.abc import Callable
from typing import Any

import gradio as gr
from msgspec.structs import asdict

from playground.errors import PlaygroundError
from playground.ui.contract.questions import question
from playground.ui.contract.reading import receive, tag_of
from playground.ui.page.drawn_panel import drawn_panel
from playground.words import english, keyed, word

Ask = Callable[[Any], dict[str, object]]

_log = logging.getLogger(__name__)


def lab_panel(section: str, ask: Ask) -> gr.HTML:
    """Lay a section out: what it is about, and its picture, which asks the server for numbers.

    Args:
        section: its folder in assets/lab, and the module in it that mounts it; its words begin with `lab_<section>`.
        ask: from `answers`; the page knows it by its name.
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


def answers(**functions: Callable[..., dict[str, object]]) -> Ask:
    """Return what the page calls with a question, by the name of the function that answers; bad ones get a sentence."""
    kinds = {name: question(name, function) for name, function in functions.items()}

    def ask(data: Any) -> dict[str, object]:
        try:
            message = receive(data, *kinds.values())
            return keyed(functions[tag_of(type(message))](**asdict(message)))
        except PlaygroundError as error:
            return keyed({"error": error.args[0]})
        except Exception as error:
            _log.exception("The lab failed")
            return keyed({"error": word("lab_error_failed", error=type(error).__name__)})

    return ask
