"""Does a value have the shape that a JSON Schema asks for? The answer alone, quickly; which words to refuse it with,
schema.py finds out afterwards.

A schema becomes one function, made once. It looks at lengths before contents, so a list that is too long costs nothing.
It knows the keywords that our schema uses and refuses to be made of any other.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

Check = Callable[[Any], bool]

_ABOUT = frozenset(("$schema", "$id", "$comment", "title", "description", "x-kinds"))  # say nothing of a value
_LENGTHS = ("type", "const", "enum", "maxLength", "minItems", "maxItems", "maxProperties", "required")
_CONTENTS = (
    *("minimum", "maximum", "exclusiveMinimum", "pattern", "propertyNames", "properties", "additionalProperties"),
    *("items", "prefixItems", "anyOf", "$ref"),
)
_TYPES: dict[str, Check] = {
    "integer": lambda value: type(value) is int,  # JSON Schema takes 3.0 for one, but it cannot count or index
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "null": lambda value: value is None,
}


def fitting(schema: dict[str, Any], definitions: dict[str, Any]) -> Check:
    """The function that says whether a value fits.

    Args:
        schema: of the value.
        definitions: what its references name, which may not name each other in a circle.
    """
    unknown = schema.keys() - _ABOUT - {*_LENGTHS, *_CONTENTS}
    assert not unknown, f"no check for {unknown}"
    checks = [_check(keyword, schema, definitions) for keyword in (*_LENGTHS, *_CONTENTS) if keyword in schema]
    if len(checks) == 1:
        return checks[0]
    return lambda value: all(check(value) for check in checks)


def _check(keyword: str, schema: dict[str, Any], definitions: dict[str, Any]) -> Check:
    made, limit = partial(fitting, definitions=definitions), schema[keyword]
    match keyword:
        case "type":
            kinds = [_TYPES[kind] for kind in ([limit] if isinstance(limit, str) else limit)]
            return kinds[0] if len(kinds) == 1 else lambda value: any(kind(value) for kind in kinds)
        case "const" | "enum":
            known = [limit] if keyword == "const" else limit
            return lambda value: any(type(value) is type(each) and value == each for each in known)
        case "minimum":
            return lambda value: not _TYPES["number"](value) or not value < limit
        case "exclusiveMinimum":
            return lambda value: not _TYPES["number"](value) or not value <= limit
        case "maximum":
            return lambda value: not _TYPES["number"](value) or not value > limit
        case "maxLength":
            return lambda value: not isinstance(value, str) or len(value) <= limit
        case "pattern":
            found = re.compile(limit).search
            return lambda value: not isinstance(value, str) or found(value) is not None
        case "minItems":
            return lambda value: not isinstance(value, list) or len(value) >= limit
        case "maxItems":
            return lambda value: not isinstance(value, list) or len(value) <= limit
        case "maxProperties":
            return lambda value: not isinstance(value, dict) or len(value) <= limit
        case "required":
            return lambda value: not isinstance(value, dict) or all(name in value for name in limit)
        case "propertyNames":
            named = made(limit)
            return lambda value: not isinstance(value, dict) or all(named(name) for name in value)
        case "properties":
            of = {name: made(each) for name, each in limit.items()}
            return lambda value: (
                not isinstance(value, dict) or all(of[name](each) for name, each in value.items() if name in of)
            )
        case "additionalProperties":
            known, rest = schema.get("properties", {}), made(limit) if limit else lambda _: False
            return lambda value: (
                not isinstance(value, dict) or all(rest(each) for name, each in value.items() if name not in known)
            )
        case "items":
            first, each_fits = len(schema.get("prefixItems", ())), made(limit)
            return lambda value: not isinstance(value, list) or all(each_fits(each) for each in value[first:])
        case "prefixItems":
            places = [made(each) for each in limit]
            return lambda value: (
                not isinstance(value, list) or all(place(each) for place, each in zip(places, value, strict=False))
            )
        case "anyOf":
            ways = [made(each) for each in limit]
            return lambda value: any(way(value) for way in ways)
        case _:
            return made(definitions[limit.rpartition("/")[2]])
