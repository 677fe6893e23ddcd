"""Where the prompts come from: a set that is kept with the page, a single one, or a reader's file."""

from __future__ import annotations

from typing import Any

import gradio as gr

from playground.bench.prompts import presets
from playground.ui.race.setup import FILE, MOST_PROMPTS, ONE, PRESET, PROMPT_LIMIT


def prompt_chooser(
    tab: str, *, info: str, preset: str, typed: str, num_prompts: int
) -> tuple[gr.Radio, gr.Textbox, gr.Dropdown, gr.File, gr.Slider]:
    """Lay the fields out in a row: (source, prompt, set, file, how many); those of one source are to be seen.

    Args:
        tab: what the fields' ids begin with.
        info: what runs on the prompts.
        preset, typed, num_prompts: the first values.
    """
    with gr.Row(equal_height=False, elem_id=f"{tab}-prompts"):
        source = gr.Radio(
            [("A set", PRESET), ("One prompt", ONE), ("A file", FILE)],
            value=PRESET,
            label="Prompts",
            info=info,
            scale=2,
            min_width=260,
            elem_id=f"{tab}-source",
        )
        sets = gr.Dropdown(
            [(f"{name} ({len(each)} prompts)", name) for name, each in presets().items()],
            value=preset,
            label="Set",
            info="Kept with the page.",
            scale=2,
            min_width=180,
        )
        prompt = gr.Textbox(
            typed,
            label="Prompt",
            info=f"Up to {PROMPT_LIMIT:,} characters.",
            lines=2,
            max_lines=6,
            max_length=PROMPT_LIMIT,
            visible=False,
            scale=4,
            min_width=260,
            elem_id=f"{tab}-prompt",
        )
        file = gr.File(
            label='A .txt file with one prompt in each line, or .jsonl with {"prompt": ...} lines',
            file_types=[".txt", ".jsonl"],
            height=110,
            visible=False,
            scale=3,
            min_width=260,
            elem_id=f"{tab}-file",
        )
        number = gr.Slider(
            1, MOST_PROMPTS, num_prompts, step=1, label="Prompts (at most)", info="From the first.", min_width=180
        )
    return source, prompt, sets, file, number


def choose_source(source: str) -> tuple[Any, ...]:
    """The fields of a source of prompts: (set, prompt, file, how many)."""
    return (
        gr.Dropdown(visible=source == PRESET),
        gr.Textbox(visible=source == ONE),
        gr.File(visible=source == FILE),
        gr.Slider(visible=source != ONE),
    )
