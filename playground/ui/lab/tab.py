"""The Lab tab: the theory that one can touch, one section a file."""

from __future__ import annotations

import gradio as gr

from playground.ui.lab import acceptance, beam, losslessness, positions, servers, speed
from playground.words import word

SECTIONS = {
    "acceptance": (word("lab_acceptance"), acceptance),
    "losslessness": (word("lab_losslessness"), losslessness),
    "speed": (word("lab_speed"), speed),
    "beam": (word("lab_beam"), beam),
    "positions": (word("lab_positions"), positions),
    "servers": (word("lab_servers"), servers),
}


def build() -> None:
    """Lay the tab out. A section is drawn when it is first opened, and reads its own state from the address."""
    with gr.Tabs(elem_id="lab-sections", overflow_behavior="wrap"):
        for name, (title, section) in SECTIONS.items():
            with gr.Tab(title, id=f"lab-{name}", elem_id=f"tab-lab-{name}"):
                section.build()
