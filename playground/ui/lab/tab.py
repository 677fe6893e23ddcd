"""The Lab tab: the theory that one can touch, one section a file."""

import gradio as gr

from playground.paths import ASSETS, ROOT
from playground.ui.lab import acceptance, losslessness, measured, servers, speed
from playground.ui.lab.panel import lab_panel
from playground.words import word

SECTIONS = {
    "acceptance": acceptance.ask,
    "losslessness": losslessness.ask,
    "speed": speed.ask,
    "measured": measured.ask,
    "servers": servers.ask,
}
QUESTIONS = ASSETS / "lab" / "questions.md"  # Users of servers ask these. The whole Lab is English.


def build() -> None:
    """Lay the tab out. A section is drawn when it is first opened, and reads its own state from the address."""
    with gr.Tabs(elem_id="lab-sections", overflow_behavior="wrap"):
        for name, ask in SECTIONS.items():
            with gr.Tab(word(f"lab_{name}"), id=f"lab-{name}", elem_id=f"tab-lab-{name}"):
                lab_panel(name, ask)
                if name == "losslessness":
                    _own_rule()
        with gr.Tab(word("lab_questions"), id="lab-questions", elem_id="tab-lab-questions"):
            gr.Markdown(QUESTIONS.read_text(encoding="utf-8"))


def _own_rule() -> None:
    """Lay out how a rule of one's own is checked, by the example of exactness/README.md: the page runs no such code."""
    readme = (ROOT / "playground" / "exactness" / "README.md").read_text(encoding="utf-8")
    with gr.Accordion(word("lab_own_rule"), open=False, elem_id="lab-own-rule"):
        gr.Markdown(word("lab_own_rule_how"))
        gr.Code(readme.split("```python\n")[1].partition("\n```")[0], language="python", label=word("lab_own_file"))
        gr.Code("python -m playground check --rule my_module:my_rule", language="shell", label=word("lab_own_command"))
