"""The endpoints as functions; over HTTP and MCP in tests/browser/test_programs.py, where an app runs."""

import itertools
import threading

import gradio as gr
import pytest
from gradio.context import LocalContext

from playground.bench.workers.runs import Runner
from playground.decoding.method import methods as known
from playground.errors import StoppedError
from playground.trace import from_json, validate
from playground.ui import programs
from playground.ui.live import turns
from playground.ui.live.device import device, on_device
from playground.ui.programs import acceptance, compare, methods, run
from tests.ui.live.test_device import wait_for


def test_a_run_comes_with_its_whole_trace():
    result = run("rsd_s:width=2:draft_length=3", "Once upon a time", seed=1, max_new_tokens=8)
    trace = from_json(result["trace"])
    validate(trace)
    assert trace.started.method == "rsd_s" and trace.started.options["width"] == 2
    assert result["num_tokens"] == trace.finished.num_tokens == 8
    assert from_json(run("rsd_s:drafter=suffix", max_new_tokens=2)["trace"]).started.draft["name"] == "the text itself"


def test_a_comparison_has_plain_decoding_first_acceptance_is_exact_and_methods_come_with_their_options():
    rows = compare("speculative_sampling:draft_length=2", 1, 1.0, 0, 8)
    assert [row["method"] for row in rows] == ["autoregressive", "speculative_sampling"]
    assert rows[1]["options"]["draft_length"] == 2
    result = acceptance([0.5, 0.5], [0.8, 0.2], 1)
    assert result["speculative"] == pytest.approx(0.7) and result["normalised"] is False
    assert {row["id"] for row in methods()} == set(known())
    assert all({"name", "min", "max", "help"} <= set(option) for row in methods() for option in row["options"])


def test_a_comparison_lets_others_go_first_between_its_runs(monkeypatch):
    """Somebody comes when the first run is over: they have the device before the second begins."""
    order: list[str] = []

    def attempt(*_args):
        order.append("a run of the comparison")
        if len(order) == 1:
            threading.Thread(target=on_device, args=[lambda: order.append("somebody's run")]).start()
            wait_for(lambda: device._waiting)
        return "It failed."

    monkeypatch.setattr(Runner, "run", attempt)
    compare("speculative_sampling", 1, 1.0, 0, 8)
    assert order.index("somebody's run") == 1 and len(order) == 3


@pytest.fixture
def hangs_up():
    """Lines up a request whose client is there for so many looks."""
    event = LocalContext.event_id.set("event")

    def ask(what, looks):
        number = itertools.count()
        turns.ask("event", what, is_gone=lambda: next(number) >= looks)

    yield ask
    LocalContext.event_id.reset(event)
    assert not turns.is_asked("event")


def test_a_run_whose_client_hangs_up_ends_before_its_next_round(hangs_up):
    hangs_up(turns.RUN, 5)
    trace = from_json(run("autoregressive", "Once upon a time", max_new_tokens=64)["trace"])
    assert trace.finished.finish_reason == "stopped" and 0 < trace.finished.num_tokens < 5


def test_a_comparison_whose_client_hangs_up_makes_no_further_run(hangs_up, monkeypatch):
    runs: list[str] = []
    monkeypatch.setattr(Runner, "run", lambda *_: runs.append("a run") or "It failed.")
    hangs_up(programs.RACE, 4)
    with pytest.raises(StoppedError):
        compare("speculative_sampling", 5, 1.0, 0, 8)
    assert 0 < len(runs) < 4


@pytest.mark.parametrize(
    ("endpoint", "values", "said"),
    [
        (run, ("no_such", "x"), "Unknown method"),
        (run, ("rsd_s,rsd_c", "x"), "too many"),
        (run, ("rsd_s", ""), "The prompt is empty"),
        (run, ("rsd_s", "x" * 5000), "the limit is"),
        (run, ("rsd_s", "x", 1.0, 0, 1.0, 0, 10**6), "out of range"),
        (run, ("rsd_s:width=1000000", "x"), "width"),
        (run, ("rsd_s", "x", "hot"), "Temperature must be a number, not 'hot'."),
        (run, (None, "x"), "named by their ids"),
        (compare, ("all",), "too many"),
        (run, ("rsd_s", "x", 1.0, 2.5), "Top-k must be a whole number, not 2.5."),
        (run, ("rsd_s", "x", 1.0, 0, 1.0, 0.5), "The seed must be a whole number, not 0.5."),
        (run, ("rsd_s", "x", 1.0, 0, 1.0, 0, [[]]), "must be a whole number, not a list."),
        (compare, ("rsd_s", 99), "out of range"),
        (acceptance, ([0.5, 0.5], [0.8, 0.2], 2.5), "The number of drafts must be a whole number, not 2.5."),
        (acceptance, ([1.0] * 9, [1.0] * 9), "out of range"),
        (acceptance, ([0.5, 0.5], [-1.0, 2.0]), "."),
        (acceptance, ("ab", [0.5, 0.5]), "not of its kind"),
    ],
)
def test_a_bad_value_is_refused_in_a_sentence(endpoint, values, said):
    with pytest.raises(gr.Error) as refused:
        programs.in_sentences(endpoint)(*values)
    assert said in refused.value.message and refused.value.message.endswith((".", "?"))


def test_a_call_that_breaks_off_says_so_without_its_innards():
    def broken():
        raise RuntimeError("a secret of the server")

    with pytest.raises(gr.Error, match=r"The call broke off \(RuntimeError\)\. The server's log says more\."):
        programs.in_sentences(broken)()
