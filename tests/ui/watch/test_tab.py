"""The Watch tab's handlers, called as plain functions."""

import json
from dataclasses import fields, replace

import gradio as gr
import pytest

from playground.decoding.method import methods
from playground.errors import PlaygroundError
from playground.trace import Trace, load, to_json, validate
from playground.ui.live import turns
from playground.ui.page import build as page
from playground.ui.page import files
from playground.ui.page.controls import OTHER, method_choices, method_note, option_controls, values_by_option
from playground.ui.watch import live as live_run
from playground.ui.watch import player_panel
from playground.ui.watch import tab as watch
from playground.ui.watch.player_panel import live_value, newest, recorded_value

NAMES = [(name, item.name) for name, method in methods().items() for item in fields(method.Options)]
DEFAULTS = [item.default for method in methods().values() for item in fields(method.Options)]


def chosen(prompt="Once upon a time", method="speculative_sampling", **changes):
    values = {"pair": "bundled", "target": "", "draft": "", "max_new_tokens": 12, "seed": 0, "temperature": 1.0}
    values |= {"top_k": 0, "top_p": 1.0} | changes
    return (
        prompt, values["pair"], values["target"], values["draft"], method, values["max_new_tokens"], values["seed"],
        values["temperature"], values["top_k"], values["top_p"], *DEFAULTS,
    )  # fmt: skip


def run(*arguments, **changes):
    return list(watch.watch(NAMES, chosen(*arguments, **changes), "session"))


def test_the_page_builds_with_every_method_in_its_menu():
    config = page.build().get_config_file()
    menu = next(part for part in config["components"] if part["props"].get("elem_id") == "method")
    assert {choice[1] for choice in menu["props"]["choices"]} == methods().keys()
    ids = {part["props"].get("elem_id") for part in config["components"]}
    assert {"player", "prompt", "run", "stop", "notice", "open-trace", "save-trace"} <= ids


@pytest.mark.parametrize("name", methods())
def test_every_option_has_a_control(name):
    controls = option_controls(methods()[name])
    assert list(controls) == [item.name for item in fields(methods()[name].Options)]
    assert (name in dict(method_choices()).values()) and method_note(name)


def test_only_the_chosen_methods_values_are_taken():
    names = [("a", "x"), ("b", "x"), ("b", "y")]
    assert values_by_option("b", names, (1, 2, 3)) == {"x": 2, "y": 3}


def test_a_run_ends_with_its_figures_and_a_valid_trace():
    updates = run()
    value, message = updates[-1]
    validate(files.shown_trace(value))
    assert value["ended"] and len(json.loads(value["figures"])) == 3
    assert "12 tokens" in message["text"]
    events = [event for chunk in value["chunks"] for event in json.loads(chunk)]
    assert [event["event"] for event in events][:2] == ["run_started", "drafted"]
    assert not turns.is_asked("session"), "the session's run must be forgotten"


def test_every_event_reaches_the_page_once_however_the_messages_arrive(monkeypatch):
    """A page that takes in the last of several messages at once misses nothing; its last one holds the whole run."""
    monkeypatch.setattr(live_run, "LEAST_INTERVAL_S", 0.0)
    monkeypatch.setattr(live_run, "SHARE", 0.0)
    values = [value for value, _ in watch.watch(NAMES, chosen(max_new_tokens=160), "session") if "chunks" in value]
    log = values[-1]["chunks"]
    assert values[-1]["first"] == 0 and len(log) > player_panel.WINDOW + player_panel.OVERLAP
    assert max(len(value["chunks"]) for value in values[:-1]) == player_panel.WINDOW
    for at_once in range(1, player_panel.OVERLAP):
        taken = 0
        for value in values[:-1:at_once]:
            assert value["first"] <= taken, "a gap"
            assert value["chunks"] == log[value["first"] : value["first"] + len(value["chunks"])]
            taken = value["first"] + len(value["chunks"])


def test_what_is_not_whole_is_not_saved():
    with pytest.raises(PlaygroundError, match="still going on"):
        files.shown_trace(newest(live_value(), ["[]"] * 40))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"prompt": ""}, "The prompt is empty"),
        ({"prompt": " \n\t"}, "The prompt is empty"),
        ({"prompt": "x" * 4001}, "the limit is 4,000"),
        ({"prompt": "half \ud83d"}, "half a character"),
        ({"seed": None}, "The seed is empty"),
        ({"seed": -1}, "out of range"),
        ({"max_new_tokens": 0}, "out of range"),
        ({"temperature": 11}, "out of range"),
        ({"pair": "nonsense"}, "Unknown pair"),
        ({"pair": OTHER}, "name is empty"),
        ({"pair": OTHER, "target": "/nowhere"}, "no folder"),
        ({"method": "nonsense"}, "Unknown method"),
    ],
)
def test_bad_input_is_one_message_and_leaves_the_player_alone(changes, message):
    updates = run(**changes)
    assert message in updates[-1][1]["text"] and updates[-1][1]["kind"] == "error"
    assert all(value == gr.skip() for value, _ in updates)


@pytest.mark.parametrize(
    "prompt",
    ["\U0001f642\U0001f3f3\ufe0f\u200d\U0001f308", "a\x00b\x07c", "<img src=x onerror=alert(1)>", "${alert(1)}"],
)
def test_any_characters_are_a_prompt(prompt):
    value, _ = run(prompt)[-1]
    assert files.shown_trace(value).events[0].prompt == prompt and value["error"] is None


def test_a_trace_opens_and_a_damaged_one_is_refused(tmp_path):
    good = "assets/traces/greedy.json.gz"
    value, message = watch.open_trace(good)
    assert not value["live"] and message["kind"] == "quiet" and files.shown_trace(value) == load(good)
    bad = tmp_path / "bad.json"
    text = to_json(load(good))
    for damage in ("", "[]", text[: len(text) // 2], text.replace('"round":2,', '"round":7,', 1), "\ud800"):
        bad.write_text(damage, encoding="utf-8", errors="surrogatepass")
        value, message = watch.open_trace(str(bad))
        assert message["kind"] == "error" and value == gr.skip()


def test_files_are_written_for_what_is_shown(tmp_path):
    trace = load("assets/traces/greedy.json.gz")
    assert load(files.write_trace(trace, tmp_path)) == trace
    assert "specPlayer" in files.write_page(trace, tmp_path).read_text()
    assert "graphml" in files.write_forest(trace, tmp_path, 2).read_text()


def test_recordings_are_valid_and_prompts_offered():
    for trace in watch.recorded_runs().values():
        validate(trace)
    assert all(watch.prompts().values())


def test_values_hold_only_what_the_page_needs():
    assert live_value()["live"] and not live_value()["chunks"]
    assert recorded_value(load("assets/traces/greedy.json.gz"))["chunks"]


def test_the_name_of_a_file_cannot_leave_its_folder(tmp_path):
    """A trace is opened from anywhere, and its method names the file that is written on the server."""
    started, *rest = load("assets/traces/greedy.json.gz").events
    for method in ("/etc/evil", "../../evil", "a\x00b", "." * 300, ""):
        trace = Trace((replace(started, method=method), *rest))
        assert files.write_trace(trace, tmp_path).parent == tmp_path


def test_nothing_to_save_is_said():
    with pytest.raises(PlaygroundError, match="No run"):
        files.shown_trace(live_value())


def test_one_page_has_one_run():
    turns.ask("page")
    with pytest.raises(PlaygroundError, match="Press Stop first"):
        turns.ask("page")
    waiting = turns.next_turn("page")
    assert turns.stop("page") == [waiting] and waiting.stop.is_set()
    turns.ask("page")  # the stopped one still stands in the queue
    assert turns.next_turn("page") is waiting
    turns.forget("page", waiting)
    assert not turns.next_turn("page").stop.is_set()
    turns.forget("page", turns.next_turn("page"))
    assert not turns.is_asked("page")
