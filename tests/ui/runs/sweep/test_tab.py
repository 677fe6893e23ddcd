"""The Sweep tab's handlers, called as plain functions."""

from dataclasses import replace
from types import SimpleNamespace
from urllib.parse import parse_qsl

import gradio as gr
import pytest

from playground.bench.settings import by_setting, median_run
from playground.models.sampling import Sampling
from playground.ui.contract.from_page import WatchPoint
from playground.ui.live import turns
from playground.ui.page import job as page_job
from playground.ui.page.files import shown_trace
from playground.ui.page.form import Checked
from playground.ui.page.prompt_chooser import FILE
from playground.ui.runs.sweep import pace as sweep_pace
from playground.ui.runs.sweep import shelf
from playground.ui.runs.sweep import tab as sweep
from playground.ui.runs.sweep import watch as sweep_watch
from playground.ui.runs.sweep.names import labels_in_words, setting_names
from playground.ui.runs.sweep.panel import sweep_value
from playground.ui.runs.sweep.ready import READY
from playground.ui.runs.sweep.saved_sweep import SavedSweep, new_folder, write_jsonl
from playground.ui.runs.sweep.setup import SweepForm, sweep_setup
from playground.ui.runs.sweep.tab import KIND, WHAT, go_on, make_sweep
from playground.ui.watch.form import WatchForm
from playground.ui.watch.shelf import open_in_watch
from tests.decoding.runs import chosen
from tests.ui.contract.sent import event
from tests.ui.runs.sweep.sweeps import GRID, PAIR, form, new_sweep, swept

REQUEST = SimpleNamespace(session_hash="page")
SMALL = {"rsd_s__width": "1, 2", "tokens": "6", "source": "one", "prompt": "ab"}


@pytest.fixture(autouse=True)
def table_models(monkeypatch):
    for module in (page_job, sweep_watch):
        monkeypatch.setattr(module, "chosen_models", lambda *_: chosen(PAIR))
    monkeypatch.setattr(sweep_pace, "_measure", lambda pair: None)


def run(goes_on_with=None, **changes):
    """(the last value of the panel, the last message, the sweep) of a sweep that was asked for."""
    panel = message = None
    saved_sweep = goes_on_with
    if not turns.is_asked(REQUEST.session_hash):
        turns.ask(REQUEST.session_hash, WHAT)
    job = goes_on_with or SavedSweep(new_folder(), {}, sweep_setup(form(**SMALL | changes)))
    for shown in KIND.run_job(REQUEST, Checked(job)):
        panel = panel if shown.panel == gr.skip() else shown.panel
        message = message if shown.message == gr.skip() else shown.message
        saved_sweep = saved_sweep if shown.job == gr.skip() else shown.job
    return panel, message, saved_sweep


def test_a_sweep_that_was_stopped_within_its_first_run_can_go_on_and_does_not_say_that_none_is_saved():
    begun = SavedSweep(new_folder(), {"pair": "toys"}, sweep_setup(form(**SMALL)))
    ended = KIND.ended(begun, SimpleNamespace(was_stopped=True, num_new=0, seconds=1.0))
    assert ended.message["text"] == "Stopped before a run was done." and ended.job is begun
    assert sweep.buttons(False, begun)[1].interactive


def test_the_plan_counts_the_runs_or_says_what_is_wrong():
    for changes, kind, said in (
        ({"seeds": "0..2"}, "quiet", "Your own sweep: 2 settings × 1 prompt × 3 seeds, 6 runs."),
        ({"rsd_s__width": "1, 1"}, "error", "RSD-S: beam width has 1 twice. Name each value once."),
    ):
        message = sweep.plan_of(form(**SMALL | changes))
        assert message["text"].startswith(said) and message["kind"] == kind
    assert sweep.plan_of(form(methods=[]))["kind"] == "quiet"


def test_a_sweep_runs_to_its_end_and_its_value_has_every_run():
    panel, message, saved_sweep = run()
    assert message["text"].startswith("Done: 2 new of") and saved_sweep.is_whole
    assert [setting["title"] for setting in panel["settings"]] == ["RSD-S (beam width 1)", "RSD-S (beam width 2)"]
    assert [run["run"] for setting in panel["settings"] for run in setting["runs"]] == [1, 2]
    assert (
        panel["done"] == panel["total"] == 2 and "2 measured runs: 2 settings, 1 prompt, 1 seed" in panel["conditions"]
    )
    assert any(note.startswith("Measured joules are blank: ") for note in panel["notes"])
    assert any(note.startswith("Estimated joules are for ") for note in panel["notes"])


def test_settings_are_counted_before_they_are_made(monkeypatch):
    """Of two methods the options of one alone are no axes; their product would have filled the memory."""
    monkeypatch.setattr("playground.ui.runs.sweep.setup.product", lambda *_: pytest.fail("they were made"))
    ranges = {"draft_length": "1..16", "num_drafts": "2..6", "lp_size": "1..20", "num_classes": "0..16"}
    asked_for = form(
        **SMALL
        | {"methods": ["importance_sampling", "autoregressive"]}
        | {f"importance_sampling__{name}": text for name, text in ranges.items()}
        | {"importance_sampling__alphabet": "1..64"}
    )
    assert "more than 500 settings" in KIND.ask(make_sweep, REQUEST, asked_for)[3]["text"]


def test_a_sweep_goes_on_when_the_file_of_its_prompts_is_gone_and_a_new_one_does_not_begin(tmp_path):
    """Files that visitors bring are kept for an hour."""
    file = tmp_path / "mine.txt"
    file.write_text("ab\nba\n")
    of_file = form(**SMALL | {"source": FILE, "file": str(file), "prompts": 2, "seeds": "0"})
    saved_sweep = run(source=FILE, file=str(file), prompts=2, seeds="0")[2]
    file.unlink()
    again = KIND.ask(go_on, REQUEST, of_file, saved_sweep)[4]
    assert again.what is saved_sweep
    turns._turns.clear()
    refused = KIND.ask(make_sweep, REQUEST, of_file, saved_sweep)[3]["text"]
    assert refused == "mine.txt was deleted after an hour. Choose the file again."


def test_a_sweep_that_was_left_goes_on_with_the_same_grid_only(monkeypatch):
    monkeypatch.setattr(SavedSweep, "least_interval_s", 0.0)
    asked_for = form(**SMALL | {"seeds": "0..9"})
    turns.ask(REQUEST.session_hash, WHAT)
    going = KIND.run_job(REQUEST, Checked(SavedSweep(new_folder(), {}, sweep_setup(asked_for))))
    saved_sweep = None
    for shown in going:
        saved_sweep = saved_sweep if shown.job == gr.skip() else shown.job
        if saved_sweep and len(saved_sweep.rows) >= 3:
            going.close()  # A page that is closed does so.
            break
    assert 3 <= len(saved_sweep.rows) < 20 and "Press Resume" in shelf.what_is_there(saved_sweep)
    refused = KIND.ask(go_on, REQUEST, form(**SMALL | {"seeds": "0..8"}), saved_sweep)[3]["text"]
    assert refused.startswith("The grid that is set up is not the one that was begun: seeds was [0, 1")
    assert "Resume" in refused
    assert KIND.ask(go_on, REQUEST, asked_for, saved_sweep)[4].what is saved_sweep
    before = list(saved_sweep.rows)
    _, message, same = run(saved_sweep, seeds="0..9")
    assert same is saved_sweep and saved_sweep.rows[: len(before)] == before and len(saved_sweep.rows) == 20
    assert message["text"].startswith(f"Done: {20 - len(before)} new of")


def test_what_cannot_go_on_is_said_to_and_does_not_line_up():
    """The recorded sweep is everybody's: only a program can ask for it to go on."""
    recorded = swept(until=3)
    recorded.recorded = "Recorded on a day."
    for saved_sweep, said in ((None, "Nothing can be resumed"), (recorded, "came with the page")):
        assert said in KIND.ask(go_on, REQUEST, form(**SMALL), saved_sweep)[3]["text"]
        assert not turns.is_asked("page")


def test_the_line_above_the_charts_names_who_drafted_and_no_one_value_of_what_varies():
    saved_sweep = new_sweep(replace(GRID, axes={"top_k": (3, 0), "top_p": (0.5, 1)}, sampling=Sampling(0.5, 3, 0.5)))
    said = sweep_value(saved_sweep)["conditions"]
    assert "temperature 0.5" in said and "top-" not in said
    once = sweep_value(new_sweep(replace(GRID, sampling=Sampling(0.5, 3, 0.5))))["conditions"]
    assert "top-k 3, top-p 0.5" in once and "temperature" not in once
    saved_sweep = new_sweep(replace(GRID, choices=(("rsd_s", {"drafter": "suffix"}), ("autoregressive", {}))))
    saved_sweep.plan = {"models": {"target": {"name": "large"}, "draft": {"name": "small"}}}
    assert sweep_value(saved_sweep)["conditions"].endswith("Models: large with the text itself.")


def test_settings_are_named_by_what_varies_and_by_what_is_not_at_its_default():
    settings = by_setting(swept().rows)
    titles = [setting_names(setting)["title"] for setting in settings]
    assert titles[0] == "RSD-S (draft length 3, temperature 0.5)" and titles[-1] == "Autoregressive (temperature 1)"
    assert setting_names(settings[0])["short"] == "3 / 0.5"
    assert labels_in_words(settings) == (
        "The numbers: draft length / temperature of RSD-S; temperature of Autoregressive."
    )
    assert labels_in_words([]) == ""


def test_a_label_with_a_comma_is_told_apart_from_the_next_one():
    options = {"draft_length": 3, "first_branching": 1, "second_branching": 1, "later_branching": 1}
    result = setting_names({"label": "rsd_c first_branching=1", "method": "rsd_c", "options": options})
    assert result["note"] == "branching at the root 1; branching, second depth 1"


def test_the_run_that_is_opened_is_the_median_one():
    rows = [{"run": run, "tokens_per_s": speed} for run, speed in ((1, 5.0), (2, 1.0), (3, 9.0), (4, 2.0))]
    assert median_run(rows[:3])["run"] == 1 and median_run(rows)["run"] == 4
    assert median_run([{"run": 1, "failed": "It broke."}]) is None


def test_failed_runs_are_shown_with_their_reason():
    saved_sweep = swept()
    row, names = saved_sweep.rows[0], ("run", "label", "method", "options", "prompt", "seed")
    saved_sweep.rows[0] = {name: row[name] for name in names} | {
        "failed": "It broke.", "temperature": 0.5, "top_k": 0, "top_p": 1.0, "max_new_tokens": 6,
    }  # fmt: skip
    value = sweep_value(saved_sweep)
    assert value["settings"][0]["runs"][0]["failed"] == "It broke." and value["settings"][0]["num_failed"] == 1
    assert any("Failed runs: 1" in note for note in value["notes"])


def test_a_sweep_without_rows_is_shown_too():
    value = sweep_value(new_sweep())
    assert value["settings"] == [] and {chart["id"] for chart in value["charts"]} == {"setting_speed", "budget"}
    assert value["conditions"].startswith("0 of 24 measured runs")


def test_a_point_opens_its_run_in_watch_and_says_where_it_is_from():
    saved_sweep = swept()

    def watched(run):
        return open_in_watch(REQUEST, lambda: sweep_watch.watch_point(saved_sweep, event(WatchPoint(run))))

    player, tabs, message, said, _, *controls = watched(2)
    assert tabs.selected == "watch" and "is in Watch. It is the recorded run itself" in message["text"]
    assert player["chunks"] and player["made_here"]
    made_by = WatchForm(*controls)
    assert "run 2 of Sweep" in said["text"] and made_by.method == shown_trace(player).started.method
    assert WatchForm.read_link(dict(parse_qsl(player["link"]["setup"])))["prompt"] == made_by.prompt
    saved_sweep.rows[1] |= {"trace": None}
    assert "made again from its seed" in watched(2)[2]["text"]
    assert watched(99)[2]["kind"] == "error"
    turns.ask(REQUEST.session_hash)
    refused = watched(2)
    assert refused[:2] == (gr.skip(), gr.skip()) and refused[2]["text"].startswith("A run is going on in Watch.")
    saved_sweep = None
    assert watched(1)[2]["kind"] == "error"


def test_an_opened_sweep_sets_the_controls_to_its_grid():
    _, _, saved_sweep = run()
    opened = shelf.open_sweep([str(write_jsonl(saved_sweep))])
    about, again, id, panel, message, resume, *values = opened
    assert again.id == id == panel["sweep"] and about["text"] == "Opened sweep.jsonl: 2 of 2 runs."
    assert message["text"] == "It is whole: 2 of 2 runs." and not resume.interactive
    assert sweep_setup(SweepForm(*values)) == saved_sweep.grid


def test_a_file_that_is_none_leaves_the_page_as_it_is(tmp_path):
    (tmp_path / "x.jsonl").write_text("no")
    opened = shelf.open_sweep([str(tmp_path / "x.jsonl")])
    assert opened[0]["kind"] == "error" and all(each == gr.skip() for each in opened[1:])


def test_a_browser_finds_its_last_sweep_again_and_a_link_comes_first():
    """A link that only names the tab, and the address of that very sweep, as of a page loaded anew, are none."""
    _, _, saved_sweep = run()
    only_the_tab = {"tab": "sweep", "__theme": "dark"}
    for query in ({}, only_the_tab):
        assert all(each == gr.skip() for each in shelf.arrive(query, None))
        again, id, _, message, _, *values = shelf.arrive(query, saved_sweep.id)
        assert message["text"] == "Your last sweep is saved. It is whole: 2 of 2 runs."
        assert again.id == id == saved_sweep.id and sweep_setup(SweepForm(*values)) == saved_sweep.grid
    query = shelf.make_link(SweepForm(*values))
    again, id, *_ = shelf.arrive(dict(parse_qsl(query[1:])), saved_sweep.id)
    assert again.id == id == saved_sweep.id
    query = shelf.make_link(READY[1].form)
    again, _, _, message, *_ = shelf.arrive(dict(parse_qsl(query[1:])), saved_sweep.id)
    assert again == gr.skip() and message["text"].startswith("Filled in from the link.")
    assert shelf.arrive({"tab": "sweep", "methods": "x"}, None)[3]["kind"] == "error"
