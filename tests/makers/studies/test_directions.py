"""Orderings of methods: what is compared, and what is made of the numbers."""

from __future__ import annotations

import json

import numpy as np
import pytest

from playground.bench.entry import enter
from playground.bench.prompts import PRESETS
from playground.errors import PlaygroundError
from playground.makers.studies import directions as MODULE
from playground.makers.studies.directions import (
    EFFICIENCY,
    LIKELIHOOD,
    MEASURES,
    ONE_IN,
    Claim,
    _row,
    _Runs,
    claims,
    measure,
)
from playground.models.loading import Models

DRAFTS = (("speculative_sampling", {}),)


def test_every_choice_is_a_method_with_options_that_it_has():
    for claim in claims():
        assert claim.measure in MEASURES
        assert enter(list(claim.higher)) and enter(list(claim.lower))


def test_both_sides_have_equally_many_choices():
    """The best of three is better than the best of two, whatever they are."""
    assert all(len(claim.higher) == len(claim.lower) for claim in claims())


def test_no_choice_is_made_on_a_prompt_that_is_compared(monkeypatch):
    """Where shapes are chosen, one side's second shape is better by far; on the others it is worse, and still used."""
    monkeypatch.setattr(_Runs, "_count", fake_count)
    claim = Claim("a above b", "", "", EFFICIENCY, (("rsd_s", {"width": 2}), ("rsd_s", {"width": 3})), DRAFTS * 2)
    (row,) = measure(None, ["a prompt"] * 9, wanted=[claim])
    assert row["higher"]["options"] == {"width": 3} and row["higher"]["value"] == 1
    assert (row["prompts"], row["chosen_on"]) == (6, 3)


def fake_count(runs, entry, sampling, place):
    """Tokens and calls of a shape that is good where shapes are chosen and bad elsewhere, and of any other."""
    treacherous = entry.options.get("width") == 3
    tokens = (9 if place % 3 == 0 else 1) if treacherous else 2
    return {EFFICIENCY: [tokens, 1.0]}


def test_where_nothing_is_chosen_every_prompt_compares(monkeypatch):
    monkeypatch.setattr(_Runs, "_count", fake_count)
    (row,) = measure(None, ["a prompt"] * 9, wanted=[Claim("a above b", "", "", EFFICIENCY, DRAFTS, DRAFTS)])
    assert (row["prompts"], row["chosen_on"], row["verdict"]) == (9, 0, "equal")


def test_one_prompt_cannot_both_choose_and_compare():
    claim = Claim("a above b", "", "", EFFICIENCY, DRAFTS * 2, DRAFTS * 2)
    with pytest.raises(PlaygroundError, match="two or more"):
        list(measure(None, ["a prompt"], wanted=[claim]))


def test_seeds_are_runs_of_a_prompt_and_not_more_prompts(monkeypatch):
    """Ten seeds that say the same leave the interval as wide as one does."""
    monkeypatch.setattr(MODULE, "run", lambda request: request)
    monkeypatch.setitem(MEASURES, EFFICIENCY, lambda trace: (len(trace.prompt), 1.0))
    monkeypatch.setitem(MEASURES, LIKELIHOOD, lambda trace: (0.0, 1.0))
    pair, claim = Models.named().load(), Claim("a above b", "", "", EFFICIENCY, DRAFTS, (("autoregressive", {}),))
    widths = []
    for seeds in (1, 10):
        (row,) = measure(pair, ["a", "abc", "abcdefgh"] * 3, wanted=[claim], seeds=seeds)
        widths.append((row["higher"]["value"], row["low"], row["high"]))
    assert widths[0] == pytest.approx(widths[1])


def test_what_is_kept_is_not_run_again(tmp_path, monkeypatch):
    """Cut off after the first side, the same call makes the other side only; another set-up is refused."""
    pair, prompts = Models.named().load(), ["Once upon a time", "The old house"]
    claim = Claim("drafts above none", "", "", EFFICIENCY, DRAFTS, (("autoregressive", {}),))
    options = {"wanted": [claim], "max_new_tokens": 8}
    made, count = [], _Runs._count
    monkeypatch.setattr(_Runs, "_count", lambda self, *run: made.append(run[0].method) or count(self, *run))
    (whole,) = measure(pair, prompts, **options)
    monkeypatch.setattr(_Runs, "_count", lambda self, entry, *rest: _cut_off(entry) or count(self, entry, *rest))
    with pytest.raises(KeyboardInterrupt):
        list(measure(pair, prompts, kept=tmp_path, **options))
    made.clear()
    monkeypatch.setattr(_Runs, "_count", lambda self, *run: made.append(run[0].method) or count(self, *run))
    assert list(measure(pair, prompts, kept=tmp_path, **options)) == [whole]
    assert made == ["autoregressive"] * 2
    with pytest.raises(PlaygroundError, match="max_new_tokens was 8 and is 9"):
        list(measure(pair, prompts, kept=tmp_path, **options | {"max_new_tokens": 9}))


def _cut_off(entry):
    if entry.method == "autoregressive":
        raise KeyboardInterrupt


def test_the_prompts_are_many_and_every_third_has_every_kind():
    rows = json.loads((PRESETS / "ninety.json").read_text())
    assert len({each["text"] for each in rows}) == len(rows) == 90
    for start in range(ONE_IN):
        assert {each["kind"] for each in rows[start::ONE_IN]} == {each["kind"] for each in rows}


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
    claim = Claim("one above the other", "", "", "block efficiency", (), ())
    row = _row(claim, (("a", {}), np.array(higher, dtype=float)), (("b", {}), np.array(lower, dtype=float)))
    assert row["verdict"] == verdict
    assert row["low"] <= row["difference"] <= row["high"]


def test_a_few_prompts_have_no_interval_and_no_verdict_beyond_chance():
    sides = [((name, {}), np.array([[numerator, 2.0]] * 4)) for name, numerator in (("a", 4.0), ("b", 3.0))]
    row = _row(Claim("one above the other", "", "", "block efficiency", (), ()), *sides)
    assert row["low"] is row["high"] is None
    assert row["verdict"] == "holds, on too few prompts to tell it from chance"


def test_both_sides_decode_the_same_prompts():
    """Plain decoding emits one token a call, so any draft at all is above it."""
    claim = Claim("drafts above none", "", "", "block efficiency", DRAFTS, (("autoregressive", {}),))
    (row,) = measure(Models.named().load(), ["Once upon a time", "The old house"], wanted=[claim], max_new_tokens=12)
    assert row["lower"]["value"] == 1
    assert row["higher"]["value"] > 1
    assert row["prompts"] == 2
