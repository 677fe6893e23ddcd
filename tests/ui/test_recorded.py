"""A recording opens as it was, or is refused in a sentence that names the pair it belongs to."""

import gzip
import json
from functools import partial
from types import SimpleNamespace
from urllib.parse import parse_qsl

import gradio as gr
import pytest

from playground.bench.grid import points
from playground.bench.settings import median_run
from playground.errors import PlaygroundError
from playground.models.bundled import pair_in
from playground.paths import ASSETS
from playground.trace.storage import load
from playground.ui import recorded as recorded_file
from playground.ui.contract.from_page import ExplainRow, WatchLane
from playground.ui.live import turns
from playground.ui.page.model_chooser import BUNDLED, REAL
from playground.ui.recorded import KINDS, file_of, kind_of, rated
from playground.ui.runs.race import result as race_result
from playground.ui.runs.race import why as race_why
from playground.ui.runs.race.link import make_link as race_link
from playground.ui.runs.race.recorded import open_race, read_race, write_race
from playground.ui.runs.race.result import Result
from playground.ui.runs.race.setup import first_form
from playground.ui.runs.sweep.panel import sweep_value
from playground.ui.runs.sweep.ready import READY
from playground.ui.runs.sweep.recorded import open_sweep, read_sweep, write_sweep
from playground.ui.runs.sweep.saved_sweep import SavedSweep
from playground.ui.runs.sweep.shelf import make_link as sweep_link
from playground.ui.runs.sweep.watch import RECORDED, run_of
from playground.views.plain_beside import clocks, compared
from tests.ui.contract.sent import event
from tests.ui.runs.race.races import LABELS, raced
from tests.ui.runs.sweep.sweeps import GRID, swept

CHAT_RACE = kind_of("race", REAL)
LARGEST = {"race": 500_000, "sweep": 200_000, CHAT_RACE: 1_000_000}  # bytes
READERS = {"race": read_race, "sweep": read_sweep, CHAT_RACE: partial(read_race, pair=REAL)}
OPENERS = {"race": open_race, "sweep": open_sweep}


@pytest.fixture(scope="module")
def race():
    return raced()


@pytest.fixture
def kept_race(race, tmp_path):
    path = tmp_path / "race.json.gz"
    write_race(path, Result(race))
    return path


def request(**query):
    return SimpleNamespace(query_params=query, session_hash="page")


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_kept_is_small_and_of_this_pair_or_refused_by_its_name(kind):
    path = file_of(kind)
    assert path.stat().st_size < LARGEST[kind]
    try:
        result = READERS[kind](path)
    except PlaygroundError as error:
        assert "was recorded with" in str(error)
    else:
        value = result.value if isinstance(result, Result) else sweep_value(result)
        assert value["recorded"].startswith("Recorded on ")
        assert kind == CHAT_RACE or pair_in() in result.recorded


def test_compare_opens_on_the_chat_models_race_where_the_page_opens_on_that_model(monkeypatch):
    """It has what the form makes again, and says of edits, code and questions who wins and who loses."""
    monkeypatch.setattr("playground.ui.runs.race.recorded.pair_of_opening", lambda: REAL)
    panel, _, result = open_race(request(), None)
    assert result.setup.pair == REAL and len(result.setup.prompts) == first_form(REAL).prompts
    assert sum(said.startswith("On 3 ") for said in panel["verdict"]) == 3
    assert panel["conditions"].count("SmolLM2") and pair_in() not in panel["recorded"]
    assert all(lane["run"] for lane in panel["lanes"])


@pytest.mark.parametrize("pair", [BUNDLED, REAL])
@pytest.mark.parametrize(("kind", "tab"), [("race", "compare"), ("sweep", "sweep")])
def test_a_tab_opens_on_what_is_kept_though_the_address_names_the_form_it_opens_on(kind, tab, pair, monkeypatch):
    """A tab that is opened writes its form into the address, before it asks for what is kept."""
    monkeypatch.setattr(f"playground.ui.runs.{kind}.recorded.pair_of_opening", lambda: pair)
    form = first_form(pair) if kind == "race" else READY[0].form_for(pair)
    link = (race_link if kind == "race" else sweep_link)(form)
    query = dict(parse_qsl(link.removeprefix("?")))
    assert OPENERS[kind](request(**query, language="de"), None)[2] != gr.skip()
    assert OPENERS[kind](request(**query | {"temperature": "0.3"}), None) == (gr.skip(),) * 3
    assert query["tab"] == tab


@pytest.mark.parametrize("kind", OPENERS)
def test_a_tab_opens_on_what_is_kept_but_not_over_what_is_there_or_was_asked_for(kind):
    open_tab, nothing = OPENERS[kind], (gr.skip(),) * 3
    panel, message, result = open_tab(request(), None)
    assert panel == gr.skip() or (panel[kind] and panel["recorded"] and result is not None)
    assert (panel == gr.skip()) == (message != gr.skip())
    assert open_tab(request(tab="watch", seed="7"), None)[2] is result
    tab = {"race": "compare", "sweep": "sweep"}[kind]
    assert open_tab(request(tab=tab, __theme="dark"), None)[2] is result
    assert open_tab(request(tab=tab, tokens="8"), None) == nothing
    assert open_tab(request(), result or 1) == nothing
    turns.ask("page", "run")
    assert open_tab(request(), None)[2] is result, "a run that goes on is shown in Watch"
    turns.leave("page")
    turns.ask("page", kind)
    assert open_tab(request(), None) == nothing


def test_a_race_comes_back_with_its_lanes_its_table_and_runs_to_watch(race, kept_race):
    there, back = Result(race), read_race(kept_race)
    for name in ("verdict", "conditions", "prompts", "place", "lanes", "lanes_note", "energy", "chart"):
        assert json.loads(json.dumps(back.value[name])) == json.loads(json.dumps(there.value[name])), name
    assert back.setup.names() == there.setup.names() and back.runs.numbers() == there.runs.numbers()
    run = race_result.watch_lane(back, event(WatchLane(LABELS[2], 1)))
    assert "RSD-S" in run.notice["text"] and not run.made_here
    assert back.runs.trace(LABELS[2], 1) == there.runs.trace(LABELS[2], 1)


def test_a_recorded_race_is_named_as_one_and_asked_why_its_runs_are_made_again(kept_race, monkeypatch):
    outcome = read_race(kept_race)
    assert outcome.value["recorded"].startswith("Recorded on ") and pair_in() in outcome.value["recorded"]
    monkeypatch.setattr(race_why, "explanation", lambda result, label: {"try": None, "verdict": label})
    assert "made again here" in race_why.explain_row(outcome, event(ExplainRow(LABELS[1])))[1]["text"]
    assert not Result(outcome.runs, outcome.rows).value["recorded"]


def test_a_sweep_comes_back_with_its_charts_and_the_runs_of_its_points(tmp_path):
    there, path = swept(), tmp_path / "sweep.json.gz"
    write_sweep(path, there)
    back = read_sweep(path)
    value, before = sweep_value(back), sweep_value(there)
    assert {name for name in value if value[name] != before[name]} <= {"sweep", "recorded", "notes"}
    assert back.is_whole and value["recorded"].startswith("Recorded on ")
    setting = value["settings"][0]
    trace, message = run_of(back, setting["run"], lambda: pytest.fail("it is not made again"))
    assert message == RECORDED and trace.finished
    assert median_run([row for row in back.rows if row["label"] == setting["label"]])["run"] == setting["run"]


def test_a_sweep_of_which_every_run_failed_is_not_kept_with_the_page(tmp_path):
    saved_sweep = SavedSweep(tmp_path, {}, GRID, [point.as_dict() | {"failed": "It broke."} for point in points(GRID)])
    with pytest.raises(PlaygroundError, match="Every run of the sweep failed"):
        write_sweep(tmp_path / "sweep.json.gz", saved_sweep)


DAMAGED = {  # by name: gzip's bytes hold the time, and two workers must call one test alike
    "empty": b"",
    "no gzip": b"nonsense",
    "a list": gzip.compress(b"[]"),
    "no race": gzip.compress(b'{"format": 1}'),
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_file_is_refused_in_a_sentence(tmp_path, content):
    path = tmp_path / "race.json.gz"
    path.write_bytes(content)
    with pytest.raises(PlaygroundError, match=r"cannot be read\. Press Race"):
        read_race(path)


def test_another_kind_another_pair_and_no_file_are_refused_by_name(kept_race, tmp_path, monkeypatch):
    with pytest.raises(PlaygroundError, match=r"cannot be read\. Press Sweep"):
        read_sweep(kept_race)
    with pytest.raises(PlaygroundError, match=r"No sweep comes with the page\. Press Sweep"):
        read_sweep(tmp_path / "nowhere")
    monkeypatch.setattr(recorded_file, "pair_in", lambda *_: "another")
    message = rf"recorded with {pair_in()}, not with another"
    with pytest.raises(PlaygroundError, match=message):
        read_race(kept_race)


@pytest.mark.parametrize("name", ["opening", "opening_smollm2", "edit_smollm2"])
def test_an_opening_run_is_rated_as_its_own_end_says(name):
    """The run that is kept is the turn of the median, so the ratio of the two clocks is that median."""
    trace = load(ASSETS / "traces" / f"{name}.json.gz")
    plain = clocks(name, trace)["plain"]
    seconds_a_token = trace.rounds[-1].committed.clock_s / trace.finished.num_tokens
    rating = rated(name)
    assert rating["median"] == pytest.approx(plain[-1] / len(plain) / seconds_a_token, rel=1e-4)
    assert rating["low"] <= rating["median"] <= rating["high"]


def test_any_other_run_is_rated_by_the_turns_that_were_timed_later():
    timed = compared()["rsd_s"]
    assert rated("rsd_s") == {end: timed[end] for end in ("median", "low", "high")}
    assert rated("autoregressive") is None
