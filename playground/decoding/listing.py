"""The methods as data, for the command line and for programs that call the page."""

from dataclasses import fields
from typing import Any

from playground.decoding.method import find_method, is_whole, methods, option_key


def method_list() -> list[dict[str, Any]]:
    """Every method: id, title, claimed distribution, paper, and options with their ranges."""
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
        "type": "int" if is_whole(item) else "float",
        "default": item.default,
        "min": about["min"],
        "max": about["max"],
        "help": about["help"],
    }


def option_facts(method_id: str) -> list[dict[str, Any]]:
    """Every option of a method as a control shows it: name, key, label, unit, help, range and default."""
    facts = ("label", "unit", "help", "min", "max", "step")
    return [
        {"name": item.name, "key": option_key(method_id, item), "value": item.default}
        | {fact: item.metadata[fact] for fact in facts}
        for item in fields(find_method(method_id).Options)
    ]
