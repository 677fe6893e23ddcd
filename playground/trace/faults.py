"""Faults of JSON data that is not an event, each a sentence: the event, the place in it, the value and the rule."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from msgspec import ValidationError, convert
from msgspec.structs import fields

from playground.errors import did_you_mean

_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_STEP = re.compile(r"\[(\d+|\.\.\.)\]|\.(\w+)")
Path = list[str | int]


def event_fault(data: dict[str, Any], kind: type, error: ValidationError | UnicodeEncodeError, where: str) -> str:
    """Sentence on why JSON data is not an event of this kind.

    Args:
        data: which msgspec refused.
        kind: the event's class.
        error: what msgspec says.
        where: begins the sentence.
    """
    if isinstance(error, UnicodeEncodeError):
        return f"{where} ({data['event']}) holds half a character ({error.object[error.start]!a}) where none can be."
    said, _, address = str(error).partition(" - at ")
    path = _path(address.strip("`") if not address.startswith("`key`") else address.rpartition("in ")[2].strip("`"))
    value = _value_at(data, path, kind)
    if address.startswith("`key`"):  # the one that does not fit
        value = _unfit_key(value, path, kind)
    name, *steps = path or [""]
    at = f", {name}" + "".join(f"[{shown(step)}]" for step in steps) if name else ""
    return f"{where} ({data['event']}){at}: {_problem(said, value, kind, name)}"


def _path(text: str) -> Path:
    """$.options[...][0] as ["options", "...", 0]; a key of an object is not said."""
    return [name or (int(index) if index != "..." else index) for index, name in _STEP.findall(text)]


def _value_at(data: Any, path: Path, kind: type) -> Any:
    """The value at a path, whose unknown keys are filled in on the way: the first ones that do not fit."""
    value = data
    for depth, step in enumerate(path):
        if step == "...":
            path[depth] = step = _unfit_key(value, path[:depth], kind)
        value = value[step]
    return value


def _unfit_key(table: dict[str, Any], path: Path, kind: type) -> str:
    """A key of the object at this path that does not fit, or whose value does not, found by halves."""
    keys = list(table)
    while len(keys) > 1:
        half = keys[: len(keys) // 2]
        is_here = not _has_type(_around({key: table[key] for key in half}, path), kind)
        keys = half if is_here else keys[len(half) :]
    return keys[0]


def _around(value: Any, path: Path) -> dict[str, Any]:
    """An event's data with nothing but this value, at this path."""
    for step in reversed(path):
        value = [value] if isinstance(step, int) else {step: value}
    return value


def _has_type(data: dict[str, Any], kind: type) -> bool:
    """True if one field's data has its type."""
    [(name, value)] = data.items()
    try:
        convert(value, _types(kind)[name])
    except (ValidationError, UnicodeEncodeError):
        return False
    return True


@cache
def _types(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


def _problem(said: str, value: Any, kind: type, field: str | int) -> str:
    if match := re.fullmatch(r"Object missing required field `(\w+)`", said):
        return f"the field '{match[1]}' is missing."
    if match := re.fullmatch(r"Object contains unknown field `(.*)`", said, re.DOTALL):
        hint = did_you_mean(match[1], [each.name for each in fields(kind)])
        return f"the field {shown(match[1])} is unknown.{hint}"
    if said.startswith("Invalid enum value"):
        return f"{shown(value)} is none of {', '.join(_choices(_types(kind)[str(field)]))}."
    if match := re.fullmatch(r"Expected `([a-z |]+)`(?:, got `\w+`)?", said):
        return f"{shown(value)} is not {_either([_KINDS[each] for each in match[1].split(' | ')])}."
    if match := re.fullmatch(r"Expected `(\w+)(?: \| null)?` of length (>=|<=) (\d+)", said):
        what = {"array": f"a list of {len(value)}", "object": f"an object of {len(value)} entries"}.get(match[1])
        most = "at least" if match[2] == ">=" else "at most"
        if what is None:
            return f"a text of {len(value)} characters is too long; allowed: {most} {match[3]}."
        return f"{what} does not fit; allowed: {most} {match[3]}."
    if match := re.fullmatch(r"Expected `\w+(?: \| null)?` (>=|>|<=) (\S+)", said):
        side = "above the largest" if match[1] == "<=" else "below the smallest"
        return f"{shown(value)} is {side} value allowed, {match[2]}."
    if said.startswith("Expected `str` matching"):
        return f"{shown(value)} is not allowed here."
    return said  # a rule of the event's own, in words


def _choices(hint: Any) -> list[str]:
    """The words that a type's literals allow."""
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    return [word for part in get_args(hint) for word in _choices(part)]


def _either(words: list[str]) -> str:
    *first, last = words
    return f"{', '.join(first)}{',' if len(first) > 1 else ''} or {last}" if first else last


def shown(value: Any, width: int = 40) -> str:
    """The value as it stands in the file, shortened so that a message stays a sentence."""
    text = ""
    for piece in json.JSONEncoder().iterencode(value):  # no further than is shown: it may be long
        text += piece
        if len(text) > width:
            return text[: width - 3] + "..."
    return text
