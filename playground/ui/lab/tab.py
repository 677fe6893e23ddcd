"""The Lab tab: the theory that one can touch, one section a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gradio as gr

from playground.ui.lab import acceptance, beam, losslessness, servers, speed
from playground.ui.page.controls import HIDDEN
from playground.ui.page.links import is_for

SECTIONS = {
    "acceptance": ("Acceptance", acceptance),
    "losslessness": ("Losslessness", losslessness),
    "speed": ("Expected speed", speed),
    "beam": ("Beam width", beam),
    "servers": ("Your server", servers),
}
FIRST = "acceptance"


def build(page: gr.Blocks, tabs: gr.Tabs, player: gr.HTML) -> None:
    """Lay the tab out. A section is drawn when it is first opened.

    Args:
        page: the whole page, for its links.
        tabs: to turn here, where a link asks for it or
        player: the reader opens a token's position in the Lab.
    """
    with gr.Tabs(elem_id="lab-sections", overflow_behavior="wrap") as sections:
        for name, (title, section) in SECTIONS.items():
            with gr.Tab(title, id=_tab(name)):
                section.build()
    page.load(follow_link, None, [tabs, sections], queue=False, **HIDDEN)
    player.open_in_lab(turn_to, None, [tabs, sections], queue=False, **HIDDEN)


def follow_link(request: gr.Request) -> tuple[Any, Any]:
    """The tabs as the page's address asks; a section reads its own state from it. (tabs, sections)"""
    return follow(dict(request.query_params))


def follow(query: Mapping[str, str]) -> tuple[Any, Any]:
    """The same for an address's query."""
    if not is_for("lab", query):
        return gr.skip(), gr.skip()
    section = query.get("section", FIRST)
    return turn_to(section if section in SECTIONS else FIRST)


def turn_to(section: str = FIRST) -> tuple[Any, Any]:
    """(tabs, sections) with this section of the Lab in front."""
    return gr.Tabs(selected="lab"), gr.Tabs(selected=_tab(section))


def _tab(section: str) -> str:
    return f"lab-{section}"
