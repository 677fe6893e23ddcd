"""The Lab tab: the theory that one can touch, one section a file."""

import gradio as gr

from playground.paths import ASSETS
from playground.ui.lab import acceptance, losslessness, servers, speed
from playground.ui.lab.panel import lab_panel
from playground.words import word

SECTIONS = {
    "acceptance": acceptance.ask,
    "losslessness": losslessness.ask,
    "speed": speed.ask,
    "servers": servers.ask,
}
QUESTIONS = ASSETS / "lab" / "questions.md"  # Users of servers ask these. The whole Lab is English.


def build() -> None:
    """Lay the tab out. A section is drawn when it is first opened, and reads its own state from the address."""
    with gr.Tabs(elem_id="lab-sections", overflow_behavior="wrap"):
        for name, ask in SECTIONS.items():
            with gr.Tab(word(f"lab_{name}"), id=f"lab-{name}", elem_id=f"tab-lab-{name}"):
                lab_panel(name, ask)
        with gr.Tab(word("lab_questions"), id="lab-questions", elem_id="tab-lab-questions"):
            gr.Markdown(QUESTIONS.read_text(encoding="utf-8"))
