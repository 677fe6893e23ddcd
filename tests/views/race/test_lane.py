"""A lane says what its trace says: the same clocks, words and verdicts."""

import json
from itertools import pairwise

import pytest

from playground.trace import load
from playground.trace.events import Committed
from playground.views.race.lane import lane_data
from tests.metrics.traces import coinciding_trace, empty_trace, interrupted_trace
from tests.trace.example import autoregressive_trace, speculative_trace

RECORDED = ("autoregressive", "speculative_sampling", "rsd_s", "spectr", "beam_search", "dsbd")


def text_of(lane):
    words = []
    for each in lane["rounds"]:
        words = words[: each["num_kept"]] + [piece for piece, _ in each["words"]]
    return "".join(words)


def test_the_empty_trace_has_no_rounds_one_cut_short_is_left_out_and_plain_ones_have_no_tree():
    lane = lane_data(empty_trace())
    assert lane["rounds"] == [] and lane["seconds"] == 0 and lane["tokens"] == 0 and lane["tokens_per_s"] is None
    lane = lane_data(interrupted_trace())
    assert len(lane["rounds"]) == 1 and lane["reason"] is None and lane["tokens"] == 2
    for each in lane_data(autoregressive_trace())["rounds"]:
        assert each["states"] == "rp" and len(each["words"]) == 1


def test_the_example_round_by_round():
    lane = lane_data(speculative_trace())
    assert [each["clock_s"] for each in lane["rounds"]] == [0.015, 0.031]
    words = [[(" sat", "a"), (" up", "c")], [(" and", "a"), (" looked", "a"), (".", "b")]]
    assert [each["words"] for each in lane["rounds"]] == words
    # the frontier, two drafts in a chain, and the correction below the accepted one
    assert lane["rounds"][0]["parents"] == [-1, 0, 1, 1] and lane["rounds"][0]["states"] == "raxc"
    assert lane["rounds"][1]["parents"] == [-1, 0, 1, 2] and lane["rounds"][1]["states"] == "raab"
    assert (lane["tokens"], lane["seconds"], lane["budget"], lane["reason"]) == (5, 0.031, 5, "length")


def test_of_draws_that_coincide_the_verdict_that_says_most_is_shown():
    only = lane_data(coinciding_trace())["rounds"][0]
    assert only["parents"] == [-1, 0, 0, 2] and only["states"] == "rxab"


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_runs_give_their_clocks_and_their_text(name):
    trace = load(f"assets/traces/{name}.json.gz")
    lane = lane_data(trace)
    committed = [event for event in trace.events if isinstance(event, Committed)]
    assert [each["clock_s"] for each in lane["rounds"]] == [event.clock_s for event in committed]
    assert [each["draft_s"] for each in lane["rounds"]] == [event.draft_s for event in committed]
    assert text_of(lane) == trace.events[-1].text
    for each in lane["rounds"]:
        assert len(each["parents"]) == len(each["states"])
        assert all(parent < index for index, parent in enumerate(each["parents"]))
    assert len(json.dumps(lane, separators=(",", ":"))) < 20_000


def test_words_of_a_recorded_beam_search_are_taken_back():
    selected = [each["num_kept"] for each in lane_data(load("assets/traces/beam_search.json.gz"))["rounds"]]
    assert any(now <= before for before, now in pairwise(selected))
