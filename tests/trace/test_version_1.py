"""Files of version 1 open as they always did, written short or in full; what they cannot mean is refused."""

import json
import random
from pathlib import Path

import pytest

from playground.errors import PlaygroundError
from playground.trace import from_json, load, validate
from playground.trace.version_1 import unpacked

HERE = Path(__file__).parent
ROOM = 10_000


def whole(*events):
    return unpacked(list(events), ROOM)


def test_an_old_file_is_the_trace_that_it_was():
    """The same run, saved before and after gzip."""
    trace = load(HERE / "version_1.json")
    validate(trace)
    assert trace == load(HERE / "version_2.json.gz")
    assert len(trace.rounds) > 10 and trace.finished


def test_following_ids_were_their_first_and_last():
    event = {"event": "drafted", "nodes": [[7, 9], 11, 12, [12, 14]], "parents": [3, 3, 3]}
    assert whole(event) == [event | {"nodes": [7, 8, 9, 11, 12, 12, 13, 14]}]


def test_a_text_was_written_where_it_first_stood():
    event = {"event": "judged", "nodes": [], "outcomes": ["accepted", "rejected", 0, [1, 3]]}
    assert whole(event)[0]["outcomes"] == ["accepted", "rejected", "accepted", *["rejected"] * 3]


def test_a_reason_could_be_one_of_earlier_events():
    events = [{"event": "judged", "reasons": reasons} for reasons in (["a", "b", 0], ["c", -2, [-1, 2]], [-3])]
    assert [event["reasons"] for event in whole(*events)] == [["a", "b", "a"], ["c", "b", "a", "a"], ["c"]]


def test_nulls_at_the_end_were_left_out():
    event = {"event": "judged", "nodes": [[3, 5]], "coins": [0.5], "alternatives": [[[7, 0.5], [8, 0.2, 0.1, 0.3]]]}
    [read] = whole(event)
    assert read["coins"] == [0.5, None, None]
    assert read["alternatives"] == [[[7, 0.5, None], [8, 0.2, 0.1, 0.3]]]


def test_a_row_of_the_mask_was_that_of_its_parent_and_itself():
    event = {"event": "scored", "fed": [2, 3, 4, 5], "columns": [[2, 5]], "mask": ["1000", 0, 1, 1]}
    assert whole(event)[0]["mask"] == ["1000", "1100", "1110", "1101"]


def test_what_was_not_written_short_stays():
    plain = json.loads((HERE / "version_1.json").read_text())["events"]
    full = unpacked(plain, 10_000_000)
    assert full != plain and unpacked(full, 10_000_000) == full


def _with(number, **changes):
    """An old file with fields of its event changed; events count from 1."""
    data = json.loads((HERE / "version_1.json").read_text())
    data["events"][number - 1].update(changes)
    return json.dumps(data)


SCORED, JUDGED = (
    next(
        n
        for n, event in enumerate(json.loads((HERE / "version_1.json").read_text())["events"], 1)
        if event["event"] == kind
    )
    for kind in ("scored", "judged")
)


@pytest.mark.parametrize(
    ("number", "changes", "sentence"),
    [
        (SCORED, {"nodes": [[2, 3, 4]]}, "nodes[0]: [2, 3, 4] is not a whole number"),
        (SCORED, {"nodes": [[2, "3"]]}, 'nodes[0]: [2, "3"] is not a whole number'),
        (SCORED, {"nodes": [[5, 2]]}, "nodes[0]: [5, 2] is not a whole number"),
        (SCORED, {"nodes": "5"}, 'nodes: "5" is not a list'),
        (SCORED, {"mask": ["100", 1]}, "mask[1]: 1 is not text"),
        (SCORED, {"mask": [0]}, "mask[0]: 0 is not text"),
        (SCORED, {"mask": {"0": 0}}, "is not a list or null"),
        (SCORED, {"alternatives": [7, [7]]}, "alternatives["),
        (JUDGED, {"outcomes": [0]}, "outcomes[0]: 0 is none of accepted"),
        (JUDGED, {"outcomes": [-1]}, "outcomes[0]: -1 is none of accepted"),
        (JUDGED, {"reasons": ["a", -1]}, "reasons[1]: -1 is not text"),
        (JUDGED, {"reasons": ["a", [0, -1]]}, "reasons[1]: [0, -1] is not text"),
        (JUDGED, {"reasons": [True]}, "reasons[0]: true is not text"),
        (SCORED, {"fed": [[0, 2**31 - 1]]}, "columns unpack to more than a trace may hold"),
        (
            SCORED,
            {"columns": [[0, 10**6]], "mask": ["1" * 10**6] + [0] * 20, "fed": [[0, 20]]},
            "columns unpack to more",
        ),
        (JUDGED, {"reasons": ["a" * 200, [0, 10**5]]}, "columns unpack to more than a trace may hold"),
        (JUDGED, {"nodes": [[0, 3 * 10**6]], "coins": []}, "columns unpack to more than a trace may hold"),
    ],
)
def test_what_it_cannot_mean_is_refused(number, changes, sentence):
    with pytest.raises(PlaygroundError) as refusal:
        from_json(_with(number, **changes), "file")
    assert sentence in str(refusal.value) and len(str(refusal.value)) < 500


def test_the_room_is_that_of_the_whole_file():
    event = {"event": "drafted", "nodes": [[1, 1000]]}
    assert len(whole(*[event] * 5)) == 5
    with pytest.raises(PlaygroundError, match="more than a trace may hold"):
        whole(*[event] * 6)


def test_a_mutated_old_file_is_read_or_refused_and_never_crashes():
    """300 files with one event's fields exchanged for odd values; the seed is fixed, so it cannot flicker."""
    rng, odd = random.Random(0), [None, [], {}, "x", -1, [[0, 3]], [[3, 0]], [-2], ["a", 0], [None], 7, [[]], [[[1]]]]
    events = json.loads((HERE / "version_1.json").read_text())["events"][:12]
    read = 0
    for _ in range(300):
        changed = [dict(event) for event in events]
        for _ in range(rng.randint(1, 2)):
            event = rng.choice(changed)
            event[rng.choice(list(event))] = rng.choice(odd)
        try:
            from_json(json.dumps({"format": "speculative-decoding-trace", "version": 1, "events": changed}))
            read += 1
        except PlaygroundError as error:
            assert str(error)
    assert 0 < read < 300


def test_files_of_today_are_never_taken_for_old_ones():
    with pytest.raises(PlaygroundError, match="not a whole number"):
        from_json(_with(SCORED, nodes=[[2, 4]]).replace('"version": 1', '"version": 2'), "file")
