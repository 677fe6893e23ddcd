"""The contract stands once: files made from it are as it says, and what breaks it is refused quickly, in a sentence."""

import json
import time
import tracemalloc
from functools import reduce
from pathlib import Path

import msgspec
import pytest
from jsonschema import Draft202012Validator

from playground.decoding.workings.records import kinds
from playground.errors import PlaygroundError
from playground.paths import ASSETS
from playground.trace import load, storage, to_json, validate
from playground.trace.events import Verified
from playground.trace.reasons import sentence, sentences
from tests.contract import EVENTS, files, schema
from tests.tables import is_fresh
from tests.trace.example import autoregressive_trace, speculative_trace

MEGABYTE = 1_000_000


@pytest.mark.parametrize(("path", "text"), files().items(), ids=lambda each: getattr(each, "name", ""))
def test_the_files_are_made_from_the_contract(path, text):
    assert is_fresh(path, text, "python -m tests.contract"), "python -m tests.contract writes it"


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("kind", EVENTS.values(), ids=EVENTS)
def test_every_field_is_described(kind):
    definition = schema()["$defs"][kind.__name__]
    assert [name for name, each in definition["properties"].items() if not each.get("description")] == ["event"]
    assert definition["additionalProperties"] is False


@pytest.mark.parametrize("trace", [speculative_trace(), autoregressive_trace()])
def test_the_whole_schema_agrees_for_other_readers(trace):
    """A tool that takes the schema file as it is must come to the same answer."""
    validator = Draft202012Validator(schema())
    data = json.loads(to_json(trace))
    validator.validate(data)
    for event in data["events"]:
        event["surprise"] = 1
        assert not validator.is_valid(data)
        del event["surprise"]


@pytest.mark.parametrize("path", sorted((ASSETS / "traces").glob("*.gz")), ids=lambda path: path.name.split(".")[0])
def test_recorded_workings_keep_their_contract(path):
    workings = [each for event in load(path).events for each in getattr(event, "workings", [])]
    for each in workings:
        record = msgspec.convert(each, kinds()[each["kind"]])
        for group in record.COLUMNS:
            assert len({len(getattr(record, name)) for name in group}) == 1, each


@pytest.mark.parametrize("path", sorted((ASSETS / "traces").glob("*.gz")), ids=lambda path: path.name.split(".")[0])
def test_recorded_reasons_are_codes_with_a_sentence(path):
    for event in (event for event in load(path).events if isinstance(event, Verified)):
        for code, values in zip(event.reasons, event.reason_values or [{}] * len(event.reasons), strict=True):
            codes = code.replace("not_below", "below").split("+")
            assert set(codes) <= sentences().keys() and "{" not in sentence(code, values), (code, values)


class Untouchable(list):
    def __iter__(self):
        raise AssertionError("its contents were looked at")


@pytest.mark.parametrize(("event", "field"), [(0, "prompt_ids"), (1, "tokens"), (1, "draft_probs")])
def test_a_list_that_is_too_long_is_refused_by_its_length_alone(event, field):
    data = json.loads(to_json(speculative_trace()))["events"][event]
    data[field] = Untouchable([0] * 100_001)
    with pytest.raises(PlaygroundError, match=f"{field}: 100001 entries do not fit"):
        storage.event_from_dict(data)


HOSTILE = {
    "numbers too many": ("drafted", ["tokens"], [0] * (MEGABYTE // 2)),
    "all of a wrong kind": ("drafted", ["tokens"], [[]] * 99_999),
    "the last of a wrong kind": ("drafted", ["tokens"], [0] * 99_999 + [0.5]),
    "a text": ("run_started", ["prompt"], "x" * (MEGABYTE + 1)),
    "keys": ("run_started", ["pieces"], {str(n): "" for n in range(99_999)} | {"x": ""}),
    "values": ("run_started", ["pieces"], {str(n): "" for n in range(99_999)} | {"7": 0}),
    "fields": ("drafted", [], {f"field {n}": 0 for n in range(50_000)}),
    "lists in lists": ("verified", ["workings"], [{"kind": "x", "a": [[[]] * 200] * 200}]),
    "rows": ("scored", ["alternatives"], [[[1, 0.5, None]] * 1000] * 60 + [[[1, 2.5, None]]]),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_megabyte_is_refused_at_once_and_with_little_memory(name):
    """It took seconds, in which nobody else was served, and filled the memory. Half a second is a multiple of it."""
    kind, path, value = HOSTILE[name]
    data = json.loads(to_json(speculative_trace()))
    event = next(each for each in data["events"] if each["event"] == kind)
    if path:
        event[path[0]] = value
    else:
        event |= value
    text = json.dumps(data)
    started = time.process_time()
    with pytest.raises(PlaygroundError) as refusal:
        storage.from_json(text)
    assert time.process_time() - started < 3  # seconds, of a busy machine; alone, it is under half a second
    assert f"({kind})" in str(refusal.value) and reduce(lambda _, each: each in str(refusal.value), path, True)
    assert len(str(refusal.value)) < 400
    tracemalloc.start()
    try:
        with pytest.raises(PlaygroundError):
            storage.event_from_dict(event)
        assert tracemalloc.get_traced_memory()[1] < 20e6, "bytes at the most"
    finally:
        tracemalloc.stop()


def test_a_file_of_the_version_before_opens_with_todays_words():
    trace = load(Path(__file__).parent / "version_2.json.gz")
    validate(trace)
    assert len(trace.rounds) > 10 and trace.finished
    verified = [each.verified for each in trace.rounds]
    assert {code for each in verified for code in each.reasons} >= {"below", "no_mass_left"}
    assert not [code for each in verified for code in each.reasons if " " in code]
    assert {outcome for each in verified for outcome in each.outcomes} <= {"accepted", "rejected", "not_tested"}
