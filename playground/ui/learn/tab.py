"""Lessons on the recorded runs. The browser has them all; here is where the runs lie, and the tab that a link opens."""

from __future__ import annotations

from typing import Any

import gradio as gr

from playground.ui.page.controls import HIDDEN
from playground.ui.page.drawn_panel import TRACES, address_of, drawn_panel
from playground.ui.page.links import is_for


def build(page: gr.Blocks, tabs: gr.Tabs) -> None:
    """Lay the tab out.

    Args:
        page: the whole page, for its links.
        tabs: to turn here, where a link asks for it.
    """
    drawn_panel("learn", settings={"traces": address_of(TRACES)}, elem_id="learn")
    page.load(follow_link, None, tabs, queue=False, **HIDDEN)


def follow_link(request: gr.Request) -> Any:
    """The tabs as the page's address asks."""
    return gr.Tabs(selected="learn") if is_for("learn", dict(request.query_params)) else gr.skip()
