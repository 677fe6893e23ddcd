"""Values that a page gets of a race, and its files, hold what was measured."""

import csv
import json
from types import SimpleNamespace
from urllib.parse import parse_qsl

import gradio as gr
import pytest

from playground.bench.prompts import use_kinds
from playground.bench.race import race_rows
from playground.metrics.summary import summarise
from playground.trace import validate
from playground.trace.events import Committed
from playground.ui.contract.from_page import ChoosePrompt, WatchLane
from playground.ui.page.files import shown_trace
from playground.ui.page.take_away import save
from playground.ui.runs.race import files as race_files
from playground.ui.runs.race import result as race_result
from playground.ui.runs.race.panel import _by_kind, lanes_value, typical_prompt
from playground.ui.runs.race.result import Result
from playground.ui.runs.race.runs import _OF_A_RUN, RaceRuns
from playground.ui.watch.form import WatchForm
from playground.ui.watch.shelf import open_in_watch
from playground.views.race.standings import COLUMNS
from tests.ui.contract.sent import event
from tests.ui.runs.race.races import LABELS, raced, setup


@pytest.fixture(scope="module")
def result():
    return Result(raced())


REQUEST = SimpleNamespace(session_hash="page")


def test_the_run_of_a_lane_is_the_median_repeat(result):
    for label in LABELS:
        for index in (0, 1):
            runs = [each for each in result.runs.numbers(label) if each["prompt"] == index + 1]
            median, lane = sorted(runs, key=lambda run: run["tokens_per_s"])[1], result.runs.lane(label, index)
            assert (lane["repeat"], lane["tokens_per_s"]) == (median["repeat"], median["tokens_per_s"])
            assert lane["repeats"] == 3


def test_replay_clocks_are_the_recorded_clocks(result):
    """To the last digit: what the lane shows is what the run of the same repeat recorded."""
    for label in LABELS:
        trace = result.runs.trace(label, 1)
        recorded = [each.clock_s for each in trace.events if isinstance(each, Committed)]
        shown = [each["clock_s"] for each in result.runs.lane(label, 1)["rounds"]]
        assert shown == pytest.approx(recorded, abs=1e-6) and len(shown) == len(recorded)


def test_the_value_is_plain_json_with_a_lane_per_entry(result):
    value = json.loads(json.dumps(result.value, allow_nan=False))
    assert [lane["label"] for lane in value["lanes"]] == LABELS and value["place"] in (0, 1)
    assert [row["label"] for row in value["standings"]["rows"]] == LABELS
    assert value["verdict"] and value["chart"]["figure"]["data"] and "18 measured runs" in value["conditions"]
    target, draft = (result.runs.conditions[role] for role in ("target", "draft"))
    assert draft["dtype"] and f"{draft['name']} in {draft['dtype']}" in value["conditions"]
    assert f"{target['name']} in {target['dtype']} with " in value["conditions"]


def test_the_replay_opens_on_the_prompt_that_ranks_as_the_race_does_and_others_say_who_wins_overall(monkeypatch):
    runs = raced()
    rows = race_rows(runs.grid, runs.rows)
    for row, median in zip(rows, (1.0, 2.0, 1.5), strict=True):
        row["speed_up"]["median"] = median
    rates = [dict(zip(LABELS, each, strict=True)) for each in ((100.0, 90.0, 150.0), (100.0, 180.0, 150.0))]
    monkeypatch.setattr(runs, "rates", lambda place: rates[place])
    assert typical_prompt(rows, runs) == 1 and lanes_value(rows, runs, 1)["lanes_note"] == ""
    assert lanes_value(rows, runs, 0)["lanes_note"] == (
        "On this prompt RSD-S (beam width 2) is first; over all 2 Speculative sampling has the best median."
    )
    rates[1] = {LABELS[1]: 180.0}
    assert typical_prompt(rows, runs) == 0, "most entries ran there, though in another order"


def test_of_each_kind_of_prompt_the_fastest_and_the_slowest_are_said_with_their_median_ratios():
    """Plain decoding has 100 tokens/s; a kind has the median over its prompts, of which a third has no plain run."""
    kinds = use_kinds()
    questions, edits = ([prompt for prompt, of in kinds.items() if of == kind] for kind in ("question", "edit"))
    runs = RaceRuns(setup(prompts=(*questions[:2], *edits[:2]), repeats=1))
    plain, chain, tree = LABELS
    rates = {plain: (100, 100, 100, None), chain: (150, 250, 80, 900), tree: (120, 140, 160, 800)}
    runs.rows = [
        {"label": label, "prompt": at, "repeat": 1, "run": 10 * at + i, "tokens_per_s": rate}
        for i, (label, of_label) in enumerate(rates.items())
        for at, rate in enumerate(of_label, 1)
        if rate
    ]
    names = runs.grid.names()
    question, edit = _by_kind(runs)
    said = [f"{names[chain]['title']} is fastest (2.00×)", f"{names[tree]['title']} slowest (1.30×)"]
    assert question.startswith("On 2 questions") and all(each in question for each in said)
    said = [f"{names[tree]['title']} is fastest (1.60×)", f"{names[chain]['title']} slowest (0.80×)"]
    assert all(each in edit for each in said)


def test_another_prompt_changes_only_the_lanes(result):
    other = result.on_prompt(1 - result.value["place"])
    assert {name for name in other if other[name] != result.value[name]} - {"lanes_note"} == {"place", "lanes"}
    assert race_result.choose_prompt(result, event(ChoosePrompt(1)))["place"] == 1


def test_a_prompt_that_is_not_there_changes_nothing(result):
    assert race_result.choose_prompt(result, event(ChoosePrompt(2))) == gr.skip()
    assert race_result.choose_prompt(None, event(ChoosePrompt(0))) == gr.skip()


def test_a_lanes_run_opens_in_the_player(result):
    value, tabs, message, said, filled, *controls = open_in_watch(
        REQUEST, lambda: race_result.watch_lane(result, event(WatchLane("rsd_s", 1)))
    )
    trace = shown_trace(value)
    validate(trace)
    assert summarise(trace)["tokens_per_s"] == pytest.approx(result.runs.lane("rsd_s", 1)["tokens_per_s"], rel=1e-4)
    assert tabs.selected == "watch" and "RSD-S" in message["text"]
    assert value["made_here"], "the page may explain why this run is not faster"
    started, form = trace.started, WatchForm(*controls)
    assert "RSD-S" in said["text"] and filled["prompt"] == form.prompt == started.prompt
    assert (form.method, form.seed, form.tokens) == (started.method, started.seed, started.max_new_tokens)
    link = dict(parse_qsl(value["link"]["setup"]))
    assert WatchForm.read_link(link)["method"] == "rsd_s", "its link makes the run again"


@pytest.mark.parametrize("lane", [WatchLane("nobody", 0), WatchLane("rsd_s", 9)])
def test_a_run_that_is_not_there_is_said(result, lane):
    value, tabs, message, *of_watch = open_in_watch(REQUEST, lambda: race_result.watch_lane(result, event(lane)))
    assert value == tabs == gr.skip() and message["kind"] == "error"
    assert all(each == gr.skip() for each in of_watch)


def test_the_csv_file_has_every_number_of_the_table():
    """Five prompts: fewer have no interval."""
    result = Result(raced(setup(repeats=1, prompts=("ab", "ba", "aa", "bb", "abb", "bba", "aba"))))
    path = race_files.write_csv(result)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["entry"] for row in rows] == LABELS and path.name == "race.csv"
    for written, row in zip(rows, result.rows, strict=True):
        assert float(written["speed_up (measured)"]) == row["speed_up"]["median"]
        assert float(written["speed_up low"]) == row["speed_up"]["low"]
        assert written["joules_per_token (measured)"] == "" or row["joules_per_token"]
        assert float(written["target_calls (counted)"]) == row["target_calls"]["median"]
    assert all(f"{column.id} ({column.kind})" in rows[0] for column in COLUMNS)
    for written, entry in zip(rows, result.setup.entries, strict=True):
        assert written["method"] == entry.method
        assert all(float(written[name]) == value for name, value in entry.options.items())


def test_the_latex_table_has_a_line_for_each_entry(result):
    lines = race_files.write_latex(result).read_text().splitlines()
    body = lines[lines.index("\\midrule") + 1 : lines.index("\\bottomrule")]
    assert len(body) == len(result.rows) and all(line.count(" & ") == 5 and line.endswith(r" \\") for line in body)
    assert lines[0].startswith("% 18 runs, ") and lines[-1] == "\\end{tabular}"


def test_the_json_file_has_the_setup_the_rows_and_every_run(result):
    content = json.loads(race_files.write_json(result).read_text())
    assert content["setup"]["prompts"] == ["ab", "ba"] and content["setup"]["repeats"] == 3
    assert [row["label"] for row in content["rows"]] == LABELS
    assert len(content["runs"]) == 18 and {run["repeat"] for run in content["runs"]} == {1, 2, 3}
    assert content["conditions"]["machine"] and content["conditions"]["draft"]


def test_saving_says_what_came_of_it(result, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device", "/of/the/server/race.csv")

    for write, shown, said in (
        (race_files.write_csv, result, "Saved race.csv"),
        (race_files.write_csv, None, "Nothing was saved. Press Race."),
        (full, result, "Nothing was saved. No space left on device"),
    ):
        button, message = save(write, "race", shown)
        assert said in message["text"] and bool(button.value) == said.startswith("Saved")
        assert "/of/the/server" not in message["text"]
    assert race_result.may_save_chart(None)["kind"] == "error" and race_result.may_save_chart(result)["kind"] == "quiet"


def test_plain_decoding_is_timed_by_the_runs_that_have_one_of_the_entry_beside_them():
    """10 tokens in 1 s beside a run of the entry, 10 in 9 s beside none, and one that wrote nothing in 5 s."""
    runs = RaceRuns(setup())
    plain = {(1, 1): (10, 1.0), (1, 2): (10, 9.0), (2, 1): (0, 5.0)}
    blank = dict.fromkeys(_OF_A_RUN)
    runs.rows = [
        blank | {"label": label, "prompt": prompt, "repeat": repeat, "num_tokens": tokens, "seconds": seconds}
        for label, measured in (("autoregressive", plain), ("rsd_s", dict.fromkeys([(1, 1), (2, 1)], (7, 2.0))))
        for (prompt, repeat), (tokens, seconds) in measured.items()
    ]
    assert runs.plain_s("rsd_s") == 0.1 and runs.plain_s("autoregressive") == 0.5 and runs.plain_s("nobody") is None


def test_an_entry_without_a_run_on_the_prompt_has_an_empty_lane():
    runs = raced(setup(prompts=("ab",)))
    value = Result(RaceRuns(runs.grid), race_rows(runs.grid, runs.rows)).value
    assert all(lane["run"] is None and lane["failed"] is None for lane in value["lanes"])
