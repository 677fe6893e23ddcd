"""A race measures every method alike, and one that fails stops only itself."""

from statistics import median

import pytest

from playground.bench.grid import Grid, points
from playground.bench.race import _by_prompt, _numbers, _ratios, _speed_ups, in_turns, median_ratios, spread
from playground.bench.race import race as race_of
from playground.bench.rating import rated_against
from playground.decoding.method import make_method, methods
from playground.metrics.comparison import run_numbers
from playground.metrics.summary import summarise
from playground.models.loading import LoadedPair
from tests.decoding.runs import DRAFT, OTHERS, TARGET
from tests.metrics.traces import empty_trace
from tests.trace.example import autoregressive_trace, speculative_trace

PAIR = LoadedPair(TARGET, DRAFT, OTHERS)


def lineup(*choices, prompts=("ab", "ba"), repeats=1, seed=0, length=12):
    choices = tuple((each, {}) if isinstance(each, str) else each for each in choices)
    return Grid(choices, {}, tuple(prompts), tuple(range(seed, seed + repeats)), max_new_tokens=length)


def race(grid, **settings):
    return race_of(grid, pair=PAIR, **settings)


def test_every_method_gets_a_row_and_the_baseline_is_one():
    rows = race(lineup(*methods(), repeats=2))
    assert [row["method"] for row in rows] == list(methods())
    assert all(row["runs"] == 4 and "failed" not in row for row in rows)
    baseline = next(row for row in rows if row["method"] == "autoregressive")
    assert baseline["speed_up"]["median"] == 1 and baseline["speed_up"]["pairs"] == 4
    assert baseline["block_efficiency"]["median"] == 1 and baseline["mbsu"]["median"] == 1
    assert baseline["by_prompt"]["block_efficiency"] == {"0": 1, "1": 1}
    assert race(lineup("rsd_c"))[0]["speed_up"] is None, "without the baseline there is none"


def test_the_order_is_shuffled_by_the_first_seed():
    grid = lineup("autoregressive", "rsd_c", repeats=3)
    turns = in_turns(grid)
    assert turns == in_turns(grid) and sorted(turns, key=lambda point: point.run) == points(grid)
    labels = [point.label for point in turns]
    assert labels != sorted(labels) and labels != sorted(labels, reverse=True)


def test_a_method_that_fails_says_why_and_the_others_finish(monkeypatch):
    def broken(self, setting):
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr(type(make_method("rsd_c")), "draft", broken)
    rows = race(lineup("autoregressive", "rsd_c"))
    assert rows[0]["runs"] == 2
    options = rows[1].pop("options")
    assert rows[1] == {"label": "rsd_c", "method": "rsd_c", "failed": "ZeroDivisionError: on purpose"} and options


def test_a_method_may_run_with_several_options():
    choices = [("autoregressive", {}), ("rsd_s", {"width": 1}), ("rsd_s", {"width": 2})]
    rows = race(lineup(*choices, prompts=["ab"]))
    assert [row["label"] for row in rows] == ["autoregressive", "rsd_s width=1", "rsd_s width=2"]
    assert [row["method"] for row in rows] == ["autoregressive", "rsd_s", "rsd_s"]
    assert rows[2]["options"] == {"draft_length": 3, "width": 2}
    assert rows[1]["verified_nodes"]["median"] < rows[2]["verified_nodes"]["median"]


def test_beams_are_rated_against_plain_beams_of_their_width_and_law():
    choices = [("autoregressive", {}), ("beam_search", {}), ("beam_sampling", {"width": 2}), ("atspeed_strict", {})]
    choices += [("dsbd", {}), ("atspeed_relaxed", {}), ("mtad", {})]
    rows = {row["label"]: row for row in race(lineup(*choices, prompts=["ab"], length=6))}
    assert {label: row["against"] for label, row in rows.items()} == {
        "autoregressive": "autoregressive", "beam_search": "beam_search", "beam_sampling": "beam_sampling",
        "atspeed_strict": "beam_search", "dsbd": "beam_sampling", "atspeed_relaxed": None, "mtad": "autoregressive",
    }  # fmt: skip
    alone = rows["atspeed_relaxed"]
    assert all(row["unrated"] is None for row in rows.values() if row is not alone)
    assert alone["speed_up"] is None and alone["unrated"] == "beam sampling of width 4"
    assert rows["beam_search"]["speed_up"]["median"] == 1
    names = ("atspeed_strict", "beam_search", "dsbd", "beam_sampling")  # drafted beams are nobody's baseline
    entered = {name: make_method(name) for name in names} | {"wide": make_method("beam_search", {"width": 5})}
    rivals = [rated_against(method, entered) for method in entered.values()]
    assert rivals == ["beam_search", "beam_search", None, "beam_sampling", "wide"]
    assert rated_against(make_method("dsbd", {"width": 4}), entered) == "beam_sampling"


PROMPTS = ["ab", "ba", "aa", "bb", "abb"]


@pytest.mark.parametrize(("prompts", "repeats", "known"), [(1, 1, False), (1, 20, False), (4, 5, False), (5, 1, True)])
def test_few_prompts_have_no_interval_however_often_they_are_repeated(prompts, repeats, known):
    row = race(lineup("autoregressive", "rsd_c", prompts=PROMPTS[:prompts], repeats=repeats))[1]
    assert row["speed_up"]["pairs"] == prompts * repeats and row["speed_up"]["median"] > 0
    assert [row["speed_up"][end] is not None for end in ("low", "high")] == [known, known]


def on_prompts(ratios, repeats=1):
    return {(index, repeat): ratio for index, ratio in enumerate(ratios) for repeat in range(repeats)}


def interval(ratios, seed):
    return median_ratios({"rsd_c": ratios}, seed)["rsd_c"]


def test_the_interval_is_that_of_the_prompts_and_the_seed():
    """Percentiles of medians of prompts drawn anew: inside the ratios, and the same for the same seed."""
    ratios = [1.1, 1.3, 0.9, 1.2, 1.25, 1.05]
    result = interval(on_prompts(ratios), 7)
    assert result == interval(on_prompts(ratios), 7)
    assert result["median"] == pytest.approx(1.15) and result["pairs"] == 6
    assert min(ratios) <= result["low"] < result["median"] < result["high"] <= max(ratios)
    assert interval(on_prompts([2.0] * 5), 0) == {"median": 2, "low": 2, "high": 2, "pairs": 5}
    assert interval(on_prompts(ratios, 3), 7) == result | {"pairs": 18}


def test_the_intervals_of_a_race_hold_at_once_for_all_that_are_compared_and_for_nothing_else():
    """The baseline's ratio to itself is 1 in every run, and would only widen the intervals of the others."""
    steps = {"a": 1, "b": 7, "c": 11}
    speeds = {"plain": [100] * 20} | {
        label: [80 + prompt * step % 20 for prompt in range(20)] for label, step in steps.items()
    }
    runs = {
        label: {(prompt, 0): {"tokens_per_s": float(speed)} for prompt, speed in enumerate(each)}
        for label, each in speeds.items()
    }
    ratios = {label: _ratios(runs[label], runs["plain"]) for label in steps}
    speed_ups = _speed_ups(runs, dict.fromkeys(runs, "plain"), 0)
    assert {label: speed_ups[label] for label in steps} == median_ratios(ratios, 0)
    assert speed_ups["a"]["low"] < median_ratios({"a": ratios["a"]}, 0)["a"]["low"], "alone it has a narrower one"
    assert speed_ups["plain"] == {"median": 1, "low": 1, "high": 1, "pairs": 20}


def test_a_repeat_that_a_stop_cut_off_leaves_a_gap():
    ratios = on_prompts([1.1, 1.3, 0.9, 1.2, 1.25], 2)
    whole, cut = interval(ratios, 0), interval({key: ratios[key] for key in list(ratios)[:-1]}, 0)
    assert cut["pairs"] == 9 and cut["low"] == pytest.approx(whole["low"], abs=0.2) and cut["high"] <= 1.3


def test_every_run_is_handed_over_and_is_the_one_that_was_measured():
    grid, traces, message = lineup("autoregressive", "rsd_c", repeats=2, seed=7), {}, []
    rows = race(grid, keep=traces.__setitem__, progress=lambda at: message.append((at.done, at.total)))
    assert traces.keys() == {point.run for point in points(grid)}
    assert message == [(number, 8) for number in range(9)]
    assert all(traces[point.run].started.seed == point.seed for point in points(grid))
    for row in rows:
        rates = [summarise(traces[each.run])["tokens_per_s"] for each in points(grid) if each.label == row["label"]]
        assert row["tokens_per_s"]["median"] == pytest.approx(median(rates))


@pytest.mark.parametrize("after", [0, 1, 5])
def test_a_stopped_race_keeps_what_is_done(after):
    traces = {}
    grid = lineup("autoregressive", "rsd_c", repeats=4)
    rows = race(grid, keep=traces.__setitem__, stop=lambda: len(traces) >= after)
    assert len(traces) == after == sum(row["runs"] for row in rows)
    for row in rows:
        assert (row["tokens_per_s"] is None) == (row["runs"] == 0)


def test_a_run_that_stop_interrupts_is_not_kept():
    traces, run_request = {}, []

    def stop():
        run_request.append(None)
        return len(run_request) > 40  # the warm-up asks 13 times

    rows = race(lineup("autoregressive", prompts=["ab"], repeats=9), keep=traces.__setitem__, stop=stop)
    assert rows[0]["runs"] == len(traces) < 9
    assert all(trace.events[-1].finish_reason == "length" for trace in traces.values())


def test_a_pair_whose_baseline_wrote_nothing_has_no_ratio():
    runs = {(0, repeat): run_numbers(speculative_trace()) for repeat in (0, 1)}
    baseline = {(0, 0): run_numbers(empty_trace()), (0, 1): run_numbers(autoregressive_trace())}
    row, speed_up = _numbers(runs), interval(_ratios(runs, baseline), 0)
    assert (row["runs"], speed_up["pairs"]) == (2, 1)
    assert speed_up["median"] == pytest.approx((5 / 0.031) / (3 / 0.033))
    assert row["draft_s_per_token"] == {name: pytest.approx(0.008 / 5) for name in ("median", "low", "high")}


def test_a_spread_is_the_median_and_the_middle_half():
    assert spread([5.0, 1.0, 2.0, 9.0, 4.0]) == {"median": 4, "low": 2, "high": 5} and spread([]) is None


def test_a_prompt_has_the_mean_of_its_repeats():
    runs = {(0, 0): {"mbsu": 1.0}, (0, 1): {"mbsu": 3.0}, (1, 0): {"mbsu": None}}
    assert _by_prompt(runs, "mbsu") == {"0": 2.0}
