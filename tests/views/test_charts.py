import json

import pytest

from playground.metrics.acceptance import RoundAcceptance, acceptance_by_depth, acceptance_of
from playground.trace.events import Trace
from playground.views.charts import page_charts
from playground.views.run.acceptance_by_depth import depth_chart
from playground.views.run.accepted_per_round import rounds_in_words
from playground.views.run.time_per_round import seconds_in_words
from tests.metrics.traces import coinciding_trace, empty_trace, interrupted_trace
from tests.trace.example import autoregressive_trace, replace, speculative_trace


def test_the_empty_trace_has_charts_that_say_they_are_empty():
    charts = page_charts(empty_trace())
    assert [chart["summary"] for chart in charts] == [
        "No drafts were tested by their q.",
        "No drafts of a single text are finished yet.",
        "No round is finished yet.",
        "No round is finished yet.",
    ]
    assert all(not chart["bars"]["kinds"] and chart["rows"]["body"] == [] for chart in charts)
    depths, _, _, rounds, times = (chart["bars"] for chart in (depth_chart([]), *charts))
    assert [(each["empty"], each["y"]) for each in (depths, rounds, times)] == [
        ("No drafts were tested.", "acceptance (%)"),
        ("No round was finished.", "emitted tokens"),
        ("No round was finished.", "time (ms)"),
    ]


def test_the_charts_of_the_example_read_aloud():
    assert [chart["summary"] for chart in page_charts(speculative_trace())] == [
        "Of drafts with q 20–40% 100% were accepted (1 of 1) and with q 40–60% 67% were accepted (2 of 3).",
        "3 of 4 drafted depths were enough for the same text in 2 target calls: 1.5 a round, not 2.0 "
        "(counted). That is 2.17 tokens for the weights of one target call, not 2.08, and 29 ms, not 31 "
        "ms, all else equal (estimated). The best fixed length up to the run's own is 1: 1.82 "
        "(estimated). 1 of 2 drafts were accepted whole; longer ones might gain more.",
        "2 rounds emitted 5 tokens, 3 accepted drafts among them. "
        "Last tokens of a round: correction once and bonus once.",
        "2 rounds took 31 ms without prefill: 65% verifying, 26% drafting and 10% the rest.",
    ]


def test_the_tables_hold_the_numbers_of_the_charts():
    known, enough, rounds, times = (chart["rows"]["body"] for chart in page_charts(speculative_trace()))
    assert known[2] == ["40–60%", 3, 2, "67%", "21–94%", "68%"] and known[4][1:] == [0, 0, "–", "–", "–"]
    assert enough == [[1, 2, 1, "4.00", "2.00"], [2, 2, 2, "4.00", "0.00"]]
    assert rounds == [[1, 2, 2, 1, "correction", 2], [2, 2, 2, 2, "bonus", 3]]
    assert times[0] == [1, "10.00", "4.00", "1.00", "15.00"]


def test_the_chart_of_several_runs_counts_them_together():
    depths = depth_chart(acceptance_by_depth(speculative_trace()))
    assert depths["rows"]["body"][1] == [2, 2, 2, 1, "50%", "9–91%", "72%", "100%"]
    assert depths["summary"] == "Accepted: 3 of 4 positions reached (75%). By depth, from the first: 100%, 50%."
    assert depth_chart([])["summary"] == "No drafts were tested yet."
    rounds = speculative_trace().rounds
    twice = depth_chart(acceptance_of([*rounds, *rounds], "draws"))
    assert twice["summary"] == "Accepted: 6 of 8 positions reached (75%). By depth, from the first: 100%, 50%."


@pytest.mark.parametrize("trace", [empty_trace(), interrupted_trace(), speculative_trace(), autoregressive_trace()])
def test_charts_are_plain_json(trace):
    for chart in page_charts(trace):
        assert list(chart) == ["id", "title", "summary", "bars", "rows"]
        assert json.loads(json.dumps(chart, allow_nan=False)).keys() == chart.keys()
        for kind in chart["bars"]["kinds"]:
            assert len(kind["at"]) == len(kind["values"]) == len(kind["said"])
        assert all(len(row) == len(chart["rows"]["header"]) for row in chart["rows"]["body"])


def test_the_charts_of_fifty_rounds_stay_under_30_kb():
    bars = [chart["bars"] for chart in page_charts(_fifty_rounds())]
    assert len(json.dumps(bars)) < 30_000


def _fifty_rounds() -> Trace:
    start, *events = speculative_trace().events
    second = [event for event in events if getattr(event, "round", None) == 2]
    times = {"draft_s": 0.0123456, "verify_s": 0.0234567, "other_s": 0.0034567}
    rounds = [replace(event, round=number) for number in range(1, 51) for event in second]
    return Trace((start, *(replace(e, **times) if hasattr(e, "clock_s") else e for e in rounds)))


def test_the_bars_of_the_example_are_its_numbers():
    """By pencil; the intervals are Wilson's of 2 of 2, 1 of 2, 1 of 1 and 2 of 3."""
    charts = depth_chart(acceptance_by_depth(speculative_trace())), *page_charts(speculative_trace())
    depths, known, enough, rounds, times = (chart["bars"] for chart in charts)
    assert [kinds(chart) for chart in (depths, known, enough, rounds, times)] == [
        {"accepted / positions reached, with 95% interval": ([1, 2], [1.0, 0.5])},
        {"accepted / tested, with 95% interval": ([2, 3], [1.0, 0.6667])},
        {"enough": ([1, 2], [1, 2]), "too many": ([1], [1])},
        {"accepted draft": ([1, 2], [1, 2]), "correction": ([1], [1]), "bonus": ([2], [1])},
        {"verify": ([1, 2], [10, 10]), "draft": ([1, 2], [4, 4]), "the rest": ([1, 2], [1, 2])},
    ]
    assert [(chart["places"], chart["below"]) for chart in (depths, known)] == [
        ([1, 2], ["2/2", "1/2"]),
        ([1, 2, 3, 4, 5], ["0/0", "1/1", "2/3", "0/0", "0/0"]),
    ]
    assert [chart["share"] for chart in (depths, known, enough, rounds, times)] == [True, True, False, False, False]
    assert [chart["axis"] for chart in (depths, known, enough, rounds, times)] == ["depth", "q", *["round"] * 3]
    assert [chart["y"] for chart in (depths, known, enough, rounds, times)] == [
        "acceptance per position (%)", "acceptance per draw (%)", "drafted depths", "emitted tokens", "time (ms)",
    ]  # fmt: skip
    (counted,), (judged,) = depths["kinds"], known["kinds"]
    assert (counted["low"], counted["high"]) == ([0.3424, 0.0945], [1.0, 0.9055])
    assert (judged["low"], judged["high"]) == ([0.2065, 0.2077], [1.0, 0.9385])
    assert [depths["strokes"][name] for name in ("at", "values")] == [[1, 2], [0.9, 0.725]]
    assert depths["strokes"]["name"] == "overlap: mean of Σ min(p, q)"
    assert rounds["kinds"][1]["said"] == ["round 1, correction: 1; 2 drafted, 2 tested"]
    assert [known["strokes"][name] for name in ("at", "values")] == [[2, 3], [1.0, 0.6833]]
    assert known["labels"] == ["<20%", "<40%", "<60%", "<80%", "100%"]
    assert counted["said"][1].startswith("depth 2: 1 of 2 positions reached accepted (50.0%); 2 drafted; tested in")
    assert enough["kinds"][0]["said"] == [
        "round 1: 2 drafted, 1 would have been enough",
        "round 2: 2 drafted, all accepted",
    ]


def kinds(bars):
    return {kind["name"]: (list(kind["at"]), list(kind["values"])) for kind in bars["kinds"]}


def test_draws_that_were_drafted_are_told_apart_from_those_that_were_tested():
    depths, rounds = depth_chart(acceptance_by_depth(coinciding_trace())), page_charts(coinciding_trace())[2]
    assert depths["rows"]["body"] == [[1, 3, 2, 1, "100%", "21–100%", "60%", "100%"]]
    assert "; 3 drafted; tested in 100% of rounds" in depths["bars"]["kinds"][0]["said"][0]
    assert rounds["rows"]["body"] == [[1, 3, 2, 1, "bonus", 2]]
    assert "3 drafted, 2 tested" in rounds["bars"]["kinds"][0]["said"][0]


def test_plain_decoding_has_no_acceptance_rate_and_a_part_that_took_no_time_is_not_named():
    known, enough, rounds, times = page_charts(autoregressive_trace())
    assert known["summary"] == "No drafts were tested by their q."
    assert enough["summary"] == "No drafts of a single text are finished yet."
    assert rounds["summary"] == "3 rounds emitted 3 tokens. Nothing was drafted."
    assert times["summary"] == "3 rounds took 33 ms without prefill: 91% verifying and 9% the rest."
    assert kinds(rounds["bars"]) == {"plain": ([1, 2, 3], [1] * 3)}
    assert kinds(times["bars"]) == {"verify": ([1, 2, 3], [10] * 3), "the rest": ([1, 2, 3], [1] * 3)}


def test_rounds_without_drafts_among_others_are_rounds():
    plain = RoundAcceptance(1, 0, 0, 0, emitted_drafts=0, extras=("plain",), num_emitted=1)
    drafted = RoundAcceptance(2, 2, 2, 1, emitted_drafts=1, extras=("correction",), num_emitted=2)
    assert rounds_in_words([plain, drafted, replace(drafted, round=3)]) == (
        "3 rounds emitted 5 tokens, 2 accepted drafts among them. Last tokens of a round: correction 2 times "
        "and plain once."
    )
    untested = RoundAcceptance(1, 2, 0, 0, emitted_drafts=0, extras=("bonus",), num_emitted=1)
    assert rounds_in_words([untested]).startswith("1 round emitted 1 token, 0 accepted drafts among them.")
    cut = RoundAcceptance(1, 2, 2, 2, emitted_drafts=1, extras=(), num_emitted=1)
    assert rounds_in_words([cut]).endswith("1 accepted draft among them. Last tokens of a round: accepted draft once.")


@pytest.mark.parametrize(
    ("seconds", "said"), [(1.0, "1.00 s"), (0.999, "999 ms"), (0.0305, "30.5 ms"), (12.345, "12.35 s")]
)
def test_seconds_are_told_in_three_digits(seconds, said):
    assert seconds_in_words(seconds) == said
