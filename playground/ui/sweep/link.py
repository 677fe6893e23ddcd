"""A sweep's grid as a link, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from playground.decoding.method import find_method
from playground.errors import PlaygroundError
from playground.ui.page.links import TAB, is_for, make_query, read_query
from playground.ui.race.setup import FILE
from playground.ui.sweep.ready import DEFAULTS
from playground.ui.sweep.setup import NAMES, option_names, sweep_setup
from playground.ui.sweep.values import written


def defaults() -> dict[str, Any]:
    """What a link need not say: the controls' first values, and every option at its default."""
    options = {
        f"{name}.{option}": written((find_method(name).Options.__dataclass_fields__[option].default,))
        for name, option in option_names()
    }
    return {"methods": ""} | DEFAULTS | options


def make_link(values: Sequence[Any]) -> str:
    """The query string for these controls; those of methods that are not chosen are left out.

    Args:
        values: of the controls, in the order of `sweep_setup`.

    Raises:
        PlaygroundError: if they cannot be swept, or not be in a link.
    """
    sweep_setup(*values)
    named = dict(zip([*NAMES, "file", *(f"{name}.{option}" for name, option in option_names())], values, strict=True))
    del named["file"]
    if named["source"] == FILE:
        raise PlaygroundError("A file cannot be in a link. Choose a set of prompts, or write one prompt.")
    chosen = named["methods"]
    said = {name: value for name, value in named.items() if name in NAMES or name.split(".")[0] in chosen}
    return make_query({TAB: "sweep"} | said | {"methods": ",".join(chosen)}, defaults())


def read_link(query: Mapping[str, str]) -> dict[str, Any] | None:
    """The controls' values that a link asks for, all of them; None if it is for another tab.

    Raises:
        PlaygroundError: if it asks for what does not exist or cannot be swept.
    """
    if not is_for("sweep", query):
        return None
    found = defaults() | read_query(query, defaults())
    found["methods"] = [each for each in found["methods"].split(",") if each.strip()]
    for name in found["methods"]:
        find_method(name)
    sweep_setup(*(found[name] for name in NAMES), None, *(found[f"{name}.{option}"] for name, option in option_names()))
    return found
