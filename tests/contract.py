"""The files that are made from the contract of a trace: `python -m tests.contract` writes them.
With --rewrite it also writes the recorded runs in the present version; nothing is measured anew.

assets/trace.schema.json is for other programs, assets/player/trace/contract.json for the page, with the types of events
and workings in contract.d.ts. All come from the types of playground/trace/events.py and
playground/decoding/workings/records.py; a test holds them equal. option_labels.json comes from the options of the
methods: a trace has only their names in code.
"""

import gzip
import json
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

from msgspec.json import schema_components

from playground.decoding.method import methods, option_key
from playground.decoding.workings.records import kinds
from playground.files import read_json
from playground.paths import ASSETS
from playground.trace import storage, version_2
from playground.trace.events import Event
from playground.ui.contract import from_page, to_page
from playground.ui.contract.from_page import FromPage
from playground.ui.contract.questions import Question
from playground.ui.contract.reading import tag_of
from playground.ui.lab import tab as tab  # its sections make their questions

SCHEMA = ASSETS / "trace.schema.json"
CONTRACT = ASSETS / "player" / "trace" / "contract.json"
TYPES = CONTRACT.with_suffix(".d.ts")
LABELS = CONTRACT.with_name("option_labels.json")
EVENTS: dict[str, type] = {kind.__struct_config__.tag: kind for kind in get_args(Event)}
ABOUT = """What happened in one run, in the order it happened: run_started, then rounds of drafted* scored verified \
committed, then run_finished (missing when the run was interrupted). Events are columns: entry i of every list in an \
event speaks of the same draw. Node ids are those of the token tree: the prompt is nodes 0 .. T-1, and every later \
node has a larger id than its parent. p is always the target, q the draft. What the events add up to is in \
playground/trace/invariants.py."""
MESSAGES = ASSETS / "page" / "messages.d.ts"
HEAD = """// {what}, made by `python -m tests.contract` from {source}: do not edit.

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


def contract() -> dict[str, Any]:
    """Return the schema by which checks.js checks events."""
    definitions = schema()["$defs"]
    bare = {name: _bare(definition) for name, definition in definitions.items()}
    columns = {
        tag: [list(group) for group in kind.COLUMNS]
        for tag, kind in {**EVENTS, **kinds()}.items()
        if kind.COLUMNS  # pyright: ignore[reportAttributeAccessIssue]
    }
    return {
        "FORMAT": storage.FORMAT,
        "VERSION": storage.VERSION,
        "EVENTS": {tag: bare[kind.__name__] for tag, kind in EVENTS.items()},
        "WORKINGS": {tag: bare[kind.__name__] for tag, kind in kinds().items()},
        "COLUMNS": columns,
        "VERSION_2": {name.lower(): getattr(version_2, name) for name in ("EVENTS", "FIELDS", "OUTCOMES", "WORKINGS")},
    }


def types() -> str:
    """The types of events, as TypeScript declares them."""
    definitions = schema()["$defs"]
    names = ("Branch", "Paths", *(kind.__name__ for kind in (*EVENTS.values(), *kinds().values())))
    for kind in kinds().values():  # The walk and the forest fill in where one was made.
        definitions[kind.__name__]["required"] = list(definitions[kind.__name__]["properties"])
    by_kind = "".join(f"  {tag}: {kind.__name__};\n" for tag, kind in kinds().items())
    workings = f"/** Workings by their kind */\nexport interface Workings {{\n{by_kind}}}\n"
    head = HEAD.format(what="Events of a trace", source="events.py and workings/records.py")
    return head + "\n".join([*(_interface(name, definitions[name]) for name in names), workings])


def message_types() -> str:
    """The types of messages between page and server, as TypeScript declares them."""
    sent = messages(FromPage)
    _, definitions = schema_components(sent, ref_template="#/$defs/{name}")
    members = {each: _member(definitions.pop(each.__name__)) for each in sent}
    asked = "".join(member for each, member in members.items() if issubclass(each, Question))
    others = "".join(member for each, member in members.items() if not issubclass(each, Question))
    values = [each for each in vars(to_page).values() if isinstance(each, type) and each.__module__ == to_page.__name__]
    _, values = schema_components(values, ref_template="#/$defs/{name}")
    for each in values.values():  # The server gives values with their defaults.
        has_default = [name for name, field in each["properties"].items() if "default" in field]
        each["required"] = [*each.get("required", ()), *has_default]
    parts = [
        f"/** Any message of the page */\nexport type FromPage =\n  | Question{others};\n",
        f"/** Any question of the Lab */\nexport type Question ={asked};\n",
        *(_interface(*each) for each in (definitions | values).items()),
    ]
    return HEAD.format(what="Messages of the page", source="playground/ui/contract") + "\n".join(parts)


def messages(of: type[Any]) -> list[Any]:
    """Every message of a kind, in the order of the files; the Lab's questions by their names."""
    known = [each for each in vars(from_page).values() if isinstance(each, type)]
    known += sorted(Question.__subclasses__(), key=tag_of)  # the sections make them, in whatever order they are read
    return [each for each in dict.fromkeys(known) if issubclass(each, of) and not each.__subclasses__()]


def _member(definition: dict[str, Any]) -> str:
    """Return a message as one of a union: its sentence, and its fields in one line where they fit."""
    fields_of = list(_fields(definition))
    flat = f"  | {{ {' '.join(fields_of)[:-1]} }}"
    if len(flat) > 120:
        flat = "\n".join(["  | {", *(f"      {field}" for field in fields_of), "    }"])
    return f"\n  /** {_sentence(definition)} */\n{flat}"


def _interface(name: str, definition: dict[str, Any]) -> str:
    """Return an interface, or a type in one line where it fits and no field is described."""
    flat = f"export type {name} = {{ {' '.join(_fields(definition))[:-1]} }};"
    if len(flat) <= 120 and not any("description" in each for each in definition["properties"].values()):
        return f"/** {_sentence(definition)} */\n{flat}\n"
    lines = [f"/** {_sentence(definition)} */", f"export interface {name} {{"]
    for field, each in zip(_fields(definition), definition["properties"].values(), strict=True):
        about = each.get("description", "").partition(". ")[0].partition("; ")[0].rstrip(".").replace("*", "")
        lines += [f"  /** {about} */", f"  {field}"] if about else [f"  {field}"]
    return "\n".join([*lines, "}\n"])


def _sentence(definition: dict[str, Any]) -> str:
    return definition["description"].partition("\n")[0].partition(". ")[0].rstrip(".")


def _fields(definition: dict[str, Any]) -> Iterator[str]:
    for name, each in definition["properties"].items():
        yield f"{name}{'' if name in definition.get('required', ()) else '?'}: {_type(each)};"


def _type(schema: dict[str, Any]) -> str:
    """A type of TypeScript for a schema."""
    if "$ref" in schema:
        return schema["$ref"].rpartition("/")[2]
    if "prefixItems" in schema:
        return f"[{', '.join(map(_type, schema['prefixItems']))}]"
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(_type(each) for each in schema["anyOf"]))
    if "enum" in schema:
        return " | ".join(json.dumps(each) for each in schema["enum"])
    if "type" not in schema:
        return "any"
    if schema["type"] == "array":
        inner = _type(schema.get("items", {}))
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if schema["type"] == "object":
        inside = schema.get("additionalProperties")
        values = _type(inside) if isinstance(inside, dict) and "anyOf" not in inside else "any"
        return f"Record<string, {values}>"
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


def _json(value: Any, taken: int = 0, depth: int = 0) -> str:
    """JSON whose lines have at most 120 characters."""
    if isinstance(value, dict):
        parts = [f'"{key}": ' for key in value]
        inside, ends = list(value.values()), "{}"
    elif isinstance(value, list):
        parts, inside, ends = [""] * len(value), value, "[]"
    else:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        return json.dumps(value, ensure_ascii=False).replace("e-0", "e-")
    space = " " if ends == "{}" and parts else ""
    words = [part + _json(each, -10_000) for part, each in zip(parts, inside, strict=True)]
    flat = ends[0] + space + ", ".join(words) + space + ends[1]
    if taken + len(flat) <= 120:
        return flat
    pad = "  " * (depth + 1)
    lines = [
        pad + part + _json(each, len(pad) + len(part) + 1, depth + 1) for part, each in zip(parts, inside, strict=True)
    ]
    return "\n".join([ends[0], ",\n".join(lines), pad[2:] + ends[1]])


def labels() -> dict[str, str]:
    """The English label of every option, by the key that the languages have it under."""
    options = [(method_id, item) for method_id, method in methods().items() for item in fields(method.Options)]
    return dict(sorted((option_key(method_id, item), item.metadata["label"]) for method_id, item in options))


def files() -> dict[Path, str]:
    """The files and what stands in them."""
    tables = {SCHEMA: schema(), CONTRACT: contract(), LABELS: labels()}
    return {path: _json(table) + "\n" for path, table in tables.items()} | {TYPES: types(), MESSAGES: message_types()}


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
