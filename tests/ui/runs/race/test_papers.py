"""A paper's comparison on the page: what a click sets up is what the preset says, and the result names its paper."""

import re

import gradio as gr
import pytest

from playground.papers.preset import conditions_of
from playground.papers.presets import find_preset, presets
from playground.ui.contract.from_page import ExplainRow
from playground.ui.runs.race import lineup
from playground.ui.runs.race import papers as race_papers
from playground.ui.runs.race import why as race_why
from playground.ui.runs.race.papers import leave_paper, preset_values, set_up
from playground.ui.runs.race.result import Result
from playground.ui.runs.race.runs import RaceRuns
from playground.ui.runs.race.setup import RaceForm, race_setup
from playground.words import Word
from tests.ui.contract.sent import event
from tests.ui.live.measured import measure_briefly
from tests.ui.runs.race.races import raced, setup
from tests.ui.runs.sweep.sweeps import PAIR

MTAD = [("autoregressive", {}), *find_preset("mtad-table7").choices[:2]]


@pytest.mark.parametrize("preset", presets().values(), ids=presets())
def test_a_click_sets_up_what_the_preset_asks_for_and_the_page_has_words_for_it(preset):
    request = race_setup(RaceForm(**preset_values(preset.id)))
    wanted = [(entry.method, entry.options) for entry in preset.entries()]
    assert [(entry.method, entry.options) for entry in request.entries] == wanted
    assert conditions_of(request) == preset.conditions() and request.paper == preset.id
    runs = len(preset.choices) * preset.num_prompts * preset.repeats
    assert runs < preset.num_runs <= runs + preset.num_prompts * preset.repeats
    assert f"{preset.num_runs} runs" in race_papers.about(preset.id)
    reduced = race_papers.reduced_of(preset)
    assert race_papers.title_of(preset) == preset.title and reduced == preset.reduced
    assert all(isinstance(each, Word) for each in reduced.values[" "])


def test_models_and_seed_stay_as_they_are():
    message, leave, *controls = set_up("mtad-table7")
    form = RaceForm(*controls)
    assert form.paper == "mtad-table7" and "MTAD, Table 7" in message["text"] and leave.visible
    assert len(form.methods.value) == 4 and form.tokens == 64
    assert form.pair == form.target == form.draft == form.seed == gr.skip()
    assert leave_paper()[0] == ""


def test_a_race_stands_beside_its_paper_only_if_it_is_the_papers():
    outcome = Result(raced(setup(MTAD, paper="mtad-table7"))).value["beside"]
    assert outcome["preset"] == "mtad-table7" and outcome["panels"][0]["reported"] and not outcome["charts"]
    assert "2 of its 5 entries were not in the race" in outcome["missing"][0]
    assert Result(raced(setup(MTAD))).value["beside"] is None
    assert Result(raced(setup(paper="mtad-table7"))).value["beside"] is None


def test_a_ratio_beside_the_paper_is_that_of_its_lane():
    choices = [choice for choice in find_preset("atspeed-table1").choices if 1 in choice[1].values()]
    outcome = Result(raced(setup([("autoregressive", {}), *choices], paper="atspeed-table1")))
    lanes = {row["method"]: row["speed_up"]["median"] for row in outcome.rows if row.get("against")}
    over = {row["method"]: row["cells"][0] for row in outcome.value["beside"]["panels"][0]["measured"]}
    assert over["atspeed_strict"]["value"] == lanes["atspeed_strict"]


def test_a_papers_race_that_was_stopped_says_what_is_missing():
    runs = RaceRuns(setup(MTAD, paper="mtad-table7"))
    list(runs.make(PAIR, lambda: len(runs.rows) >= 4))
    missing = Result(runs).value["beside"]["missing"]
    assert [each for each in missing if re.fullmatch(r"Only 4 of \d+ runs were finished, so .*", each)], missing


def test_a_large_race_replays_the_fastest_of_each_method():
    trees = [("rsd_s", {"width": 1 + i % 5, "draft_length": 1 + i // 5}) for i in range(25)]
    result = Result(raced(setup([("autoregressive", {}), *trees], prompts=("ab",), repeats=1)))
    fastest = max((row for row in result.rows if row["method"] == "rsd_s"), key=lambda row: row["speed_up"]["median"])
    assert [lane["label"] for lane in result.value["lanes"]] == ["autoregressive", fastest["label"]]
    assert result.value["lanes_note"].startswith("2 of 26 entries") and len(result.value["standings"]["rows"]) == 26


@pytest.fixture(scope="module")
def result():
    return Result(raced())


def explained(result, label):
    return race_why.explain_row(result, event(ExplainRow(label)))


@pytest.mark.slow
def test_a_row_is_explained_by_all_its_runs(result, monkeypatch):
    """The measured speed-up of the panel is the ratio of totals over the same prompts, seeds and repeats."""
    measure_briefly(monkeypatch)
    outcome, message, _, _ = explained(result, "speculative_sampling")
    runs = [result.runs.numbers(label) for label in ("speculative_sampling", "autoregressive")]
    rate, plain = (sum(r["num_tokens"] for r in each) / sum(r["seconds"] for r in each) for each in runs)
    assert f"{rate / plain:.2f}x the speed of plain decoding" in outcome["verdict"]
    assert "6 runs of this race" in message["text"]
    assert [chart["id"] for chart in outcome["charts"]][-1] == "acceptance_by_depth"
    assert any("cost ratio" in name for name, _ in outcome["facts"])


def test_a_better_length_is_raced_against_the_row(result, monkeypatch):
    monkeypatch.setattr(race_why, "explanation", lambda *_: {"try": 7})
    _, _, button, both = explained(result, "rsd_s")
    assert button.visible and both == ["rsd_s:width=2", "rsd_s:draft_length=7:width=2"]
    line_up, preset, *_ = race_why.race_both(both)
    assert line_up.value == both and preset == "" and len(lineup.entries(both)) == 3


def test_a_row_that_is_not_there_is_said(result):
    outcome, message, button, both = explained(result, "nobody")
    assert outcome is None and message["kind"] == "error" and not button.visible and both == []
    assert explained(None, "rsd_s")[1]["kind"] == "error"


def test_whatever_breaks_becomes_a_sentence(result, monkeypatch):
    monkeypatch.setattr(race_why, "explanation", lambda *_: 1 // 0)
    assert "broke off (ZeroDivisionError)" in explained(result, "rsd_s")[1]["text"]
