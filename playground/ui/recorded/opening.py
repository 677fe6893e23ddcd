"""The opening of a tab on its recording, or on a message where there is none to show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr

from playground.errors import PlaygroundError
from playground.ui.live import turns
from playground.ui.page.links import is_for, sets_nothing_up
from playground.ui.page.messages import say


def opened(
    request: gr.Request, tab: str, there: Any, read: Callable[[], Any], value: Callable[[Any], Any]
) -> tuple[Any, Any, Any]:
    """(panel, message, what is there now): what a link sets up or the reader has asked for is awaited instead.

    Args:
        request: of the reader who opened the tab.
        tab: its name in a link.
        there: what the tab shows already, or None.
        read: reads the recording, or says why it cannot be shown.
        value: what the panel shows of it.
    """
    query = dict(request.query_params)
    set_up = is_for(tab, query) and not sets_nothing_up(query)
    if there is not None or set_up or turns.is_asked(request.session_hash or ""):
        return gr.skip(), gr.skip(), gr.skip()
    try:
        recording = read()
    except PlaygroundError as error:
        return gr.skip(), say(error.args[0]), gr.skip()
    return value(recording), gr.skip(), recording
