"""The schema says the same as the dataclasses, so that neither can drift from the other."""

from __future__ import annotations

import json
import tracemalloc
import types
import typing
from dataclasses import MISSING, fields

import pytest
from jsonschema import Draft202012Validator

from playground.errors import PlaygroundError
from playground.trace import events, storage, to_json
from playground.trace.fits import fitting
from playground.trace.schema import EVENT_NAMES, trace_schema
from tests.trace.example import autoregressive_trace, speculative_trace

EVENTS = pytest.mark.parametrize("kind", typing.get_args(events.Event), ids=lambda kind: kind.__name__)
JSON_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}


def _definition(kind):
    return trace_schema()["$defs"][storage._NAMES[kind]]


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(trace_schema())


def test_every_kind_of_event_is_in_the_schema_once():
    assert [storage._NAMES[kind] for kind in typing.get_args(events.Event)] == list(EVENT_NAMES)
    assert trace_schema()["$defs"]["event"]["properties"]["event"]["enum"] == list(EVENT_NAMES)
    assert [branch["then"]["$ref"] for branch in trace_schema()["$defs"]["event"]["allOf"]] == [
        f"#/$defs/{name}" for name in EVENT_NAMES
    ]


@EVENTS
def test_properties_are_the_fields_in_their_order(kind):
    definition = _definition(kind)
    assert list(definition["properties"]) == ["event", *(field.name for field in fields(kind))]
    assert definition["additionalProperties"] is False


@EVENTS
def test_required_are_the_fields_without_a_default(kind):
    bare = [field.name for field in fields(kind) if field.default is MISSING and field.default_factory is MISSING]
    assert _definition(kind)["required"] == ["event", *bare]


@EVENTS
def test_json_types_are_the_types_of_the_fields(kind):
    hints = typing.get_type_hints(kind)
    for name, schema in _definition(kind)["properties"].items():
        if name != "event":
            assert _schema_types(schema) == _field_types(hints[name]), name


@EVENTS
def test_every_property_is_described(kind):
    for name, schema in _definition(kind)["properties"].items():
        if name != "event":
            assert schema.get("description") or _resolved(schema).get("description"), name


def _resolved(schema):
    while "$ref" in schema:
        schema = trace_schema()["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    return schema


def _schema_types(schema):
    """The JSON types a schema allows; of a list, those of its entries too."""
    if "anyOf" in schema:
        return set().union(*(_schema_types(branch) for branch in schema["anyOf"]))
    schema = _resolved(schema)
    if "enum" in schema:
        return {"string"}
    found = {schema["type"]} if isinstance(schema["type"], str) else set(schema["type"])
    if "prefixItems" in schema:
        entries = set().union(*(_schema_types(entry) for entry in schema["prefixItems"]))
        found.add(("of", frozenset(entries)))
    elif "items" in schema and "array" in found and "object" not in found:
        found.add(("of", frozenset(_schema_types(schema["items"]))))
    return found


def _field_types(hint):
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return set().union(*(_field_types(part) for part in inner))
    if origin is typing.Literal:
        return {"string"}
    if hint is type(None):
        return {"null"}
    if origin is list:
        return {"array", ("of", frozenset(_field_types(inner[0])))}
    return {JSON_TYPES[origin or hint]}


@pytest.mark.parametrize("trace", [speculative_trace(), autoregressive_trace()])
def test_the_whole_schema_agrees_for_other_readers(trace):
    """We check event by event; a tool that takes the schema file as it is must come to the same answer."""
    validator = Draft202012Validator(trace_schema())
    data = json.loads(to_json(trace))
    validator.validate(data)
    for event in data["events"]:
        event["surprise"] = 1
        assert not validator.is_valid(data)
        del event["surprise"]


def test_the_limit_on_events_is_the_same_in_both_places():
    assert trace_schema()["properties"]["events"]["maxItems"] == storage.MAX_EVENTS


class Untouchable(list):
    def __iter__(self):
        raise AssertionError("its contents were looked at")


@pytest.mark.parametrize(("event", "field"), [(0, "prompt_ids"), (1, "tokens"), (1, "draft_probs")])
def test_a_list_that_is_too_long_is_refused_by_its_length_alone(event, field):
    """A megabyte of numbers took seconds to refuse, in which nobody else was served."""
    data = json.loads(to_json(speculative_trace()))["events"][event]
    data[field] = Untouchable([0] * 100_001)
    with pytest.raises(PlaygroundError, match=f"{field}: a list of 100001 does not fit"):
        storage.event_from_dict(data)


def test_of_many_wrong_entries_in_a_list_of_any_kind_the_first_are_found_alone():
    """A million empty lists, each a fault in itself, filled the memory while they were refused."""
    [event] = [each for each in json.loads(to_json(speculative_trace()))["events"] if each["event"] == "judged"][:1]
    event["workings"] = [{"kind": "x", "a": [[[]] * 200] * 200}]
    tracemalloc.start()
    try:
        with pytest.raises(PlaygroundError, match="workings"):
            storage.event_from_dict(event)
        assert tracemalloc.get_traced_memory()[1] < 20e6, "bytes at the most"
    finally:
        tracemalloc.stop()


def test_a_schema_with_a_keyword_that_nobody_checks_is_noticed():
    with pytest.raises(AssertionError, match="multipleOf"):
        fitting({"multipleOf": 2}, {})
