"""Faults of JSON data that is not an event, each a sentence: the event, the place in it, the value and the rule."""

import json
import re
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from msgspec import ValidationError, convert
from msgspec.structs import fields

from playground.errors import did_you_mean
from playground.words import Word, commas, paragraph, word

_KINDS = {
    "int": word("fault_a_whole_number"),
    "float": word("fault_a_number"),
    "str": word("fault_a_text"),
    "bytes": word("fault_a_text"),  # in base64
    "bool": word("fault_true_or_false"),
    "array": word("fault_a_list"),
    "object": word("fault_an_object"),
    "null": "null",
}
_STEP = re.compile(r"\[(\d+|\.\.\.)\]|\.(\w+)")
Path = list[str | int]
WIDTH = 40  # characters of a value in a message


def event_fault(data: dict[str, object], kind: type, error: ValidationError | UnicodeEncodeError, where: str) -> Word:
    """Sentence on why JSON data is not an event of this kind.

    Args:
        data: which msgspec refused.
        kind: the class of the event, or of a message of the page.
        where: begins the sentence.
    """
    name_of_kind = kind.__struct_config__.tag  # pyright: ignore[reportAttributeAccessIssue]
    if isinstance(error, UnicodeEncodeError):
        half = f"{error.object[error.start]!a}"
        return word("fault_half_character", event=where, kind=name_of_kind, character=half)
    said, _, address = str(error).partition(" - at ")
    path = _path(address.strip("`") if not address.startswith("`key`") else address.rpartition("in ")[2].strip("`"))
    value = _value_at(data, path, kind)
    if address.startswith("`key`"):  # the one that does not fit
        value = _unfit_key(value, path, kind)
    name, *steps = path or [""]
    at = f", {name}" + "".join(f"[{shown(step)}]" for step in steps) if name else ""
    return word("fault_in", event=where, place=f"({name_of_kind}){at}", fault=_problem(said, value, kind, name))


def _path(text: str) -> Path:
    """$.options[...][0] as ["options", "...", 0]; a key of an object is not said."""
    return [name or (int(index) if index != "..." else index) for index, name in _STEP.findall(text)]


def _value_at(data: Any, path: Path, kind: type) -> Any:
    """Return the value at a path, filling in its unknown keys on the way: the first ones that do not fit."""
    value = data
    for depth, step in enumerate(path):
        if step == "...":
            path[depth] = step = _unfit_key(value, path[:depth], kind)
        value = value[step]
    return value


def _unfit_key(table: dict[str, object], path: Path, kind: type) -> str:
    """Find a key of the object at this path that does not fit, or whose value does not."""
    unfit = (key for key, value in table.items() if not _has_type(_around({key: value}, path), kind))
    return next(unfit, next(iter(table)))


def _around(value: Any, path: Path) -> dict[str, object]:
    """Wrap a value in an event's data that has nothing else at this path."""
    for step in reversed(path):
        value = [value] if isinstance(step, int) else {step: value}
    return value


def _has_type(data: dict[str, object], kind: type) -> bool:
    """Return whether one field's data has its type."""
    [(name, value)] = data.items()
    try:
        convert(value, _types(kind)[name])
    except (ValidationError, UnicodeEncodeError):
        return False
    return True


@cache
def _types(kind: type) -> dict[str, object]:
    return get_type_hints(kind, include_extras=True)


def _problem(said: str, value: Any, kind: type, field: str | int) -> str:
    if match := re.fullmatch(r"Object missing required field `(\w+)`", said):
        return word("fault_missing", field=match[1])
    if match := re.fullmatch(r"Object contains unknown field `(.*)`", said, re.DOTALL):
        hint = did_you_mean(match[1], [each.name for each in fields(kind)])
        return paragraph(word("fault_unknown", field=shown(match[1])), hint)
    if said.startswith("Invalid enum value"):
        return word("fault_none_of", value=shown(value), choices=commas(_choices(_types(kind)[str(field)])))
    if match := re.fullmatch(r"Expected `([a-z |]+)`(?:, got `\w+`)?", said):
        kinds = _either([_KINDS[each] for each in match[1].split(" | ")])
        return word("fault_is_not", value=shown(value), kinds=kinds)
    if match := re.fullmatch(r"Expected `(\w+)(?: \| null)?` of length (>=|<=) (\d+)", said):
        return _size_problem(match[1], len(value), match[2], match[3])
    if match := re.fullmatch(r"Expected `\w+(?: \| null)?` (>=|>|<=) (\S+)", said):
        if match[1] == "<=":
            return word("fault_above", value=shown(value), limit=match[2])
        return word("fault_below", value=shown(value), limit=match[2])
    if said.startswith(("Expected `str` matching", "Invalid base64")):
        return word("fault_not_allowed", value=shown(value))
    return said  # a rule of the event's own, in words


def _size_problem(kind: str, count: int, sign: str, limit: str) -> Word:
    """Sentence on a list, an object or a text that has too few or too many entries."""
    most = word("fault_at_least", limit=limit) if sign == ">=" else word("fault_at_most", limit=limit)
    return word("fault_long_text" if kind == "str" else "fault_list_of", count=count, most=most)


def _choices(hint: Any) -> list[str]:
    """Return the words that a type's literals allow."""
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    return [choice for part in get_args(hint) for choice in _choices(part)]


def _either(kinds: list[str]) -> str:
    *first, last = kinds
    if not first:
        return last
    if len(first) > 1:
        return word("fault_either", first=commas(first), last=last)
    return word("fault_or", first=first[0], last=last)


def shown(value: Any) -> str:
    """Show the value as it is in the file, shortened so that a message stays one sentence."""
    text = ""
    for piece in json.JSONEncoder().iterencode(value):  # no further than is shown: it may be long
        text += piece
        if len(text) > WIDTH:
            return text[: WIDTH - 3] + "..."
    return text
