"""Messages as a page sends them."""

from typing import Any

import gradio as gr
from msgspec import Struct, to_builtins


def event(message: Struct) -> gr.EventData:
    """An event of a panel that holds this message."""
    return gr.EventData(None, to_builtins(message))  # pyright: ignore[reportArgumentType]


def changed(message: Struct, **fields: Any) -> dict[str, Any]:
    """The data of a message with other fields, as a program may post them."""
    return to_builtins(message) | fields
