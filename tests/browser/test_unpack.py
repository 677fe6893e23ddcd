"""The player reads packed events as the server does: the same columns, and a sentence for what cannot be read."""

import json
import random
from pathlib import Path

import pytest

from playground.trace import load, to_json
from playground.trace.packing import Said, pack, unpack
from playground.trace.storage import event_to_dict
from tests.browser.player_harness import chain_trace, mount_player, picture, state, tree_trace
from tests.trace.test_packing import random_event

RECORDED = sorted(path for path in Path("assets/traces").glob("*.json") if path.name != "index.json")
UNPACK = """(text) => { const said = new Set();
  return JSON.stringify(JSON.parse(text).map((event) => specPlayer.unpack(event, said))); }"""


def unpacked(page, events):
    """By the player; as text there and back, which is quicker than playwright's own way."""
    return json.loads(page.evaluate(UNPACK, json.dumps(events)))


def test_random_events_unpack_to_what_they_were(page):
    mount_player(page)
    rng = random.Random(1)
    whole = [random_event(rng) for _ in range(1000)]
    assert unpacked(page, [pack(event) for event in whole]) == whole
    said = Said()
    assert unpacked(page, [pack(event, said) for event in whole]) == whole
    assert unpacked(page, whole) == whole


def test_recorded_runs_unpack_as_on_the_server(page):
    mount_player(page)
    for path in RECORDED:
        trace = load(path)
        short = json.loads(to_json(trace))["events"]
        assert unpacked(page, short) == [unpack(event_to_dict(event), "it") for event in trace.events], path.name


def test_a_run_of_beams_plays_the_same_packed_and_in_full(page):
    mount_player(page)
    trace, shown = load("assets/traces/dsbd.json"), []
    full = [unpack(event_to_dict(event), "it") for event in trace.events]
    for events in (json.loads(to_json(trace))["events"], [event_to_dict(event) for event in trace.events], full):
        page.evaluate("(events) => p.load({format: 'speculative-decoding-trace', version: 1, events})", events)
        assert page.locator(".sp-error").inner_text() == ""
        page.evaluate("p.goto(p.state().steps - 3)")
        shown.append((state(page)["steps"], picture(page)))
    assert shown[0] == shown[1] == shown[2] and shown[0][0] > 100


@pytest.mark.parametrize(
    ("number", "changes"),
    [
        (1, {"nodes": [[3, 2**31]]}),
        (1, {"nodes": [[3, 4, 5]]}),
        (3, {"mask": ["100", 0, 7]}),
        (3, {"mask": [0, 1, 2]}),
        (3, {"columns": [[0, 9_000_000]], "mask": [0] * 3}),
        (4, {"reasons": ["a", 1]}),
        (4, {"outcomes": [0, 0]}),
        (4, {"reasons": ["a", -1]}),
        (4, {"coins": [0.1, 0.2, 0.3, 0.4]}),
    ],
)
def test_what_refers_to_nothing_is_refused_in_a_sentence(page, number, changes):
    trace = chain_trace()
    trace["events"][number] |= changes
    mount_player(page, trace)
    assert "cannot be read" in page.locator(".sp-error").inner_text()


def test_hand_written_traces_play_packed(page):
    for trace in (chain_trace(), tree_trace()):
        mount_player(page, trace)
        steps = state(page)["steps"]
        mount_player(page, trace | {"events": [pack(event) for event in trace["events"]]})
        assert state(page)["steps"] == steps > 5
