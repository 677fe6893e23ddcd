"""Trace files, sound and otherwise: they are read or refused in a sentence, and both checks of their shape agree."""

import gzip
import json

from hypothesis import given
from hypothesis import strategies as some

from playground.errors import PlaygroundError
from playground.trace import from_bytes, from_json, to_json, validate
from playground.trace.faults import _validator
from playground.trace.schema import EVENT_NAMES, _fits
from tests.browser.holds import assert_one_sentence
from tests.properties.inputs import anything, wounded_traces
from tests.trace.example import speculative_trace

SOUND = to_json(speculative_trace()).encode()
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


@given(wounded_traces())
def test_a_wounded_trace_is_read_or_refused_in_a_sentence(data):
    _read_or_refused(lambda: from_json(json.dumps(data)))


@given(wounded_traces())
def test_what_says_that_an_event_fits_agrees_with_what_says_why_not(data):
    events = data.get("events")
    for event in events if isinstance(events, list) else []:
        name = event.get("event") if isinstance(event, dict) else None
        if isinstance(name, str) and name in EVENT_NAMES:
            assert _fits(name)(event) == _validator(name).is_valid(event), event


@given(anything)
def test_anything_is_read_or_refused_in_a_sentence(data):
    _read_or_refused(lambda: from_json(json.dumps(data)))
    _read_or_refused(
        lambda: from_json(json.dumps({"format": "speculative-decoding-trace", "version": 2, "events": data}))
    )


@given(some.sampled_from([SOUND, GZIPPED]), some.integers(0, len(SOUND)), some.binary(max_size=5), some.booleans())
def test_bytes_that_were_damaged_on_the_way_are_read_or_refused(content, place, bytes_, cut):
    damaged = content[:place] + bytes_ + (b"" if cut else content[place + len(bytes_) :])
    _read_or_refused(lambda: from_bytes(damaged, "a file"))


def test_a_refusal_is_one_sentence_for_a_reader():
    try:
        from_json("{}")
    except PlaygroundError as error:
        assert_one_sentence(str(error))
