"""The menus of methods with their options, and the fields that several tabs have."""

from collections.abc import Mapping
from dataclasses import Field, fields
from typing import Any

import gradio as gr
from gradio.components import Component

from playground.decoding.method import find_method, make_method, methods, option_facts, option_key
from playground.exactness.badges import badge
from playground.models.sampling import Sampling
from playground.ui.page.drawn_panel import drawn_panel, on_page
from playground.ui.page.messages import notice, say
from playground.words import Word, in_sentence, named, paragraph, word

FIRST_METHOD = "speculative_sampling"
HIDDEN: Any = {"show_progress": "hidden", "api_visibility": "private"}  # Such an event's effect is seen elsewhere.
# An event of a whole form, which checks what is posted in words of its own.
POSTED: Any = HIDDEN | {"preprocess": False}

IN_SENTENCE = {  # Within a sentence a run's sampling is called so.
    "temperature": word("sweep_temperature"),
    "top_k": word("sweep_top_k"),
    "top_p": word("sweep_top_p"),
    "min_p": word("min_p"),
    **{f"{name}_penalty": word(f"{name}_penalty") for name in ("repetition", "presence", "frequency")},
    "logit_bias": word("logit_bias"),
}


def method_menu(choices: list[tuple[str, str]], first: str, *, elem_id: str) -> gr.Dropdown:
    """Return the choice of a method, and what it does below it."""
    menu = gr.Dropdown(choices, value=first, label=word("method"), elem_id=elem_id)
    about = notice(method_note(first), elem_id=f"{elem_id}-about")
    menu.change(lambda method: say(method_note(method)), menu, about, **HIDDEN)
    return menu


def sampling_controls(temperature: float) -> dict[str, Component]:
    """temperature, top_k and top_p, in a row."""
    with gr.Row():
        return {"temperature": temperature_slider(temperature)} | truncation_sliders()


def temperature_slider(first: float = 1, elem_id: str | None = None) -> gr.Slider:
    """Return the temperature."""
    return _sampling_slider("temperature", first, elem_id=elem_id)


def truncation_sliders() -> dict[str, Component]:
    """top_k and top_p."""
    return {name: _sampling_slider(name) for name in ("top_k", "top_p")}


def penalty_controls() -> dict[str, Component]:
    """Return min_p, the penalties and the logit bias."""
    sliders: dict[str, Component] = {}
    notice(word("penalties_info"), elem_id="penalties-about")
    for row in (("min_p", "repetition_penalty"), ("presence_penalty", "frequency_penalty")):
        with gr.Row():
            sliders |= {name: _sampling_slider(name) for name in row}
    bias = gr.Textbox("", label=word("logit_bias"), info=word("logit_bias_info"), max_length=5000)
    return sliders | {"logit_bias": bias}


def _sampling_slider(name: str, first: float | None = None, *, elem_id: str | None = None) -> gr.Slider:
    item = Sampling.__dataclass_fields__[name]
    low, high = item.metadata["slider"]
    return gr.Slider(
        low,
        high,
        item.default if first is None else first,
        step=item.metadata["step"],
        label=Sampling.label(item),
        info=word(f"{name}_info"),
        elem_id=elem_id,
    )


def sampling_in_words(sampling: Mapping[str, Any]) -> list[str]:
    """Name the settings that are there with their values; top-k and top-p where they leave tokens out."""
    off = {"top_k": 0, "top_p": 1}
    said = {name: sampling[name] for name in IN_SENTENCE if name in sampling and sampling[name] != off.get(name)}
    return [word("race_option", option=IN_SENTENCE[name], value=_short(value)) for name, value in said.items()]


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def tokens_slider(most: int, first: int) -> gr.Slider:
    """Return the number of new tokens."""
    return gr.Slider(1, most, first, step=1, label=word("new_tokens"), info=word("new_tokens_info"))


def method_choices() -> list[tuple[str, str]]:
    """(title, id) of every method: the baseline, then the lossless ones, then the lossy ones, which say so."""
    ordered = sorted(
        methods().items(), key=lambda each: (each[0] != "autoregressive", not each[1].lossless, each[1].title)
    )
    return [(marked(method.title, name), name) for name, method in ordered]


def marked(title: str, method_id: str, options: Mapping[str, Any] | None = None) -> str:
    """Return the title as a menu shows it: a lossy method's with its mark."""
    mark = badge(method_id, options)
    return title if mark["lossless"] else f"{title} · {mark['mark']}"


def method_note(method_id: str) -> Word:
    """Return a method's summary, its claim and its paper, in a few sentences."""
    method = methods()[method_id]
    paper = "" if method.paper.startswith("Definition") else f"{method.paper}."
    return paragraph(named(f"method.{method_id}", method.summary), badge(method_id)["claim"], paper)


def titled(method_id: str, note: str, options: Mapping[str, Any] | None = None) -> str:
    """Return a method with these options and what is special about it: "RSD-S (beam width 2)"."""
    title = make_method(method_id, dict(options or {})).title
    return word("race_entry", method=title, note=note) if note else title


def options_in_words(method_id: str, values: Mapping[str, Any], *, also: Mapping[str, Any] | None = None) -> list[str]:
    """Return the options that are not at their defaults: "draft length 8", "width 2".

    Args:
        method_id: the method.
        values: of its options.
        also: those that are named even at their defaults.
    """
    options = make_method(method_id, dict(values)).options
    return [
        word("race_option", option=option_in_sentence(method_id, item), value=f"{getattr(options, item.name):g}")
        for item in fields(options)
        if item.name in (also or {}) or getattr(options, item.name) != item.default
    ]


def option_in_sentence(method_id: str, item: Field[Any]) -> Word:
    """Return the name of a method's option within a sentence."""
    return in_sentence(named(f"option.{option_key(method_id, item)}", item.metadata["label"]))


def option_sliders(menu: gr.Dropdown | gr.HTML, *, elem_id: str) -> gr.HTML:
    """Return a slider for each option of the method that a menu has chosen."""
    return option_fields(menu, {name: declared(name) for name in methods()}, {}, elem_id=elem_id)


def option_fields(
    menu: gr.Dropdown | gr.HTML,
    of_methods: Mapping[str, Mapping[str, object]],
    values: Mapping[str, Mapping[str, object]],
    *,
    elem_id: str,
    texts: bool = False,
) -> gr.HTML:
    """Return a control for each option of what a menu has chosen, sliders or texts, drawn in the browser as one panel.

    Its value is {method: {option: value}} of all methods; what is at its default is left out.

    Args:
        menu: of methods.
        of_methods: what is declared of each.
        values: at first, in place of defaults.
        elem_id: of the panel.
        texts: not sliders.
    """
    first: Any = menu.value  # one method, or several
    settings = {"id": elem_id, "methods": of_methods, "first": [first] if isinstance(first, str) else first}
    panel = drawn_panel("options", settings=settings | {"texts": texts}, value=values, elem_id=elem_id)
    menu.change(None, menu, None, js=on_page("showOptions", elem_id), **HIDDEN)
    return panel


def declared(name: str) -> dict[str, Any]:
    """Return a method's title, and each of its options with its key, range, unit, help and default."""
    return {"title": find_method(name).title, "options": option_facts(name)}
