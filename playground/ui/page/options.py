"""The options of methods as controls, drawn in the browser: sliders, or texts for several values, and all one value.

The value is {method: {option: value}} of all methods; what is at its default is left out.
"""

from typing import Any

import gradio as gr

from playground.decoding.method import find_method, methods, option_facts
from playground.ui.page.drawn_panel import drawn_panel, on_page

HIDDEN: Any = {"show_progress": "hidden", "api_visibility": "private"}  # of an event: what it does is seen elsewhere


def option_sliders(menu: gr.Dropdown | gr.HTML, *, elem_id: str) -> gr.HTML:
    """Return a slider for each option of the method that a menu has chosen."""
    return option_fields(menu, {name: declared(name) for name in methods()}, {}, elem_id=elem_id)


def option_fields(
    menu: gr.Dropdown | gr.HTML,
    of_methods: dict[str, dict[str, Any]],
    values: dict[str, dict[str, Any]],
    *,
    elem_id: str,
    texts: bool = False,
) -> gr.HTML:
    """Return a control for each option of what a menu has chosen.

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
