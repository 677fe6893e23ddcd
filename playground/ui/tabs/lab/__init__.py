"""The Lab tab: the theory that one can touch, one section a file."""

from __future__ import annotations

import gradio as gr

from playground.ui.lab_panel import LAB, page_head
from playground.ui.tabs.lab import acceptance

__all__ = ["LAB", "build", "page_head"]

SECTIONS = {
    "acceptance": ("Acceptance", acceptance),
}


def build(page: gr.Blocks) -> None:
    """Lay the tab out. A section is drawn when it is first opened."""
    with gr.Tabs(elem_id="lab-sections"):
        for name, (title, section) in SECTIONS.items():
            with gr.Tab(title, id=f"lab-{name}"):
                section.build(page)
