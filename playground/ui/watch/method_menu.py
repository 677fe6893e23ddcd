"""The menu of methods: in families, each with a small picture, and every method with a sentence.

Gradio's own menu shows one string a line, so this one is drawn by assets/page/panels/method.js.
"""

from __future__ import annotations

from typing import Any

import gradio as gr

from playground.decoding.method import methods
from playground.exactness.badges import badge
from playground.ui.page.drawn_panel import drawn_panel

# what the families are called, and their methods; one that stands in none is found by its own facts, see `family_of`
FAMILIES = {
    "plain": "Without drafts",
    "chain": "One chain",
    "chains": "Many chains",
    "tree": "Trees",
    "beams": "Beams",
    "lossy": "Lossy",
}
_MEMBERS = {
    "plain": ("autoregressive",),
    "chain": ("speculative_sampling", "block_verification", "greedy_draft", "sample_and_match", "prompt_lookup"),
    "chains": ("spectr", "importance_sampling"),
}


def method_menu(first: str) -> gr.HTML:
    """The menu; its value is the chosen method's id, and `chosen` is heard when a reader chooses."""
    return drawn_panel(
        "method",
        wishes=["chosen"],
        settings={"families": families()},
        value=first,
        elem_id="method",
    )


def families() -> list[dict[str, Any]]:
    """Every family with its methods, as the browser draws them."""
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in FAMILIES}
    for name, method in methods().items():
        mark = badge(name)
        found[family_of(name)].append(
            {"id": name, "title": method.title, "summary": method.summary, "mark": "" if mark.lossless else mark.mark}
        )
    return [{"id": name, "title": FAMILIES[name], "methods": each} for name, each in found.items() if each]


def family_of(name: str) -> str:
    """Lossy methods and those of beams say so themselves; of the others, all that are in no list grow trees."""
    method = methods()[name]
    if not method.lossless:
        return "lossy"
    if "beam" in method.reproduces:
        return "beams"
    return next((family for family, members in _MEMBERS.items() if name in members), "tree")
