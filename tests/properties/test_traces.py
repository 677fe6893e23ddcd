"""Trace files, sound and otherwise: they are read or refused in a sentence, and both checks of their shape agree."""

import gzip
import json

from hypothesis import given, settings
from hypothesis import strategies as some
from jsonschema import Draft202012Validator

from playground.errors import PlaygroundError
from playground.trace import event_from_dict, from_bytes, from_json, to_json, validate
from tests.contract import EVENTS, schema
from tests.properties.inputs import anything, wounded_traces
from tests.trace.example import speculative_trace

SOUND = to_json(speculative_trace()).encode()
VALIDATOR = Draft202012Validator(schema())
GZIPPED = gzip.compress(SOUND, mtime=0)


def _read_or_refused(read):
    """The trace, or None with a sentence."""
    try:
        trace = read()
        validate(trace)
    except PlaygroundError as error:
        assert "Traceback" not in str(error) and len(str(error)) < 1000 and str(error).endswith("."), str(error)
        return None
    assert from_json(to_json(trace)) == from_json(to_json(from_json(to_json(trace))))
    return trace


@settings(max_examples=100)
@given(wounded_traces())
def test_a_wounded_trace_is_read_or_refused_in_a_sentence(data):
    _read_or_refused(lambda: from_json(json.dumps(data)))


@given(wounded_traces())
def test_the_schema_refuses_what_is_refused(data):
    """A tool that has only the schema file comes to the same answer; Python's check knows a few rules more."""
    events = data.get("events")
    for event in events if isinstance(events, list) else []:
        name = event.get("event") if isinstance(event, dict) else None
        if isinstance(name, str) and name in EVENTS:
            try:
                event_from_dict(event)
            except PlaygroundError:
                continue
            assert VALIDATOR.evolve(schema=VALIDATOR.schema["$defs"][EVENTS[name].__name__]).is_valid(event), event


@given(anything)
def test_anything_is_read_or_refused_in_a_sentence(data):
    _read_or_refused(lambda: from_json(json.dumps(data)))
    _read_or_refused(
        lambda: from_json(json.dumps({"format": "speculative-decoding-trace", "version": 3, "events": data}))
    )


@given(some.sampled_from([SOUND, GZIPPED]), some.integers(0, len(SOUND)), some.binary(max_size=5), some.booleans())
def test_bytes_that_were_damaged_on_the_way_are_read_or_refused(content, place, bytes_, cut):
    damaged = content[:place] + bytes_ + (b"" if cut else content[place + len(bytes_) :])
    _read_or_refused(lambda: from_bytes(damaged, "a file"))
