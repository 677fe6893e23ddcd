"""Which models run: a pair of the catalogue, or any two that the reader names."""

from __future__ import annotations

import gradio as gr

from playground.models.catalog import PAIRS, Pair
from playground.ui.page.controls import OTHER


def pair_field(elem_id: str | None = None) -> gr.Dropdown:
    """The choice of a pair."""
    return gr.Dropdown(_choices(), value="bundled", label="Models", info=PAIRS[0].note, elem_id=elem_id)


def other_models() -> tuple[gr.Row, gr.Textbox, gr.Textbox]:
    """The fields for any two models, and the row to be shown with the choice `OTHER`: (row, target, draft)."""
    with gr.Row(visible=False) as row:
        target = gr.Textbox(label="Target model", info="A Hub id or a folder.", max_lines=1, max_length=400)
        draft = gr.Textbox(label="Draft model", info="Of the same family as the target.", max_lines=1, max_length=400)
    return row, target, draft


def choose_pair(pair: str) -> tuple[gr.Dropdown, gr.Row]:
    """The pair's note under it, and the fields for other models where they are wanted."""
    notes = {each.id: each.note for each in PAIRS} | {OTHER: "Any two models that share a tokenizer."}
    return gr.Dropdown(info=notes[pair]), gr.Row(visible=pair == OTHER)


def _choices() -> list[tuple[str, str]]:
    """(label, id) of every pair, and the way to any other."""
    return [(_label(pair), pair.id) for pair in PAIRS] + [("Other models ...", OTHER)]


def _label(pair: Pair) -> str:
    if pair.is_bundled:
        return pair.title
    gibibytes = pair.memory_bytes(2) / 2**30
    return f"{pair.title} ({gibibytes:.1f} GiB{', gated' if pair.gated else ''})"
