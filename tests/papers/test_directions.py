"""Orderings of methods: what is compared, and what is made of the numbers."""

from __future__ import annotations

import numpy as np
import pytest

from playground.bench.entry import enter
from playground.models.loading import load_pair
from playground.papers.directions import MEASURES, Claim, _row, claims, measure


def test_every_choice_is_a_method_with_options_that_it_has():
    for claim in claims():
        assert claim.measure in MEASURES
        assert enter(list(claim.higher)) and enter(list(claim.lower))


@pytest.mark.parametrize(
    ("higher", "lower", "verdict"),
    [
        ([[4, 2]] * 9, [[3, 2]] * 9, "holds"),
        ([[3, 2]] * 9, [[4, 2]] * 9, "does not hold"),
        ([[3, 2]] * 9, [[3, 2]] * 9, "equal"),
        ([[9, 2]] + [[3, 2]] * 8, [[4, 2]] * 9, "does not hold, within chance"),
    ],
)
def test_a_verdict_says_whether_chance_could_have_done_it(higher, lower, verdict):
    claim = Claim("one above the other", "", "block efficiency", (), ())
    row = _row(claim, (("a", {}), np.array(higher, dtype=float)), (("b", {}), np.array(lower, dtype=float)))
    assert row["verdict"] == verdict
    assert row["low"] <= row["difference"] <= row["high"]


def test_both_sides_decode_the_same_prompts():
    """Plain decoding emits one token a call, so any draft at all is above it."""
    claim = Claim(
        "drafts above none", "", "block efficiency", (("speculative_sampling", {}),), (("autoregressive", {}),)
    )
    (row,) = measure(load_pair("bundled"), ["Once upon a time", "The old house"], wanted=[claim], max_new_tokens=12)
    assert row["lower"]["value"] == 1
    assert row["higher"]["value"] > 1
    assert row["runs"] == 2
