"""A lent GPU: one call makes a whole run, asks for as long as the request needs, and its errors are sentences.

Off ZeroGPU a decorated call is a plain one, with the package `spaces` or without it. No test has ZeroGPU.
"""

import importlib
import sys
from types import ModuleType, SimpleNamespace

import gradio as gr
import pytest

from playground.errors import PlaygroundError
from playground.models.sources import placement
from playground.trace import Trace, validate
from playground.ui.live import turns, zero_gpu
from playground.ui.page import model_chooser
from playground.ui.watch import lent_run
from playground.ui.watch import turn as watch_turn
from playground.ui.watch.form import WatchForm
from tests.decoding.runs import trace_of

FORM = WatchForm(prompt="Once upon a time", tokens=12, method="speculative_sampling", seed=3)


@pytest.fixture
def on_zero_gpu(monkeypatch):
    monkeypatch.setenv("SPACES_ZERO_GPU", "true")


def test_without_the_package_a_lent_call_is_a_plain_call(monkeypatch):
    monkeypatch.setitem(sys.modules, "spaces", None)
    assert zero_gpu.gpu_call(lambda number: number)(abs) is abs


def test_the_package_gets_the_work_and_how_long_it_takes(monkeypatch):
    options = {}
    package = ModuleType("spaces")
    package.GPU = lambda work, duration: options.update(work=work, duration=duration) or work
    monkeypatch.setitem(sys.modules, "spaces", package)
    try:
        importlib.reload(lent_run)
        assert options["work"].__name__ == "_whole_run"
        assert options["duration"](FORM) == zero_gpu.LEAST_S
        longer = WatchForm(prompt="Once", tokens=200, method="speculative_sampling")
        assert options["duration"](longer) == round(5 + 73e6 / 0.5e9 + 200 * 5 * 0.04)
    finally:
        monkeypatch.undo()
        importlib.reload(lent_run)


@pytest.mark.parametrize(
    ("num_tokens", "num_draft_calls", "weight_bytes", "seconds"),
    [(1, 0, 0, 10), (100, 4, 5e9, 35), (100, 0, 5e9, 19), (900, 8, 30e9, 120)],
)
def test_seconds_grow_with_tokens_drafts_and_weights(num_tokens, num_draft_calls, weight_bytes, seconds):
    options = {"num_tokens": num_tokens, "num_draft_calls": num_draft_calls, "weight_bytes": weight_bytes}
    assert zero_gpu.seconds_for(**options) == seconds


def test_a_run_comes_whole_and_is_the_run_of_the_same_seed(on_zero_gpu):
    session = SimpleNamespace(session_hash="lent")
    turns.ask("lent")
    shown = list(watch_turn.watch(session, FORM))
    assert any("lent for one call" in str(each.message) for each in shown)
    assert shown[-1].player["ended"]
    waiting, events = lent_run.lent_run(FORM)
    validate(Trace(tuple(events)))
    assert waiting == lent_run.WAITING
    assert events[-1].text == trace_of(FORM.spec().request()).finished.text


@pytest.mark.parametrize("title", zero_gpu.EXPLAINED)
def test_quotas_are_explained(title, monkeypatch, on_zero_gpu):
    def refuse(form):
        raise gr.Error("300 s requested", title=title, print_exception=False)

    monkeypatch.setattr(lent_run, "_whole_run", refuse)
    with pytest.raises(PlaygroundError) as refused:
        list(lent_run.lent_run(FORM))
    assert str(refused.value) == zero_gpu.EXPLAINED[title]


def test_other_errors_keep_their_sentence_on_the_way_back_and_faults_stay_what_they_are(monkeypatch, on_zero_gpu):
    with pytest.raises(PlaygroundError, match="prompt is empty"):
        list(lent_run.lent_run(WatchForm(prompt=" ")))
    monkeypatch.setattr(lent_run, "_whole_run", lambda form: {}["missing"])
    with pytest.raises(KeyError):
        list(lent_run.lent_run(FORM))


def test_outside_a_lent_call_such_a_space_has_a_processor_only(on_zero_gpu, monkeypatch):
    monkeypatch.setattr(placement, "find_placement", lambda device, *_: device)
    assert model_chooser._hardware() == "cpu"
    with model_chooser.on_lent_gpu():
        assert model_chooser._hardware() == "auto"
    assert model_chooser._hardware() == "cpu"
