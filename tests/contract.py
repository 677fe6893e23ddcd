"""The files that are made from the contract of a trace: `python -m tests.contract` writes them.
With --rewrite it also writes the recorded runs in the present version; nothing is measured anew.

assets/trace.schema.json is for other programs, assets/player/trace/contract.js for the page. Both come from the types
of playground/trace/events.py and playground/decoding/workings/records.py; a test holds them equal. Beside it stands
option_labels.js, from the options of the methods: a trace has only their names in code.
"""

from __future__ import annotations

import gzip
import json
import sys
from dataclasses import fields
from pathlib import Path
from textwrap import fill
from typing import Any, get_args

from msgspec.json import schema_components

from playground.decoding.method import methods, option_key
from playground.decoding.workings.records import kinds
from playground.files import read_json
from playground.paths import ASSETS
from playground.trace import storage, version_2
from playground.trace.events import Event

SCHEMA = ASSETS / "trace.schema.json"
SCRIPT = ASSETS / "player" / "trace" / "contract.js"
LABELS = ASSETS / "player" / "trace" / "option_labels.js"
EVENTS: dict[str, type] = {kind.__struct_config__.tag: kind for kind in get_args(Event)}
ABOUT = """What happened in one run, in the order it happened: run_started, then rounds of drafted* scored verified \
committed, then run_finished (missing when the run was interrupted). Events are columns: entry i of every list in an \
event speaks of the same draw. Node ids are those of the token tree: the prompt is nodes 0 .. T-1, and every later \
node has a larger id than its parent. p is always the target, q the draft. What the events add up to is in \
playground/trace/invariants.py."""
HEAD = """/**
 * The contract of a trace, made by `python -m tests.contract` from playground/trace/events.py and
 * playground/decoding/workings/records.py: do not edit. checks.js holds events against it.
 */

"""
HEAD_OF_LABELS = """/**
 * Labels of the methods' options in English, made by `python -m tests.contract` from playground/decoding/methods: do
 * not edit. @type {Record<string, string>}
 */
"""


def schema() -> dict[str, Any]:
    """The JSON Schema of a trace file."""
    refs, definitions = schema_components([*EVENTS.values(), *kinds().values()], ref_template="#/$defs/{name}")
    working = definitions["Verified"]["properties"]["workings"]["items"]
    working["x-kinds"] = dict(zip(kinds(), refs[len(EVENTS) :], strict=True))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:{storage.FORMAT}:{storage.VERSION}",
        "title": f"Trace of a speculative decoding run, version {storage.VERSION}",
        "description": ABOUT,
        "type": "object",
        "additionalProperties": False,
        "required": ["format", "version", "events"],
        "properties": {
            "format": {"const": storage.FORMAT, "description": "Tells this file from any other JSON."},
            "version": {
                "const": storage.VERSION,
                "description": "Grows when a reader of the older form could misread the newer one.",
            },
            "events": {
                "type": "array",
                "maxItems": storage.MAX_EVENTS,
                "items": {"anyOf": list(refs[: len(EVENTS)])},
                "description": "In the order they happened.",
            },
        },
        "$defs": definitions,
    }


def script() -> str:
    """The page's contract: its types, and what checks.js reads."""
    definitions = schema()["$defs"]
    types = [_typedef(name, definitions[name]) for name in ("Branch", *(kind.__name__ for kind in EVENTS.values()))]
    union = " | ".join(kind.__name__ for kind in EVENTS.values())
    bare = {name: _bare(definition) for name, definition in definitions.items()}
    columns = {
        tag: [list(group) for group in kind.COLUMNS]
        for tag, kind in {**EVENTS, **kinds()}.items()
        if kind.COLUMNS  # pyright: ignore[reportAttributeAccessIssue]
    }
    constants = {
        "FORMAT": storage.FORMAT,
        "VERSION": storage.VERSION,
        "EVENTS": {tag: bare[kind.__name__] for tag, kind in EVENTS.items()},
        "WORKINGS": {tag: bare[kind.__name__] for tag, kind in kinds().items()},
        "COLUMNS": columns,
        "VERSION_2": {
            "events": version_2.EVENTS,
            "fields": version_2.FIELDS,
            "outcomes": version_2.OUTCOMES,
            "workings": version_2.WORKINGS,
        },
    }
    typed = {"EVENTS", "WORKINGS", "COLUMNS", "VERSION_2"}
    lines = [
        ("/** @type {Record<string, any>} */\n" if name in typed else "")
        + f"export const {name} = {_literal(value, len(f'export const {name} = ;'))};\n"
        for name, value in constants.items()
    ]
    return (
        f"{HEAD}/**\n" + "\n *\n".join(types) + f"\n *\n * @typedef {{{union}}} TraceEvent\n */\n\n" + "\n".join(lines)
    )


def _typedef(name: str, definition: dict[str, Any]) -> str:
    lines = [f" * @typedef {{object}} {name} {definition['description'].partition('. ')[0].rstrip('.')}"]
    for field, each in definition["properties"].items():
        shown = field if field in definition["required"] else f"[{field}]"
        about = each.get("description", "").partition(". ")[0].partition("; ")[0].rstrip(".").replace("*", "")
        lines.append(f" * @property {{{_type(each)}}} {shown} {about}".rstrip())
    return "\n".join(fill(line, 120, subsequent_indent=" *   ", break_on_hyphens=False) for line in lines)


def _type(schema: dict[str, Any]) -> str:
    """A type of JSDoc for a schema."""
    if "$ref" in schema:
        return schema["$ref"].rpartition("/")[2]
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(_type(each) for each in schema["anyOf"]))
    if "enum" in schema:
        return " | ".join(json.dumps(each) for each in schema["enum"])
    if schema["type"] == "array":
        inner = _type(schema["items"])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if schema["type"] == "object":
        inside = schema.get("additionalProperties")
        return (
            f"Record<string, {inside['type']}>"
            if isinstance(inside, dict) and "type" in inside
            else "Record<string, any>"
        )
    return {"integer": "number"}.get(schema["type"], schema["type"])


def _bare(value: Any) -> Any:
    """A schema without what is only for people, `maybe` where it may be null."""
    if isinstance(value, list):
        return [_bare(each) for each in value]
    if not isinstance(value, dict):
        return value
    kinds_of = value.get("anyOf", ())
    if len(kinds_of) == 2 and kinds_of[1] == {"type": "null"}:
        return _bare(kinds_of[0]) | {"maybe": True}
    if "anyOf" in (value.get("additionalProperties") or ()):  # facts, which the page shows as they are
        return {"type": "object"}
    said = {"title", "description", "default", "x-kinds"}
    return {
        key: {name: _bare(each) for name, each in inner.items()} if key == "properties" else _bare(inner)
        for key, inner in _inlined(value).items()
        if key not in said and not (key == "maximum" and inner > 2**53)  # no number of JavaScript
    }


def _inlined(value: dict[str, Any]) -> dict[str, Any]:
    """A schema without a reference; of an object what may be left out, which is less than what may not."""
    if "$ref" in value:
        return _inlined(schema()["$defs"][value["$ref"].rpartition("/")[2]])
    if "properties" not in value or value.get("additionalProperties", True):
        return value
    optional = [name for name in value["properties"] if name not in value.get("required", ())]
    rest = {key: each for key, each in value.items() if key not in ("required", "additionalProperties")}
    return rest | ({"optional": optional} if optional else {})


def _literal(value: Any, taken: int, depth: int = 0, *, json_keys: bool = False) -> str:
    """A JavaScript or JSON literal, broken as Prettier breaks it."""
    if isinstance(value, dict):
        parts = [f'"{key}": ' if json_keys else f"{key}: " for key in value]
        inside, ends = list(value.values()), "{}"
    elif isinstance(value, list):
        parts, inside, ends = [""] * len(value), value, "[]"
    else:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        return json.dumps(value).replace("e-0", "e-")
    space = " " if ends == "{}" and parts else ""
    words = [part + _literal(each, -10_000, json_keys=json_keys) for part, each in zip(parts, inside, strict=True)]
    flat = ends[0] + space + ", ".join(words) + space + ends[1]
    is_matrix = (
        ends == "[]" and len(value) > 1 and all(isinstance(each, list | dict) and len(each) > 1 for each in value)
    )
    if taken + len(flat) <= 120 and not (is_matrix and taken >= 0):
        return flat
    pad = "  " * (depth + 1)
    lines = [
        pad + part + _literal(each, len(pad) + len(part) + 1, depth + 1, json_keys=json_keys) + ","
        for part, each in zip(parts, inside, strict=True)
    ]
    if json_keys:
        lines[-1] = lines[-1].removesuffix(",")
    return "\n".join([ends[0], *lines, pad[2:] + ends[1]])


def labels() -> str:
    """The script with the English label of every option, by the key that the languages have it under."""
    label_of = {
        option_key(method_id, item): item.metadata["label"]
        for method_id, method in methods().items()
        for item in fields(method.Options)
    }
    keys = {key: f'"{key}"' if "." in key else key for key in sorted(label_of)}
    lines = [f"  {keys[key]}: {json.dumps(label_of[key], ensure_ascii=False)}," for key in keys]
    return "\n".join([f"{HEAD_OF_LABELS}export const LABELS = {{", *lines, "};\n"])


def files() -> dict[Path, str]:
    """The files and what stands in them."""
    return {SCHEMA: _literal(schema(), 0, json_keys=True) + "\n", SCRIPT: script(), LABELS: labels()}


def rewrite(assets: Path = ASSETS) -> None:
    """Recorded runs of an older version in the present one: the same tokens, times and days."""
    for path in sorted((assets / "traces").glob("*.json.gz")):
        storage.save(storage.load(path), path)
    for path in sorted((assets / "recorded").glob("*.json.gz")):
        text = json.dumps(_rewritten(read_json(path)), separators=(",", ":"), allow_nan=False)
        path.write_bytes(gzip.compress(text.encode(), mtime=0))


def _rewritten(value: Any) -> Any:
    """JSON data with every trace in it, and every list of events that goes to the player, in the present version."""
    if isinstance(value, dict):
        return {key: _rewritten(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_rewritten(each) for each in value]
    if isinstance(value, str) and value.startswith(f'{{"format":"{storage.FORMAT}"'):
        return storage.to_json(storage.from_json(value))
    if isinstance(value, str) and value.startswith('[{"event":"run_started"'):
        events = [storage.event_from_dict(version_2.updated(each)) for each in json.loads(value)]
        return json.dumps([storage.event_to_dict(each) for each in events], separators=(",", ":"))
    return value


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
    if sys.argv[1:] == ["--rewrite"]:
        rewrite()
