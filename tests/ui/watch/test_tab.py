"""The Watch tab's handlers, called as plain functions."""

import json
from dataclasses import fields
from types import SimpleNamespace
from urllib.parse import parse_qsl

import gradio as gr
import pytest

from playground.decoding.method import method_id, methods
from playground.errors import PlaygroundError
from playground.models import loading
from playground.models.drafters.choice import NO_FOREIGN, NO_OTHER
from playground.paths import ASSETS
from playground.trace import Trace, load, to_json, validate
from playground.trace.events import Committed, RunFinished
from playground.ui.live import turns
from playground.ui.page import files, model_chooser
from playground.ui.page.controls import declared, method_choices, method_note
from playground.ui.page.model_chooser import BUNDLED, OTHER, REAL, Offer
from playground.ui.served.taken_along import folder
from playground.ui.watch import live as live_run
from playground.ui.watch import player_panel, shelf, tab, turn
from playground.ui.watch.form import WatchForm, chat_chip
from playground.ui.watch.player_panel import live_value, newest, recorded_value
from playground.ui.watch.turn import Shown, watch
from tests.languages import in_english
from tests.trace.example import autoregressive_trace, replace

REQUEST = SimpleNamespace(session_hash="session")


def form(prompt="Once upon a time", **changes):
    return WatchForm(**{"prompt": prompt, "tokens": 12, "method": "speculative_sampling"} | changes)


def values_of(controls):
    """The chip of the chat template is updated with whether it is in sight; the others with their values."""
    return [each.value if isinstance(each, gr.Checkbox) else each for each in controls]


def form_of(controls):
    return WatchForm(*values_of(controls))


def run(*arguments, **changes):
    turns.ask(REQUEST.session_hash)
    return list(watch(REQUEST, form(*arguments, **changes)))


@pytest.mark.parametrize("name", methods())
def test_every_option_has_a_control(name):
    options = declared(name)["options"]
    assert [option["name"] for option in options] == [item.name for item in fields(methods()[name].Options)]
    assert (name in dict(method_choices()).values()) and method_note(name)


def test_a_list_of_allowed_texts_is_kept_to_and_goes_into_the_link():
    value, _ = run(allow="there was a cat.\n\nin a garden.\n")[-1]
    text = files.shown_trace(value).finished.text.removesuffix("<|endoftext|>")
    assert text in (" there was a cat.", " in a garden.")
    assert dict(parse_qsl(value["link"]["setup"]))["allow"].splitlines()[0] == "there was a cat."


def test_a_chat_template_is_asked_for_in_the_form_and_in_its_link():
    _, message = run(chat=True)[-1]
    assert message["kind"] == "error" and "has no chat template" in message["text"]
    query = dict(parse_qsl(form(chat=True).link(WatchForm())[1:]))
    assert query["chat"] == "1" and WatchForm.read_link(query)["chat"] is True
    assert "chat" not in form().link(WatchForm())
    with pytest.raises(PlaygroundError, match="The chat could not be read"):
        form(chat="yes").refuse_damaged()


@pytest.mark.parametrize("query", [{"target": "gpt2"}, {"target": "gpt2", "draft": "distilgpt2"}, {"draft": "gpt2"}])
def test_a_link_names_models_where_others_are_chosen_and_need_not_say_that_they_are_others(query):
    assert WatchForm.read_link(query) == query | {"pair": OTHER}
    assert WatchForm.read_link(query | {"pair": "bundled"}) == query | {"pair": "bundled"}
    assert "pair" not in WatchForm.read_link({"target": " "})
    assert not {"target", "draft"} & dict(parse_qsl(form(**query).link(WatchForm())[1:])).keys()
    assert (query | {"pair": OTHER}).items() <= dict(parse_qsl(form(**query, pair=OTHER).link(WatchForm())[1:])).items()


def test_a_link_to_models_runs_them():
    folder = str(ASSETS / "models" / "draft")
    options = {"prompt": "Once", "tokens": "4", "method": "autoregressive", "target": folder}
    value, _ = run(**{"tokens": 4} | WatchForm.read_link(options))[-1]
    assert files.shown_trace(value).started.target["name"] == "bundled draft"


def test_who_drafts_is_in_the_run_and_in_its_link():
    value, _ = run(drafter="exit8", options={})[-1]
    assert files.shown_trace(value).started.draft["exit"] == 8
    assert dict(parse_qsl(value["link"]["setup"]))["drafter"] == "exit8"
    value, message = run(drafter="exit12")[-1]
    assert message["kind"] == "error" and "has 12 layers" in message["text"]


@pytest.mark.parametrize(("drafter", "refusal"), [("other", NO_OTHER), ("foreign", NO_FOREIGN)])
def test_a_drafter_that_the_models_do_not_have_is_refused_before_they_are_read(monkeypatch, drafter, refusal):
    monkeypatch.setattr(loading.Models, "_read", lambda *_, **__: pytest.fail("the models were read"))
    folder = str(ASSETS / "models" / "target")
    _, message = run(drafter=drafter, options={}, pair=OTHER, target=folder, draft=folder)[-1]
    assert message["kind"] == "error" and message["text"] == refusal


def test_only_the_chosen_methods_options_are_taken():
    options = {"rsd_s": {"width": 99}, "speculative_sampling": {"draft_length": 2}}
    value, _ = run(options=options)[-1]
    assert files.shown_trace(value).started.options["draft_length"] == 2


def test_a_link_without_a_method_means_what_it_meant_when_the_first_were_made():
    _, player, *controls = tab.follow({"tokens": "5"})
    assert player["link"] == {"run": "opening"}
    shown = form_of(controls)
    assert (shown.method, shown.tokens) == ("speculative_sampling", 5)
    query = tab.make_link(replace(WatchForm(method="rsd_s"), tokens=5))
    assert query == "?method=rsd_s&tokens=5"


def test_the_form_asks_for_a_recorded_run_as_it_was_made():
    for title, path in shelf.recordings().items():
        started = load(path).started
        value, message, filled, *controls = shelf.choose_recording(REQUEST, SimpleNamespace(value=title))
        assert title in message["text"] and filled["prompt"] in started.prompt
        assert files.shown_trace(value).started.created == started.created
        form = form_of(controls)
        assert form.options_of(started.method).keys() <= started.options.keys()
        if form.pair != BUNDLED:  # models that take half a minute to load
            assert form.pair == REAL and "smollm2" in started.target["name"].lower()
            assert form.chat == (filled["prompt"] != started.prompt)
            continue
        request = form.spec().request()
        table = {name: getattr(request.method.options, name) for name in started.options}
        assert (table, request.prompt, request.seed) == (started.options, started.prompt, started.seed)
        assert (request.max_new_tokens, request.sampling.as_dict()) == (started.max_new_tokens, started.sampling)
        drafts = [model.facts()["name"] for model in request.draft_models()]
        wanted = [started.draft, *started.other_drafts] if started.draft else []
        assert drafts == [each["name"] for each in wanted]


def test_the_choice_of_a_method_shows_its_recording():
    """Its settings fill the form; a choice made while a run goes on leaves that run on the stage."""
    recorded = [name for name in methods() if shelf.recording_of(name)]
    assert len(recorded) > 20
    filled = vars(shelf.opening())
    values = dict(filled)
    for name in recorded:
        form = WatchForm(**values | {"method": name})
        value, message, filled, *controls = shelf.show_recording_of(REQUEST, form, filled)
        started = files.shown_trace(value).started
        assert started.method == name and message["kind"] == "quiet"
        put = {key: each for key, each in zip(values, values_of(controls), strict=True) if each != gr.skip()}
        values |= put | {"method": name}
        request = WatchForm(**values).spec().request()
        assert (request.prompt, request.max_new_tokens) == (started.prompt, started.max_new_tokens)
        assert {key: getattr(request.method.options, key) for key in started.options} == started.options
    own = WatchForm(prompt="one's own", seed=11, method=name, options={name: {"draft_length": 2}})
    again, _, _, *kept = shelf.show_recording_of(REQUEST, own, filled)
    after = dict(zip(values, kept, strict=True))
    assert [after[each] for each in ("prompt", "seed", "options")] == [gr.skip()] * 3, "what a reader has chosen stays"
    assert all(each == gr.skip() for each in shelf.show_recording_of(REQUEST, own, {})[3:]), "also after a run"
    assert again["run"] != value["run"], "the player takes it for the one it shows"
    turns.ask("session")
    assert all(each == gr.skip() for each in shelf.show_recording_of(REQUEST, own, filled))


def test_a_link_sets_up_what_it_was_made_from_and_nothing_else():
    changes = {"method": "rsd_s", "seed": 7, "options": {"rsd_s": {"width": 2}}}
    query = tab.make_link(WatchForm(**changes))
    assert query == "?method=rsd_s&seed=7&rsd_s.width=2"
    message, player, *controls = tab.follow(dict(parse_qsl(query[1:])))
    assert files.shown_trace(player).started.method == "rsd_s", "its recording is on the stage meanwhile"
    shown = form_of(controls)
    assert "Press Run" in message["text"] and {name: getattr(shown, name) for name in changes} == changes
    assert replace(shown, **changes) == replace(WatchForm(), **changes), "what it does not say is as usual"
    message, _, *controls = tab.follow({"method": "rsd_s", "seed": "7", "colour": "red"})
    assert form_of(controls).seed == 7 and in_english(message["dropped"]) == ["this page has no 'colour'"]
    message, *controls = tab.follow({"rsd_s.colour": "1"})
    assert message["kind"] == "error" and all(each == gr.skip() for each in controls)


def test_a_page_opened_without_a_link_asks_for_the_run_that_is_on_its_stage(monkeypatch):
    """From its first moment: nothing that comes later overwrites what a reader has filled in."""
    for pair, is_chat in ((BUNDLED, False), (REAL, True)):
        monkeypatch.setattr(model_chooser, "_offer", Offer(opens_on=pair))
        with gr.Blocks() as page, gr.Tabs() as tabs:
            made = tab.build(page, tabs)
        _, _, *controls = made.form
        form = form_of([each.value for each in controls])
        assert form == shelf.opening() and form.pair == pair
        chip = next(each for each in controls if each.elem_id == "chat")
        assert (chip.visible, chip.elem_classes) == (is_chat, ["of-chat"] * is_chat)
        assert all(each == gr.skip() for each in tab.follow({}))


def test_the_chip_of_the_chat_template_is_there_where_the_models_may_take_a_message():
    shown = {pair: (chat_chip(pair).visible, chat_chip(pair).elem_classes) for pair in (BUNDLED, REAL, OTHER, "gpt2")}
    assert shown == {BUNDLED: (False, []), REAL: (True, ["of-chat"]), OTHER: (True, []), "gpt2": (False, [])}
    assert chat_chip(BUNDLED, is_on=True).visible, "a link has pressed it: it can be taken back"
    update = chat_chip(REAL)
    assert "value" not in update.constructor_args, "what the reader has pressed stays"
    assert chat_chip("gpt2").constructor_args["value"] is False


def test_a_links_method_may_be_written_as_on_the_command_line_and_an_unknown_one_leaves_the_rest():
    _, _, *controls = tab.follow({"method": "rsd_s:width=2:draft_length=3:drafter=other", "rsd_s.width": "4"})
    shown = form_of(controls)
    assert (shown.method, shown.drafter) == ("rsd_s", "other")
    assert shown.options == {"rsd_s": {"width": 4}}, "a name of its own goes before the word"
    none = {name: f"this page has no method '{name}'" for name in ("rsd", "")}
    for method, sentence in (none | {"rsd_s:width": "has no value", "rsd_s:width=x": "width"}).items():
        message, *others = tab.follow({"method": method})
        assert message["kind"] == "error" and sentence in message["text"], message
        assert all(each == gr.skip() for each in others)
    message, _, *controls = tab.follow({"method": "nonsense", "seed": "7", "temperature": "0.5"})
    assert message["kind"] == "error" and "this page has no method 'nonsense'" in message["text"]
    assert (form_of(controls).seed, form_of(controls).temperature) == (7, 0.5)


def test_a_links_options_need_no_prefix_and_fields_of_the_form_keep_their_names():
    read = WatchForm.read_link({"method": "speculative_sampling", "adapt": "2", "token_cost": "0.5", "tokens": "9"})
    assert read["options"] == {"speculative_sampling": {"adapt": 2, "token_cost": 0.5}} and read["tokens"] == 9
    assert WatchForm.read_link({"adapt": "2"})["options"] == {"speculative_sampling": {"adapt": 2}}
    both = {"method": "rsd_s", "width": "2", "rsd_s.width": "3"}
    assert WatchForm.read_link(both)["options"] == {"rsd_s": {"width": 3}}, "the full name goes first"
    for method in methods():
        names = WatchForm.usual_options(method).keys() - {item.name for item in fields(WatchForm)}
        assert not WatchForm.wrong_in_link({"method": method} | dict.fromkeys(names, "1"))
    assert WatchForm.wrong_in_link({"method": "rsd_s", "adapt": "2"}) == ["this page has no 'adapt'"]


def test_runs_of_both_in_turns_stand_beside_a_run_and_are_added_until_they_tell(monkeypatch):
    """Single runs that were made while the page drew claimed 4.6 times plain decoding, and a tenth of it."""
    run = [event for event in autoregressive_trace().events if isinstance(event, Committed | RunFinished)]
    lasting = {}

    def made(prepare):
        seconds = lasting[method_id(prepare.__self__.method)].pop(0)
        events = [replace(event, clock_s=seconds) if isinstance(event, Committed) else event for event in run]
        return SimpleNamespace(steps=lambda: [events])

    def looks(own, plain, method):
        lasting.update({"autoregressive": plain, WatchForm().method: method})
        return [*turn._beside(WatchForm(), "session", turns.Turn(), own)]

    monkeypatch.setattr(turn, "LiveRun", made)
    (found,) = looks(run, [0.4, 0.6, 0.5, 0.5, 9.0], [0.2, 0.3, 0.1, 0.2, 9.0])
    assert set(found["plain"]) == {0.5} and set(found["again"]) == {0.2}, "the medians"
    beside = found["beside"]
    assert not beside["even"] and (beside["ms"], beside["plain_ms"], beside["runs"]) == pytest.approx((200, 500, 4))
    assert (beside["low"], beside["high"], beside["shown"]) == pytest.approx((0.4 / 0.3, 6.0, 16))
    found = looks(run, [0.4, 0.5, 0.6, 0.5, 0.5], [0.1, 0.45, 0.1, 0.1, 0.1])
    assert [(each["beside"]["runs"], each["beside"]["even"]) for each in found] == [(4, True), (5, False)]
    (found,) = looks(run[1:], [0.4, 0.6, 0.5, 0.5], [0.2, 0.3, 0.1, 0.2])
    assert found["again"] is None, "other rounds are another run's"
    monkeypatch.setattr(turn.turns, "others_are_there", lambda session: True)
    assert looks(run, [0.4], [0.2]) == []


def test_a_run_ends_with_its_figures_and_a_valid_trace():
    updates = run()
    value, message = updates[-1]
    validate(files.shown_trace(value))
    assert value["ended"] and len(json.loads(value["figures"])) == 4
    assert "12 tokens" in message["text"]
    assert len(value["plain"]) == 12 and value["plain"] == sorted(value["plain"]), "plain decoding is run after it"
    events = [event for chunk in value["chunks"] for event in json.loads(chunk)]
    assert [event["event"] for event in events][:2] == ["run_started", "drafted"]
    assert not turns.is_asked("session"), "the session's run must be forgotten"


def test_what_is_sent_of_a_run_and_its_file_are_small(monkeypatch):
    """Bytes of a round where each has a message of its own, as on a slow machine: 44,000; on a quick one 10,000."""
    monkeypatch.setattr(live_run, "LEAST_INTERVAL_S", 0.0)
    monkeypatch.setattr(live_run, "SHARE", 0.0)
    monkeypatch.setattr(turn, "_beside", lambda *_: ())  # The runs beside it send the value again, by their number.
    values = [value for value, _ in run(tokens=128) if "chunks" in value]
    trace = files.shown_trace(values[-1])
    assert sum(len(json.dumps(value)) for value in values) / len(trace.rounds) < 50_000
    assert files.write_trace(values[-1]).stat().st_size <= 200_000


def test_every_event_reaches_the_page_once_however_the_messages_arrive(monkeypatch):
    """A page that takes in the last of several messages at once misses nothing; its last one holds the whole run."""
    monkeypatch.setattr(live_run, "LEAST_INTERVAL_S", 0.0)
    monkeypatch.setattr(live_run, "SHARE", 0.0)
    turns.ask(REQUEST.session_hash)
    values = [value for value, _ in watch(REQUEST, form(tokens=160)) if "chunks" in value]
    log = values[-1]["chunks"]
    assert values[-1]["first"] == 0 and len(log) > player_panel.WINDOW + player_panel.OVERLAP
    assert max(len(value["chunks"]) for value in values if not value["ended"]) == player_panel.WINDOW
    for at_once in range(1, player_panel.OVERLAP):
        taken = 0
        for value in values[:-1:at_once]:
            assert value["first"] <= taken, "a gap"
            assert value["chunks"] == log[value["first"] : value["first"] + len(value["chunks"])]
            taken = value["first"] + len(value["chunks"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"prompt": ""}, "The prompt is empty"),
        ({"prompt": " \n\t"}, "The prompt is empty"),
        ({"prompt": "x" * 4001}, "the limit is 4,000"),
        ({"prompt": "half \ud83d"}, "half a character"),
        ({"seed": None}, "seed has no number"),
        ({"tokens": float("nan")}, "tokens has no number"),
        ({"prompt": 7}, "The prompt could not be read"),
        ({"seed": -1}, "out of range"),
        ({"tokens": 0}, "out of range"),
        ({"temperature": 11}, "out of range"),
        ({"pair": "nonsense"}, "Unknown pair"),
        ({"pair": OTHER}, "name is empty"),
        ({"pair": OTHER, "target": "/nowhere"}, "no folder"),
        ({"method": "nonsense"}, "Unknown method"),
        ({"pair": OTHER, "target": None, "draft": None}, "name is empty"),
        ({"options": {"speculative_sampling": {"draft_length": 1000}}}, "out of range"),
        ({"options": {"speculative_sampling": {"colour": 1}}}, "has no option 'colour'"),
        ({"options": {"speculative_sampling": [1]}}, "The options could not be read"),
        ({"options": "x"}, "The options could not be read"),
    ],
)
def test_bad_input_is_one_message_and_leaves_the_player_alone(changes, message):
    updates = run(**changes)
    assert message in updates[-1][1]["text"] and updates[-1][1]["kind"] == "error"
    assert all(value == gr.skip() for value, _ in updates)


def test_a_trace_opens_and_a_damaged_one_is_refused(tmp_path):
    good = "assets/traces/greedy.json.gz"
    value, message = shelf.open_trace(REQUEST, good)
    assert not value["live"] and message["kind"] == "quiet" and files.shown_trace(value) == load(good)
    bad = tmp_path / "bad.json"
    text = to_json(load(good))
    for damage in ("", "[]", text[: len(text) // 2], text.replace('"round":2,', '"round":7,', 1), "\ud800"):
        bad.write_text(damage, encoding="utf-8", errors="surrogatepass")
        value, message = shelf.open_trace(REQUEST, str(bad))
        assert message["kind"] == "error" and value == gr.skip()


def test_nothing_else_comes_onto_the_stage_while_a_run_goes_on():
    """Its next round would have swept it off."""
    chosen = SimpleNamespace(value=next(iter(shelf.recordings())))
    turns.ask(REQUEST.session_hash)
    for player, message, *others in (
        shelf.choose_recording(REQUEST, chosen),
        shelf.open_trace(REQUEST, "assets/traces/greedy.json.gz"),
    ):
        assert player == gr.skip() and all(each == gr.skip() for each in others)
        assert message["text"] == "A run is going on in Watch. Wait for its end, or press Stop there."
    turns.leave(REQUEST.session_hash)
    assert shelf.choose_recording(REQUEST, chosen)[0]["chunks"]


def test_files_are_written_of_a_whole_run_that_is_shown():
    trace = load("assets/traces/greedy.json.gz")
    shown = recorded_value(trace)
    assert load(files.write_trace(shown)) == trace
    assert "specPlayer" in files.write_page(shown).read_text()
    assert "graphml" in files.write_forest(shown, 2).read_text()
    for value, said in ((live_value(), "No run"), (newest(live_value(), ["[]"] * 40), "is going on")):
        with pytest.raises(PlaygroundError, match=said):
            files.shown_trace(value)


def test_the_name_of_a_file_cannot_leave_its_folder():
    """A trace is opened from anywhere, and its method names the file that is written on the server."""
    started, *rest = load("assets/traces/greedy.json.gz").events
    for method in ("/etc/evil", "../../evil", "a\x00b", "." * 200, ""):
        trace = Trace((replace(started, method=method), *rest))
        assert files.write_trace(recorded_value(trace)).parent.parent == folder()


def test_one_page_has_one_run():
    turns.ask("page")
    begun = turns.next_turn("page")
    turns.begin(begun)
    with pytest.raises(PlaygroundError, match="Press Stop"):
        turns.ask("page")
    assert turns.stop("page") == [begun] and begun.stop.is_set()
    turns.ask("page")  # the stopped one still goes on to the end of its round
    assert turns.next_turn("page") is begun
    turns.forget("page", begun)
    assert not turns.next_turn("page").stop.is_set()
    turns.forget("page", turns.next_turn("page"))
    assert not turns.is_asked("page")


def test_a_run_that_never_began_blocks_nothing_once_it_is_stopped():
    """Its event may have been refused or lost on the way; if it comes after all, one run is made and not two."""
    turns.ask("page")
    turns.stop("page")
    turns.ask("page")
    for is_stopped in (False, True):
        with turns.current("page") as turn:
            assert turn.stop.is_set() == is_stopped
    assert not turns.is_asked("page")


def test_what_nobody_asked_for_is_not_run():
    """Whoever posts the run alone could not stop it, and everyone else would wait."""
    assert list(watch(REQUEST, WatchForm())) == [Shown()]
    turns.ask(REQUEST.session_hash, "race in the Compare tab")
    assert list(watch(REQUEST, WatchForm())) == [Shown()], "a race was asked for, not a run"


def test_the_address_names_a_run_from_its_first_second_if_it_has_room():
    for prompt, has_room in (("Tom", True), ("Tom " * 1000, False)):
        message = turn.ask(REQUEST, form(prompt, seed=3))[3]
        query = dict(parse_qsl((message["link"] or {}).get("setup", "")))
        assert (query.get("prompt"), query.get("seed")) == ((prompt, "3") if has_room else (None, None))
        turns.leave(REQUEST.session_hash)
