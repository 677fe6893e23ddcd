"""The options of the methods that are swept, each a text of one value or several."""

from __future__ import annotations

from typing import Any

import gradio as gr

from playground.decoding.method import methods
from playground.ui.page.options import declared, option_fields
from playground.ui.sweep.setup import SweepForm
from playground.ui.sweep.values import written


def option_texts(menu: gr.Dropdown, form: SweepForm) -> gr.HTML:
    """Return a text for each option of the methods that a menu has chosen, holding the values of this form."""
    options = {name: declared_as_texts(name) for name in methods()}
    return option_fields(menu, options, form.options, elem_id="sweep-values", texts=True)


def declared_as_texts(name: str) -> dict[str, Any]:
    """Return the options of sliders, with ranges and defaults as texts."""
    options, usual = declared(name), SweepForm.usual_options(name)
    for option in options["options"]:
        span = {"low": written((option["min"],)), "high": written((option["max"],))}
        option |= {"range": span, "value": usual[option["name"]]}
    return options
