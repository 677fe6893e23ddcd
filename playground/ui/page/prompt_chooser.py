"""The choice of prompts: a set that is kept with the page, a single one, or a reader's file."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.components import Component

from playground.bench.prompts import presets, read_prompts
from playground.errors import PlaygroundError, did_you_mean
from playground.paths import ASSETS
from playground.ui.page.checks import PROMPT_LIMIT, refuse_long, whole
from playground.ui.page.controls import HIDDEN
from playground.ui.page.form import Form
from playground.words import paragraph, word

ONE, PRESET, FILE = "one", "preset", "file"
FIRST_SET = "quick"
MOST_PROMPTS = 50


@dataclass(frozen=True)
class PromptsForm(Form):
    """The source of the prompts of a race or a sweep."""

    source: str = PRESET
    prompt: str = ""  # the single one
    set: str = FIRST_SET
    file: str | None = None
    chat: bool = False  # The target's chat template makes turns of a single prompt, or of those of a file.
    prompts: int = 2  # A race takes no more.


def offered_prompts() -> dict[str, str]:
    """Prompts to try, by title."""
    return {each["title"]: each["text"] for each in json.loads((ASSETS / "prompts" / "quick.json").read_text())}


def prompt_fields(tab: str, first: PromptsForm, *, info: str) -> dict[str, Component]:
    """source, prompt, set, file, prompts (how many) and chat, in a row; those of one source are to be seen.

    Args:
        tab: what the fields' ids begin with.
        first: the first values.
        info: what runs on the prompts.
    """
    with gr.Row(equal_height=False, elem_id=f"{tab}-prompts"):
        source = gr.Radio(
            [(word("prompts_set"), PRESET), (word("prompts_one"), ONE), (word("prompts_file"), FILE)],
            value=PRESET,
            label=word("prompts"),
            info=info,
            scale=2,
            min_width=260,
            elem_id=f"{tab}-source",
        )
        sets = gr.Dropdown(
            [(word("prompt_set_of", name=name, count=len(each)), name) for name, each in presets().items()],
            value=first.set,
            label=word("prompt_set"),
            scale=2,
            min_width=180,
        )
        prompt = _prompt_field(tab, first.prompt)
        file = gr.File(
            label=word("prompt_file"),
            file_types=[".txt", ".jsonl", ".json", ".csv"],
            height=110,
            visible=False,
            scale=3,
            min_width=260,
            elem_id=f"{tab}-file",
        )
        number = gr.Slider(
            1,
            MOST_PROMPTS,
            first.prompts,
            step=1,
            label=word("prompts_most"),
            min_width=180,
        )
        chat = gr.Checkbox(label=word("chat"), info=word("chat_info"), visible=False, min_width=180)
    source.change(choose_source, source, [sets, prompt, file, number, chat], trigger_mode="multiple", **HIDDEN)
    return {"source": source, "prompt": prompt, "set": sets, "file": file, "prompts": number, "chat": chat}


def _prompt_field(tab: str, first: str) -> gr.Textbox:
    return gr.Textbox(
        first,
        label=word("prompt"),
        info=f"Up to {PROMPT_LIMIT:,} characters.",
        lines=2,
        max_lines=6,
        visible=False,
        scale=4,
        min_width=260,
        elem_id=f"{tab}-prompt",
    )


def choose_source(source: str) -> tuple[Any, ...]:
    """Return the fields of a source of prompts: (set, prompt, file, how many, chat)."""
    return (
        gr.Dropdown(visible=source == PRESET),
        gr.Textbox(visible=source == ONE),
        gr.File(visible=source == FILE),
        gr.Slider(visible=source != ONE),
        gr.Checkbox(visible=source != PRESET),
    )


def chosen_prompts(form: PromptsForm, before: Sequence[str] = ()) -> list[str]:
    """Return the prompts that a race or a sweep runs on.

    Args:
        form: the controls.
        before: taken where they come from a file that is gone.

    Raises:
        PlaygroundError: if there are none, one is too long, or a file has broken lines.
    """
    if form.source == ONE:
        prompts = [form.prompt or ""]
        if not prompts[0].strip():
            raise PlaygroundError(word("notice_no_prompt"))
    elif form.source == PRESET:
        known = presets()
        if form.set not in known:
            unknown = word("unknown_prompts", name=repr(form.set))
            raise PlaygroundError(paragraph(unknown, did_you_mean(str(form.set), known)))
        prompts = known[form.set]
    elif form.source == FILE:
        if not form.file:
            raise PlaygroundError(word("race_no_prompts"))
        if Path(form.file).is_file():
            prompts = read_prompts(str(form.file), name=Path(form.file).name)
        elif not (prompts := list(before)):
            raise PlaygroundError(word("race_prompts_gone", name=Path(form.file).name))
    else:
        unknown = word("unknown_prompts", name=repr(form.source))
        raise PlaygroundError(paragraph(unknown, did_you_mean(str(form.source), [ONE, PRESET, FILE])))
    prompts = prompts[: whole(form.prompts, "The number of prompts", 1, MOST_PROMPTS)]
    for number, prompt in enumerate(prompts, 1):
        refuse_long(prompt, word("race_prompt_number", number=number))
    return prompts


def refuse_file(form: PromptsForm) -> None:
    """Refuse to make a link to prompts in a file.

    Raises:
        PlaygroundError: if that is where they come from.
    """
    if form.source == FILE:
        raise PlaygroundError(word("race_no_file_in_link"))
