"""Sweeps, races and comparisons in which any runs failed, up to all of them: every view of them can be drawn."""

import json
from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as some

from playground.bench.grid import points
from playground.bench.race import in_turns
from playground.bench.sweep import plan, row_of
from playground.errors import PlaygroundError
from playground.papers.as_in_paper import reproduce
from playground.papers.presets import find_preset, presets
from playground.ui.runs.race import files as race_files
from playground.ui.runs.race.recorded import read_race, write_race
from playground.ui.runs.race.result import Result
from playground.ui.runs.race.runs import RaceRuns
from playground.ui.runs.sweep.panel import sweep_value
from playground.ui.runs.sweep.saved_sweep import SavedSweep, open_files, write_csv, write_jsonl
from playground.ui.runs.sweep.watch import run_of
from playground.views.race.tables import markdown, plain_text
from playground.views.reproduction import reproduction_charts
from tests.papers.test_as_in_paper import rows_of
from tests.ui.runs.race.races import LABELS, raced, setup
from tests.ui.runs.sweep.sweeps import GRID, PAIR, swept
from tests.views.rows import failed

WHY = "The device ran out of memory. Choose a shorter text."
SETTINGS = list(dict.fromkeys(point.label for point in points(GRID)))
PROMPTS = ("ab", "ba", "aa", "bb", "abb")  # enough for an interval
RUNS = in_turns(setup(prompts=PROMPTS, repeats=2))
MEASURES = [name for name, value in rows_of("mtad-table7")[0].items() if isinstance(value, dict) and "median" in value]


def fates(keys):
    """For each key whether it succeeded (1), failed (0) or, of a race, was never reached (-1)."""
    return some.lists(some.sampled_from((1, 1, 0, -1)), min_size=len(keys), max_size=len(keys))


def plain(value):
    """As the page is sent it."""
    return json.loads(json.dumps(value, allow_nan=False))


@pytest.fixture(autouse=True, scope="module")
def own_folder(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLAYGROUND_SWEEPS", str(tmp_path_factory.mktemp("sweeps")))
        yield


@cache
def whole_sweep():
    return swept()


@cache
def race_traces():
    runs = raced(setup(prompts=PROMPTS, repeats=2))
    return {row["run"]: runs._trace(row) for row in runs.rows}


@given(some.sets(some.sampled_from(SETTINGS)), fates(points(GRID)))
@example(set(), [1] * 24)
@example(set(SETTINGS), [1] * 24)
@example({SETTINGS[0]}, [1] * 24)
@example({SETTINGS[-1]}, [1] * 24)
def test_a_setting_that_failed_stands_in_the_table_with_its_sentence_and_in_no_chart(settings, fates):
    whole = whole_sweep()
    rows = []
    for point, row, fate in zip(points(GRID), whole.rows, fates, strict=True):
        if point.label in settings or fate == 0:
            rows.append(point.as_dict() | {"failed": WHY})
        elif fate == 1:
            rows.append(row)
    saved_sweep = SavedSweep(whole.folder, plan(GRID, PAIR, "local", 1), GRID, rows)
    value = plain(sweep_value(saved_sweep))
    charts = json.dumps(value["charts"])
    for setting in value["settings"]:
        of_it = [row for row in rows if row["label"] == setting["label"]]
        all_failed = all("failed" in row for row in of_it)
        assert setting["failed"] == (WHY if all_failed else None)
        assert len(setting["runs"]) == len(of_it)
        assert (json.dumps(setting["title"]) in charts) != all_failed
        assert not (all_failed and setting["fronts"])
    opened = open_files([str(write_jsonl(saved_sweep))])
    assert [row["run"] for row in opened.rows] == [row["run"] for row in rows]
    assert len(write_csv(saved_sweep).read_text().splitlines()) == 1 + len(rows)
    with pytest.raises(PlaygroundError):
        run_of(saved_sweep, next((row["run"] for row in rows if "failed" in row), None), lambda: PAIR)


@given(fates(RUNS))
@example([0] * len(RUNS))
@example([-1] * len(RUNS))
@example([0] * 10 + [1] * 20)
@example([1] * 20 + [0] * 10)
def test_a_race_in_which_runs_failed_is_shown_and_saved(tmp_path_factory, fates):
    runs, outcomes, traces = RaceRuns(setup(prompts=PROMPTS, repeats=2)), list(zip(RUNS, fates, strict=True)), []
    for point, fate in outcomes:
        if fate == 1:
            traces.append(trace := race_traces()[point.run])
            runs.append(row_of(point, trace) | runs.save_trace(point.run, trace))
        elif fate == 0:
            runs.append(point.as_dict() | {"failed": WHY})
    result = Result(runs)
    rows = result.rows
    value = plain(result.value)
    for index in range(5):
        plain(result.on_prompt(index))
    has_failed = {label: any(fate == 0 and run.label == label for run, fate in outcomes) for label in LABELS}
    for entry in value["standings"]["rows"]:
        assert entry["failed"] == (WHY if has_failed[entry["label"]] else None)
    said = " ".join(value["verdict"])
    assert said.count(WHY) == sum(has_failed.values())
    assert not (has_failed["autoregressive"] and "ms in all" in said)
    charted = {bar[0] for bar in value["chart"]["rows"]["body"]}
    charted |= {bar["title"] for bar in (value["energy"] or {"bars": []})["bars"]}
    assert not charted & {row["title"] for row in value["standings"]["rows"] if row["failed"]}
    assert plain_text(rows)
    if traces:
        assert markdown(rows, traces[0].started, num_prompts=5, repeats=2)
        path = tmp_path_factory.mktemp("recorded") / "race.json.gz"
        write_race(path, result)
        assert plain(read_race(path).value)["verdict"] == value["verdict"]
    assert len(race_files.write_csv(result).read_text().splitlines()) == 1 + len(rows)
    assert plain(json.loads(race_files.write_json(result).read_text()))["rows"] == plain(rows)


@given(some.sampled_from(sorted(presets())), some.data())
def test_a_papers_comparison_is_drawn_whatever_of_it_failed_or_is_blank(name, data):
    preset, rows = find_preset(name), rows_of(name)
    for index, row in enumerate(rows):
        match data.draw(some.sampled_from(("whole", "failed", "blank", "absent"))):
            case "failed":
                saved_sweep = failed(row["method"], WHY)
                rows[index] = saved_sweep | {"label": row["label"], "options": row["options"]}
            case "blank":
                rows[index] = row | dict.fromkeys(data.draw(some.sets(some.sampled_from(MEASURES), min_size=1)))
            case "absent":
                rows[index] = row | {"runs": 0} | dict.fromkeys(MEASURES)
    result = plain(reproduce(preset, rows, preset.conditions()))
    plain(reproduction_charts(result["panels"]))
    assert sum(WHY.rstrip(".") in each for each in result["missing"]) == sum("failed" in row for row in rows)
