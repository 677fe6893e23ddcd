"""Counts of a measurement of batches agree with each other; ratios of hand-made batches follow from their seconds."""

from types import SimpleNamespace

import pytest

from playground.bench.batches import PACKED, PADDED, PLAIN, SIZES, Repeat, _of_size, _padding, measure_batches
from playground.decoding.batch import Batch, Call
from playground.errors import PlaygroundError
from playground.metrics.load import read_costs
from tests.decoding.test_batch import models

PROMPTS = ["3 1 4", "1 5", "9 2 6 5 3"]


def test_every_size_has_a_ratio_and_every_row_its_accepted_drafts():
    """Five repeats give an interval around the median, one gives none."""
    steps = list(measure_batches(*models(), 2, max_new_tokens=6, prompts=PROMPTS))
    *early, found = steps
    assert [each["done"] for each in steps] == [0, 0, 0, *range(1, 46)] and {each["total"] for each in steps} == {45}
    assert [each["size"] for each in found["sizes"]] == [*SIZES]
    told = [each.get("repeats", 0) for each in early]
    assert told == [0] * 11 + [1] * 9 + [2] * 9 + [3] * 9 + [4] * 9, "what is known is of whole repeats"
    for each in found["sizes"]:
        assert 0 < each["low"] <= each["ratio"] <= each["high"] and 0 <= each["idle"] < 1
    assert found["sizes"][0]["idle"] == 0, "a sequence alone waits for none"
    assert found["padding"]["positions"] > 0 and 0 < found["rate"] < 1
    assert len(found["rows"]) == 8 and max(max(row["accepted"]) for row in found["rows"]) <= 2
    for row in found["rows"]:
        emitted = sum(row["accepted"]) + len(row["accepted"])
        assert emitted - 1 <= 6 <= emitted, "each step adds its accepted drafts and one token, but the last"
    tokens, ms = read_costs(found["costs"])
    assert tokens[0] == 1 and min(ms) > 0
    *_, alone = measure_batches(*models(), 2, max_new_tokens=2, prompts=PROMPTS, repeats=1)
    assert {each["low"] for each in alone["sizes"]} == {None}


def test_a_draft_length_out_of_range_is_refused():
    with pytest.raises(PlaygroundError, match="99"):
        next(measure_batches(*models(), 99))


def batch(emitted, seconds, *calls):
    """A batch that emitted so many tokens in each sequence; calls are (model, tokens, padding, seconds)."""
    rounds = [[SimpleNamespace(committed=SimpleNamespace(tokens=[0] * count))] for count in emitted]
    made = [Call(model, [*range(len(tokens))], list(tokens), padding, s) for model, tokens, padding, s in calls]
    return Batch([SimpleNamespace(rounds=each) for each in rounds], [Call(0, [0, 1], [9, 9], 0, 50.0)], made, seconds)


def test_the_ratios_of_a_size_by_hand():
    """10 tokens in 4 s without drafts, 15 in 2 s with them, 1.5 s of which are calls; the prompts' 50 s are in none."""
    plain = batch([6, 4], 4.0, (0, (1, 1), 0, 1.0), (0, (1, 1), 0, 2.0))
    packed = batch([8, 7], 2.0, (1, (1, 1), 0, 0.25), (0, (3, 2), 0, 0.75), (0, (3,), 0, 0.5))
    padded = batch([8, 7], 2.5, (1, (1, 1), 0, 0.25), (0, (3, 2), 1, 0.75), (0, (3,), 2, 1.0))
    repeat = Repeat(2, {PLAIN: plain, PACKED: packed, PADDED: padded})
    assert repeat.speed_up == (15 / 2) / (10 / 4)
    size = _of_size([repeat])
    assert (size["ratio"], size["plain_step_s"], size["drafted_step_s"]) == (3, 2, 1)
    assert size["outside"] == 1 - 1.5 / 2 and size["idle"] == 1 / 4, "one of two sat out one of two steps"
    assert _padding([repeat]) == {"positions": 3 / 10, "seconds": 1.25}
