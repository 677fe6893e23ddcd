"""Widgets made from declarations: a method's `Options` become its controls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import gradio as gr

from playground.decoding.method import DecodingMethod, methods
from playground.exactness.badges import badge

if TYPE_CHECKING:
    from playground.models.loading import LoadedPair

OTHER = "other"  # the choice of a pair that opens two fields for any models


def option_controls(method: type[DecodingMethod]) -> dict[str, gr.Slider]:
    """A slider per option, by name, with its range, unit and help."""
    controls = {}
    for item in fields(method.Options):
        about = item.metadata
        unit = f" ({about['unit']})" if about["unit"] else ""
        controls[item.name] = gr.Slider(
            minimum=about["min"],
            maximum=about["max"],
            step=about["step"],
            value=item.default,
            label=about["label"] + unit,
            info=about["help"],
        )
    return controls


def options_of_all(shown: str) -> tuple[dict[tuple[str, str], gr.Slider], list[gr.Row]]:
    """The option controls of every method, by (method, option), a row each; only the row of the one shown is seen."""
    controls, rows = {}, []
    for name, method in methods().items():
        with gr.Row(visible=name == shown) as row:
            controls |= {(name, option): control for option, control in option_controls(method).items()}
        rows.append(row)
    return controls, rows


def choose_method(method: str) -> list[Any]:
    """The menu and the rows of `options_of_all` once this method is chosen."""
    return [gr.Dropdown(info=method_note(method)), *(gr.Row(visible=name == method) for name in methods())]


def sampling_controls(temperature_id: str | None = None) -> tuple[gr.Slider, gr.Slider, gr.Slider]:
    """(temperature, top-k, top-p), in a row."""
    with gr.Row():
        return (
            gr.Slider(
                0,
                2,
                1,
                step=0.05,
                label="Temperature",
                info="0 always takes the likeliest token.",
                elem_id=temperature_id,
            ),
            gr.Slider(0, 200, 0, step=1, label="Top-k", info="Only the k likeliest tokens. 0 is off."),
            gr.Slider(0.05, 1, 1, step=0.05, label="Top-p", info="The likeliest tokens up to this mass. 1 is off."),
        )


def method_choices() -> list[tuple[str, str]]:
    """(title, id) of every method: the baseline, then the lossless ones, then the lossy ones, which say so."""
    ordered = sorted(
        methods().items(), key=lambda each: (each[0] != "autoregressive", not each[1].lossless, each[1].title)
    )
    return [(marked(method.title, name), name) for name, method in ordered]


def marked(title: str, method_id: str, options: Mapping[str, Any] | None = None) -> str:
    """The title as a menu shows it: a lossy method's with its mark."""
    found = badge(method_id, options)
    return title if found.lossless else f"{title} · {found.mark}"


def method_note(method_id: str) -> str:
    """What a method does, what it reproduces and where it comes from, in a few sentences."""
    method = methods()[method_id]
    paper = "" if method.paper.startswith("Definition") else f" {method.paper}."
    return f"{method.summary} {badge(method_id).claim}{paper}"


def values_by_option(method_id: str, names: list[tuple[str, str]], values: tuple[Any, ...]) -> dict[str, Any]:
    """The values of one method's options, out of the values of all controls."""
    pairs = zip(names, values, strict=True)
    return {option: value for (owner, option), value in pairs if owner == method_id}


def chosen_models(pair: str, target: str, draft: str) -> LoadedPair:
    """The models that the controls name, read in when they are not yet.

    Raises:
        PlaygroundError: if they cannot be.
    """
    from playground.models.loading import load_models, load_pair  # brings transformers, which takes seconds

    return load_models(target.strip(), draft.strip() or None) if pair == OTHER else load_pair(pair)
