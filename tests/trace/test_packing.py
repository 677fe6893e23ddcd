"""Packing writes columns short and loses nothing: any event reads back as it was, packed or never packed."""

import itertools
import json
import random

import pytest

from playground.trace import event_from_dict, from_json, load, to_json
from playground.trace.packing import Said, entries, pack, unpack
from playground.trace.storage import event_to_dict
from tests.trace.example import autoregressive_trace, speculative_trace


def scored(fed, columns, mask, **changes):
    return {"event": "scored", "nodes": fed, "overlaps": [None] * len(fed), "alternatives": [[]] * len(fed)} | {
        "fed": fed,
        "columns": columns,
        "mask": mask,
        **changes,
    }


def test_following_ids_are_their_first_and_last():
    packed = pack({"event": "drafted", "nodes": [7, 8, 9, 11, 12, 12, 13, 14], "parents": [3, 3, 3]})
    assert packed == {"event": "drafted", "nodes": [[7, 9], 11, 12, [12, 14]], "parents": [3, 3, 3]}


def test_a_text_is_written_where_it_first_stands():
    packed = pack({"event": "committed", "nodes": [], "origins": ["accepted", "bonus", "accepted", "bonus"]})
    assert packed["origins"] == ["accepted", "bonus", 0, 1]
    packed = pack({"event": "committed", "nodes": [], "origins": ["plain", *["bonus"] * 4, *["plain"] * 2]})
    assert packed["origins"] == ["plain", "bonus", [1, 3], 0, 0]


def test_nulls_at_the_end_are_left_out_and_others_stay():
    judged = {"event": "judged", "nodes": [4, 9, 4], "outcomes": [], "reasons": []}
    judged |= {"target_probs": [0.5, None, 0.1], "draft_probs": [None] * 3, "accept_probs": [1, None, None]}
    packed = pack(judged | {"coins": [None, 0.2, None]})
    columns = [packed[name] for name in ("target_probs", "draft_probs", "accept_probs", "coins")]
    assert columns == [[0.5, None, 0.1], [], [1], [None, 0.2]]
    assert pack(scored([], [], None, alternatives=[[[3, 0.5, None], [4, 0.1, 0.2]]]))["alternatives"] == [
        [[3, 0.5], [4, 0.1, 0.2]]
    ]


def test_a_child_sees_what_its_parent_sees_and_itself():
    """Two cached columns; node 5 below the frontier, 6 and 7 below 5, and 8, which sees something of its own."""
    event = scored([5, 6, 7, 8], [1, 2, 5, 6, 7, 8], ["101000", "101100", "101010", "011001"])
    assert pack(event)["mask"] == ["101000", 0, 0, "011001"]
    assert unpack(pack(event), "it") == event


def test_a_reason_that_an_earlier_event_gave_is_its_number_and_other_words_stay():
    said, again = Said(), Said()
    judged = [
        {"event": "judged", "nodes": [], "outcomes": ["accepted", "rejected"], "reasons": ["so", "because", "so"]}
        | {name: [] for name in ("target_probs", "draft_probs", "accept_probs", "coins")},
    ] * 2
    first, second = (pack(event, said) for event in judged)
    assert first["reasons"] == ["so", "because", 0] and second["reasons"] == [-1, -2, 0]
    assert second["outcomes"] == ["accepted", "rejected"]
    assert [unpack(event, "it", again) for event in (first, second)] == judged
    assert [unpack(event, "it", said) for event in (pack(judged[0]), second)] == judged, "one alone changes no number"


def random_event(rng):
    """Events as a method might make them, and as it should not: repeated nodes, ragged masks, nulls anywhere."""
    fed = sorted(rng.sample(range(20), 5))
    if rng.random() < 0.3:
        fed = [rng.randrange(9) for _ in range(rng.randrange(7))]
    columns = sorted({*fed, *rng.sample(range(20), 3)})
    width = len(columns) if rng.random() < 0.9 else 2
    mask = ["".join(rng.choice("01") for _ in range(width)) for _ in fed]
    if rng.random() < 0.7:  # a tree's
        own = {node: column for column, node in enumerate(columns)}
        for place in range(1, len(mask)):
            row = list(mask[rng.randrange(place)].ljust(len(columns), "0"))
            row[own[fed[place]]] = "1"
            mask[place] = "".join(row)

    def column(make):
        return [make() for _ in fed]

    numbers = {
        name: column(lambda: rng.choice([None, None, 1.0, rng.random()]))
        for name in ("target_probs", "draft_probs", "accept_probs", "coins")
    }
    words = {
        name: column(lambda: rng.choice(["a", "a", "a", "b", "0", "", str(rng.random())]))
        for name in ("outcomes", "reasons")
    }
    return rng.choice(
        [
            scored(fed, columns, mask, overlaps=column(lambda: rng.choice([None, 0.5]))),
            scored(fed, columns, None),
            {"event": "judged", "nodes": fed, **numbers, **words},
            {"event": "drafted", "nodes": fed, "parents": sorted(fed), "draft_probs": column(rng.random)},
        ]
    )


def test_unpacking_undoes_packing_and_leaves_the_rest_alone():
    rng, said, again = random.Random(0), Said(), Said()
    for _ in range(3000):
        event = random_event(rng)
        packed = pack(event)
        assert unpack(packed, "it") == event == unpack(event, "it")
        assert unpack(pack(event, said), "it", again) == event
        assert len(json.dumps(packed)) <= len(json.dumps(event))
        mask = len(event.get("mask") or []) * len(event.get("columns", []))
        names = ("nodes", "parents", "fed", "columns", "outcomes", "reasons")
        assert entries(packed) == mask + sum(len(event.get(name, [])) for name in names)


@pytest.mark.parametrize("trace", [speculative_trace(), autoregressive_trace()])
def test_a_file_written_in_full_is_read_like_a_packed_one(trace):
    short, said = json.loads(to_json(trace)), Said()
    full = short | {"events": [unpack(event, "it", said) for event in short["events"]]}
    assert from_json(json.dumps(full)) == from_json(json.dumps(short))


def test_recorded_runs_are_shorter_packed_and_say_the_same():
    """Beams, whose masks and verdicts repeat themselves most."""
    trace = load("assets/traces/dsbd.json")
    short = [event_to_dict(event) for event in trace.events]
    full = [unpack(event, "it") for event in short]
    assert [event_from_dict(event) for event in short] == [event_from_dict(event) for event in full]
    assert len(json.dumps(short)) < 0.8 * len(json.dumps(full))
    masks = itertools.chain(*(event["mask"] for event in short if event["event"] == "scored"))
    assert sum(isinstance(row, int) for row in masks) > 100
