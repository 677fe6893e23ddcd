"""One target, many drafters: what is counted, from runs whose numbers are known."""

import pytest

from playground.bench.entry import enter, read_choices
from playground.bench.prompts import read_kinds
from playground.makers.studies.drafters import METHODS, Tally, _tally, drafter_table, run_drafters
from playground.models.loading import LoadedPair
from playground.models.sampling import Sampling
from playground.trace.events import Trace
from tests.metrics.traces import coinciding_trace
from tests.models.small import random_model
from tests.trace.example import replace

PROMPTS = [("one", "5 7 11"), ("one", "3 3 3"), ("two", "8 9 8 9 8"), ("one", "1 2"), ("two", "4"), ("two", "6 6")]


def rows_of(methods, **sampling):
    target = random_model("llama", 1, lean=True)
    pair = LoadedPair(target, target, (random_model("llama", 2),))
    options = {"sampling": Sampling(**sampling), "max_new_tokens": 12}
    messages = []
    entries = enter(read_choices(methods))
    tallies = run_drafters(
        pair, entries, PROMPTS, seeds=(0, 1), settings=options, progress=lambda *at: messages.append(at)
    )
    assert messages[-1] == ((len(entries) + 1) * 12,) * 2  # plain decoding too
    return {(row["label"], row["kind"]): row for row in drafter_table(tallies, entries, PROMPTS)}


def test_a_drafter_that_is_the_target_has_all_accepted_and_costs_what_it_reads():
    rows = rows_of("speculative_sampling,speculative_sampling:drafter=exit1", temperature=1.0)
    whole = rows["speculative_sampling", "all"]
    assert whole["acceptance"] == 1 and whole["acceptance_interval"] == [1, 1]
    assert whole["block_efficiency"] == pytest.approx(12 / 3)  # rounds of five, five and two tokens
    assert whole["draft_cost"] == pytest.approx((4 + 4 + 1) / 3)
    assert whole["prompts"] == 6 and whole["runs"] == 12
    early = rows["speculative_sampling drafter=exit1", "all"]
    assert early["acceptance"] < 1 and early["draft_cost"] < 4 and early["drafter"] == "exit1"


def test_a_rule_that_tests_no_position_by_itself_has_no_acceptance():
    rows = rows_of("block_verification,traversal_verification,speculative_sampling")
    for label in ("block_verification", "traversal_verification"):
        row = rows[label, "all"]
        assert row["acceptance"] is row["acceptance_interval"] is None and row["block_efficiency"] > 1
    assert rows["speculative_sampling", "all"]["acceptance"] > 0


def test_kinds_add_up_and_few_prompts_have_no_interval():
    rows = rows_of("speculative_sampling:drafter=other,suffix_decoding")
    assert [kind for _, kind in rows] == ["all", "one", "two"] * 2
    assert rows["suffix_decoding", "all"]["draft_cost"] == 0
    for row in rows.values():
        assert (row["block_efficiency_interval"] is None) == (row["speed_up"]["low"] is None) == (row["prompts"] < 5)
        assert row["speed_up"]["pairs"] == row["runs"] == 2 * row["prompts"] and row["ms_per_token"]["median"] > 0
        if row["acceptance_interval"]:
            low, high = row["acceptance_interval"]
            assert 0 <= low <= row["acceptance"] <= high <= 1


def test_the_usual_entries_are_entries_and_presets_know_their_kinds():
    assert [entry.drafter for entry in enter(read_choices(METHODS))].count("draft") == 7
    kinds = read_kinds("ninety")
    assert len(kinds) == 90 and len({kind for kind, _ in kinds}) == 10
    assert {kind for kind, _ in read_kinds("quick")} == {"text"}


def test_a_table_of_runs_written_by_hand():
    """Five prompts, the last of another kind; each passes 3 of 4 positions and emits 7 tokens in 2 calls and 3.5 s."""
    one = Tally(passed=3, reached=4, emitted=7, calls=2, cost=0.5, drafted=6, seconds=3.5)
    slow = Tally(passed=1, reached=4, emitted=4, calls=2, cost=1.0, drafted=8, seconds=1.0)
    prompts = [("text", str(index)) for index in range(4)] + [("code", "4")]
    (entry,) = enter(read_choices("speculative_sampling"))
    runs = {(index, seed): one for index in range(4) for seed in (0, 1)} | {(4, 0): slow}
    tallies = {
        "speculative_sampling": runs,
        "autoregressive": dict.fromkeys(runs, replace(one, emitted=1, seconds=1.0)),
    }
    whole, text, code = drafter_table(tallies, [entry], prompts)
    assert [(row["kind"], row["prompts"], row["runs"]) for row in (whole, text, code)] == [
        ("all", 5, 9), ("text", 4, 8), ("code", 1, 1)
    ]  # fmt: skip
    assert (whole["acceptance"], text["acceptance"], code["acceptance"]) == (25 / 36, 0.75, 0.25)
    assert (whole["block_efficiency"], text["block_efficiency"], code["block_efficiency"]) == (60 / 18, 3.5, 2)
    assert (whole["draft_cost"], whole["drafted"]) == (pytest.approx(5 / 18), pytest.approx(56 / 18))
    low, high = whole["acceptance_interval"]  # resamples hold the last prompt up to four times, or never
    assert 0.25 < low < 25 / 36 < high == 0.75 and text["acceptance_interval"] is None
    assert (text["ms_per_token"]["median"], code["ms_per_token"]["median"]) == (500, 250)
    assert (text["speed_up"]["median"], code["speed_up"]["median"], whole["speed_up"]["pairs"]) == (2, 4, 9)
    assert whole["speed_up"]["low"] == whole["speed_up"]["median"] == 2


def test_what_a_run_comes_to():
    """Three draws at one position, two of them tested, one accepted, and a rule that never tests the others."""
    start, *events = coinciding_trace().events
    run = _tally(Trace((replace(start, tests="selected draws"), *events)))
    assert (run.passed, run.reached, run.emitted, run.calls, run.drafted, run.cost) == (1, 1, 2, 1, 3, 0.1)
    assert run.seconds == pytest.approx(0.013)
    prefixes = _tally(Trace((replace(start, tests="prefixes"), *events)))
    assert (prefixes.passed, prefixes.reached, prefixes.drafted) == (0, 0, 3)
