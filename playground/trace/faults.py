"""What is wrong with JSON data that is no event, as a sentence.

A hostile file is refused as quickly as a sound one is read: an event is looked at for its fault at lengths before
contents. Only here is jsonschema needed: a sound trace opens without it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache, partial
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.exceptions import best_match
from jsonschema.validators import extend

from playground.errors import did_you_mean
from playground.trace.fits import fitting
from playground.trace.schema import EVENT_NAMES, trace_schema

_MAX_ERRORS = 20  # enough to choose the telling one from; a hostile file could hold millions
_KINDS = {
    "integer": "a whole number",
    "number": "a number",
    "string": "text",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


def event_fault(data: Any, where: str) -> str:
    """Why JSON data is not an event: it is no object, of no known kind, or breaks the schema.

    Returns:
        A sentence that begins with `where`.
    """
    if not isinstance(data, dict):
        return f'{where} is {_shown(data)}, not an object with an "event" name.'
    name = data.get("event")
    if name not in EVENT_NAMES:
        hint = did_you_mean(name, EVENT_NAMES) if isinstance(name, str) else ""
        return f"{where} is of the unknown kind {_shown(name)}.{hint}"
    errors = list(islice(_validator(name).iter_errors(data), _MAX_ERRORS))
    return f"{where} ({name}){_sentence(best_match(errors))}"


@cache
def _validator(name: str) -> Draft202012Validator:
    return _StrictValidator({"$ref": f"#/$defs/{name}", "$defs": trace_schema()["$defs"]})


def _within(keyword: str, limit: str, validator: Any, inner: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    """What a keyword says of the contents: nothing where there are more than `limit` allows, which is said already."""
    if not isinstance(value, list | dict) or len(value) <= schema.get(limit, len(value)):
        yield from _unfitting(keyword, validator, inner, value, schema)


def _unfitting(keyword: str, validator: Any, inner: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    """The same faults, found among the entries of a list without a close look at those that fit."""
    if keyword != "items" or not isinstance(value, list):
        yield from Draft202012Validator.VALIDATORS[keyword](validator, inner, value, schema)
        return
    fits = fitting(inner, trace_schema()["$defs"])
    for index, each in enumerate(value):
        if not fits(each):
            yield from validator.descend(each, inner, path=index)


def _any_of(validator: Any, kinds: list[Any], value: Any, schema: Any) -> Iterator[ValidationError]:
    """None of several kinds fits. Of each the first faults alone: a list may have a million, and all would be kept."""
    found: list[ValidationError] = []
    for place, kind in enumerate(kinds):
        faults = list(islice(validator.descend(value, kind, schema_path=place), _MAX_ERRORS))
        if not faults:
            return
        found += faults
    yield ValidationError("of none of the kinds allowed", context=found)


def _is_whole(_: Any, value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


# JSON Schema calls 3.0 an integer, but Python's 3.0 cannot count or index.
_StrictValidator = extend(
    Draft202012Validator,
    {
        "items": partial(_within, "items", "maxItems"),
        "additionalProperties": partial(_within, "additionalProperties", "maxProperties"),
        "anyOf": _any_of,
        "propertyNames": partial(_within, "propertyNames", "maxProperties"),
    },
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_whole),
)


def _sentence(error: ValidationError) -> str:
    """The rest of a sentence after 'event 3 (scored)': the place in the event, and what is wrong there."""
    name, *steps = error.absolute_path or [""]
    place = f", {name}" + "".join(f"[{_shown(step)}]" for step in steps) if name else ""
    return f"{place}: {_problem(error)}"


def _problem(error: ValidationError) -> str:
    instance: Any = error.instance
    schema: Any = error.schema  # Any: which keyword failed says what these are
    limit: Any = error.validator_value
    match error.validator:
        case "type":
            kinds = [limit] if isinstance(limit, str) else limit
            return f"{_shown(instance)} is not {_either([_KINDS[kind] for kind in kinds])}."
        case "required":
            missing = next(name for name in limit if name not in instance)
            return f"the field '{missing}' is missing."
        case "additionalProperties":
            known = schema["properties"]
            extra = next(name for name in instance if name not in known)
            return f"the field {_shown(extra)} is unknown.{did_you_mean(extra, known)}"
        case "enum":
            return f"{_shown(instance)} is none of {', '.join(limit)}."
        case "minimum":
            return f"{_shown(instance)} is below the smallest value allowed, {limit}."
        case "maximum":
            return f"{_shown(instance)} is above the largest value allowed, {limit}."
        case "minItems" | "maxItems":
            return f"a list of {len(instance)} does not fit; allowed: {_at(str(error.validator))} {limit}."
        case "maxProperties":
            return f"an object of {len(instance)} entries does not fit; allowed: at most {limit}."
        case "maxLength":
            return f"a text of {len(instance)} characters is too long; allowed: at most {limit}."
        case _:
            return f"{_shown(instance)} is not allowed here ({error.validator}: {_shown(limit)})."


def _either(words: list[str]) -> str:
    *first, last = words
    return f"{', '.join(first)}{',' if len(first) > 1 else ''} or {last}" if first else last


def _at(keyword: str) -> str:
    return "at least" if keyword == "minItems" else "at most"


def _shown(value: Any, width: int = 40) -> str:
    """The value as it stands in the file, shortened so that a message stays a sentence."""
    text = ""
    for piece in json.JSONEncoder().iterencode(value):  # no further than is shown: it may be long
        text += piece
        if len(text) > width:
            return text[: width - 3] + "..."
    return text
