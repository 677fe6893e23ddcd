"""The opening of a tab on its recording, or on a message where there is none to show."""

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

import gradio as gr

from playground.errors import PlaygroundError
from playground.ui.live import turns
from playground.ui.page.links import TAB, is_for, sets_nothing_up
from playground.ui.page.messages import say


def opened(
    request: gr.Request, tab: str, there: Any, read: Callable[[], Any], value: Callable[[Any], Any], *, link: str
) -> tuple[Any, Any, Any]:
    """(panel, message, what is there now): what a link sets up or the reader has asked for is awaited instead.

    Args:
        request: of the reader who opened the tab.
        tab: its name in a link.
        there: what the tab shows already, or None.
        read: reads the recording, or says why it cannot be shown.
        value: what the panel shows of it.
        link: of the form that the tab opens on, which the address names as soon as the tab is open.
    """
    query = {
        name: each for name, each in request.query_params.items() if name == TAB or not sets_nothing_up({name: each})
    }
    set_up = is_for(tab, query) and not sets_nothing_up(query) and query != dict(parse_qsl(link.removeprefix("?")))
    session = request.session_hash or ""
    is_awaited = turns.is_asked(session) and not turns.is_asked(session, turns.RUN)  # a run is shown in Watch, not here
    if there is not None or set_up or is_awaited:
        return gr.skip(), gr.skip(), gr.skip()
    try:
        recording = read()
    except PlaygroundError as error:
        return gr.skip(), say(error.args[0]), gr.skip()
    return value(recording), gr.skip(), recording
