"""A race and a sweep line up, wait, run, stop and break off alike: two views of one job."""

from types import SimpleNamespace

import gradio as gr
import pytest

from playground.bench.sweep import Progress
from playground.errors import PlaygroundError
from playground.ui.live import turns
from playground.ui.live.device import device
from playground.ui.page import job as page_job
from playground.ui.page.job import under_way
from playground.ui.page.messages import complain
from playground.ui.page.progress import queue_message
from playground.ui.page.prompt_chooser import ONE
from playground.ui.runs.race import tab as race_tab
from playground.ui.runs.race.runs import RaceRuns
from playground.ui.runs.race.setup import RaceForm
from playground.ui.runs.sweep import pace
from playground.ui.runs.sweep import tab as sweep_tab
from playground.ui.runs.sweep.saved_sweep import SavedSweep
from playground.ui.watch import turn as watch_turn
from playground.ui.watch.form import WatchForm
from tests.decoding.runs import chosen
from tests.ui.runs.sweep.sweeps import PAIR, form

REQUEST = SimpleNamespace(session_hash="page")
TYPED = {"source": ONE, "prompt": "ab"}


class Race:
    """40 runs."""

    what, makes, before = race_tab.WHAT, "playground.ui.runs.race.runs.race_runs", race_tab.ONE_BEFORE
    job, make, four_runs = race_tab.KIND, staticmethod(race_tab.make_race), {"repeats": 2}

    @staticmethod
    def ask(session="page", **changes):
        asked = RaceForm(**{"methods": ["rsd_s"], "tokens": 8, "repeats": 20} | TYPED | changes)
        return Race.job.ask(Race.make, SimpleNamespace(session_hash=session), asked)


class Sweep:
    """40 runs."""

    what, makes, before = sweep_tab.WHAT, "playground.ui.runs.sweep.saved_sweep.sweep", gr.skip()
    job, make, four_runs = sweep_tab.KIND, staticmethod(sweep_tab.make_sweep), {"seeds": "0, 1"}

    @staticmethod
    def ask(session="page", **changes):
        asked = form(**{"rsd_s__width": "1, 2", "seeds": "0..19"} | TYPED | changes)
        return Sweep.job.ask(Sweep.make, SimpleNamespace(session_hash=session), asked)


@pytest.fixture(params=[Race, Sweep])
def kind(request, monkeypatch):
    monkeypatch.setattr(page_job, "chosen_models", lambda *_: chosen(PAIR))
    monkeypatch.setattr(pace, "_measure", lambda pair: None)
    for job in (RaceRuns, SavedSweep):
        monkeypatch.setattr(job, "least_interval_s", 0.0)
    return request.param


def test_a_page_lines_up_once_and_what_cannot_be_run_not_at_all(kind):
    *buttons, message, request, clock = kind.ask()
    assert [button.interactive for button in buttons] == [False] * (len(buttons) - 1) + [True] and clock.active
    assert message["text"] == "Waiting for its turn ..." and request.what.grid.prompts == ("ab",)
    *buttons, message, request, _ = kind.ask()
    assert message["text"] == "Another request of this page is going on. Press Stop." and request == gr.skip()
    with pytest.raises(gr.Error, match="Another request of this page is going on"):
        watch_turn.ask(REQUEST, WatchForm())
    *buttons, message, request, _ = kind.ask("another", prompt=" ")
    assert {*map(str, buttons), str(request)} == {str(gr.skip())} and "The prompt is empty" in message["text"]
    assert not turns.is_asked("another")


def test_one_behind_others_is_told_its_place(kind):
    for session in ("first", "second", "page"):
        *_, message, _, _ = kind.ask(session)
    assert message["text"] == queue_message(REQUEST)[0]["text"] == "Waiting: 2 runs on other pages come first."
    turns.stop("first")
    assert "1 run on other pages comes first" in queue_message(REQUEST)[0]["text"]
    turns.next_turn("page", kind.what).has_begun = True
    message, clock = queue_message(REQUEST)
    assert message == gr.skip() and not clock.active


def test_stopped_before_its_turn_it_makes_no_run(kind):
    *_, request, _ = kind.ask()
    *buttons, message = kind.job.stop_job(REQUEST, None)
    assert buttons[0].interactive and not buttons[-1].interactive
    assert message["text"] == "Stopped before it began."
    assert [shown[:3] for shown in kind.job.run_job(REQUEST, request)] == [(gr.skip(),) * 3]
    assert not turns.is_asked("page")
    assert "It had already ended" in kind.job.stop_job(REQUEST, None)[-1]["text"]


def test_stopped_midway_it_shows_what_was_measured(kind):
    *_, request, _ = kind.ask()
    for shown in kind.job.run_job(REQUEST, request):
        if (shown.message or {}).get("done", 0) >= 6:
            assert {str(each) for each in kind.job.stop_job(REQUEST, None)} == {str(gr.skip())}, (
                "its last word is its own"
            )
    assert shown.message["text"].startswith("Stopped after") and "of 40" in shown.message["text"]
    assert 6 <= len(request.what.rows) < 40 and shown.panel and shown.job != gr.skip()


def test_stopped_before_a_run_was_done_it_leaves_the_panel_as_it_was(kind):
    *_, request, _ = kind.ask()
    for shown in kind.job.run_job(REQUEST, request):
        last = shown
        turns.stop("page")
    assert last.message["text"] == "Stopped before a run was done." and last.panel == kind.before


def test_models_that_cannot_be_had_and_a_bug_are_a_sentence_and_free_the_device(kind, monkeypatch):
    def refuse(pair, target, draft):
        raise PlaygroundError("These models are not here.")

    def broken(*_, **__):
        raise RuntimeError("boom")

    with monkeypatch.context() as context:
        context.setattr(page_job, "chosen_models", refuse)
        *_, shown = kind.job.run_job(REQUEST, kind.ask(**kind.four_runs)[-2])
        assert shown.panel == kind.before and shown.message == complain("These models are not here.")
    with monkeypatch.context() as context:
        context.setattr(kind.makes, broken)
        *_, shown = kind.job.run_job(REQUEST, kind.ask(**kind.four_runs)[-2])
        assert shown.panel == kind.before and "broke off (RuntimeError)" in shown.message["text"]
    assert not device.locked() and not turns.is_asked("page")
    *_, shown = kind.job.run_job(REQUEST, kind.ask(**kind.four_runs)[-2])
    assert shown.message["text"].startswith("Done: 4 ")


def test_progress_in_words():
    assert under_way(Progress(0, 8), "sweep_runs_done")["text"] == "The first run is going on ..."
    message = under_way(Progress(3, 8, seconds_left=21.0), "sweep_runs_done")
    assert message["text"] == "3 of 8 runs are done. About 20 s left." and (message["done"], message["total"]) == (3, 8)
    assert under_way(Progress(8, 8, seconds_left=0.0), "race_runs_done")["text"] == "8 of 8 measured runs are done."
