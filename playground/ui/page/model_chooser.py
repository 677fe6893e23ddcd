"""Which models run: a pair of the catalogue, or any two that the reader names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import gradio as gr

from playground.models.catalog import PAIRS, Pair
from playground.models.drafters import DRAFT, SUFFIX, drafter_title
from playground.models.drafters import OTHER as OTHER_DRAFT
from playground.ui.page.controls import HIDDEN

if TYPE_CHECKING:
    from playground.models.loading import LoadedPair

BUNDLED = "bundled"
EXITS = (2, 4, 6, 8, 10)  # of the target's layers, in the menu of drafters
OTHER = "other"  # the choice of a pair that opens two fields for any models


def pair_field(elem_id: str | None = None) -> gr.Dropdown:
    """The choice of a pair."""
    return gr.Dropdown(_choices(), value=BUNDLED, label="Models", info=PAIRS[0].note, elem_id=elem_id)


def model_fields(pair: gr.Dropdown) -> dict[str, gr.Dropdown | gr.Textbox]:
    """pair, and beside it target and draft for any two models, which are seen where `OTHER` is chosen."""
    with gr.Row(visible=False) as row:
        target = gr.Textbox("", label="Target model", info="A Hub id or a folder.", max_lines=1, max_length=400)
        draft = gr.Textbox(
            "", label="Draft model", info="Of the same family as the target.", max_lines=1, max_length=400
        )
    pair.change(choose_pair, pair, [pair, row], **HIDDEN)
    return {"pair": pair, "target": target, "draft": draft}


def drafter_field(elem_id: str | None = None) -> gr.Dropdown:
    """Who drafts: the pair's models, first layers of the target, or the text; other numbers of layers can be typed."""
    words = [DRAFT, OTHER_DRAFT, *(f"exit{depth}" for depth in EXITS), SUFFIX]
    return gr.Dropdown(
        [(drafter_title(word).capitalize(), word) for word in words],
        value=DRAFT,
        label="Drafter",
        info="Who drafts for the target, with any method that takes a draft model.",
        allow_custom_value=True,
        elem_id=elem_id,
    )


def choose_pair(pair: str) -> tuple[gr.Dropdown, gr.Row]:
    """The pair's note under it, and the fields for other models where they are wanted."""
    notes = {each.id: each.note for each in PAIRS} | {OTHER: "Any two models that share a tokenizer."}
    return gr.Dropdown(info=notes[pair]), gr.Row(visible=pair == OTHER)


def chosen_models(pair: str, target: str | None, draft: str | None) -> LoadedPair:
    """The models that the controls name, read in when they are not yet.

    Raises:
        PlaygroundError: if they cannot be.
    """
    from playground.models.loading import load_models, load_pair  # brings transformers, which takes seconds

    return load_models((target or "").strip(), (draft or "").strip() or None) if pair == OTHER else load_pair(pair)


def _choices() -> list[tuple[str, str]]:
    """(label, id) of every pair, and the way to any other."""
    return [(_label(pair), pair.id) for pair in PAIRS] + [("Other models ...", OTHER)]


def _label(pair: Pair) -> str:
    if pair.is_bundled:
        return pair.title
    gibibytes = pair.memory_bytes(2) / 2**30
    return f"{pair.title} ({gibibytes:.1f} GiB{', gated' if pair.gated else ''})"
