"""The methods as data, for whoever chooses one from outside: the command line, and programs that ask the page."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from playground.decoding.method import methods


def method_list() -> list[dict[str, Any]]:
    """Every method: id, title, what it claims to reproduce, its paper, and its options with their ranges."""
    return [
        {
            "id": method_id,
            "title": method.title,
            "lossless": method.lossless,
            "reproduces": method.reproduces,
            "paper": method.paper,
            "options": [_option(item) for item in fields(method.Options)],
        }
        for method_id, method in methods().items()
    ]


def _option(item: Any) -> dict[str, Any]:
    about = item.metadata
    return {
        "name": item.name,
        "type": item.type,
        "default": item.default,
        "min": about["min"],
        "max": about["max"],
        "help": about["help"],
    }
