"""The Compare tab's handlers, called as plain functions."""

from types import SimpleNamespace
from urllib.parse import parse_qsl

import gradio as gr
import pytest

from playground.metrics.interval import LEAST_PROMPTS
from playground.ui import build as page
from playground.ui.live import turns
from playground.ui.page.form import Checked
from playground.ui.page.job import Shown
from playground.ui.page.progress import queue_message
from playground.ui.page.prompt_chooser import FILE, ONE, PRESET, choose_source
from playground.ui.race import lineup
from playground.ui.race import tab as compare
from playground.ui.race import turn as race_turn
from playground.ui.race.link import follow, link_to
from playground.ui.race.papers import preset_values
from playground.ui.race.runs import RaceRuns
from playground.ui.race.setup import RaceForm, race_setup
from playground.ui.race.variant import add_variant
from playground.ui.watch import turn as watch_turn
from playground.ui.watch.form import WatchForm

REQUEST = SimpleNamespace(session_hash="page")


def form(**changes):
    return RaceForm(**{"methods": ["speculative_sampling"], "prompts": 1, "tokens": 8, "repeats": 2} | changes)


def run(**changes):
    """Messages after a press of Race, one after the other."""
    if turns.is_asked("page"):
        request = Checked(RaceRuns(race_setup(form(**changes))))
    else:
        *_, refusal, request, _ = race_turn.ask(REQUEST, form(**changes))
        if request == gr.skip():
            return [Shown(message=refusal)]
    return list(race_turn.run_race(REQUEST, request))


@pytest.fixture(autouse=True)
def nobody_waits():
    yield
    turns._turns.clear()


# -- the page ----------------------------------------------------------------------------------------------------------


def test_the_page_has_both_tabs_and_watch_comes_first():
    config = page.build().get_config_file()
    tabs = [part["props"]["label"] for part in config["components"] if part["type"] == "tabitem"]
    assert tabs[:2] == ["Watch", "Compare"]
    ids = {part["props"].get("elem_id") for part in config["components"]}
    assert {"player", "run", "race", "race-stop", "race-methods", "race-panel", "race-notice"} <= ids


def test_the_first_race_is_small():
    """Some 36 runs with their warm-ups: under 30 seconds on two cores, where one takes a third of a second."""
    entries = len(lineup.entries(lineup.FIRST))
    first = RaceForm()
    assert entries * (1 + first.prompts * first.repeats) <= 45 and first.tokens <= 64
    assert first.prompts >= LEAST_PROMPTS, "fewer prompts would have no interval"


def test_a_variant_is_added_and_a_second_time_refused():
    chosen, message = add_variant(["rsd_s"], "rsd_s", {"rsd_s": {"draft_length": 3, "width": 2}})
    assert chosen.value == ["rsd_s", "rsd_s:width=2"] and "RSD-S (beam width 2) was added" in message["text"]
    chosen, message = add_variant(["rsd_s:width=2"], "rsd_s", {"rsd_s": {"draft_length": 3, "width": 2}})
    assert chosen == gr.skip() and "is in the race already" in message["text"]
    chosen, message = add_variant([], "rsd_s", {}, "exit4")
    assert chosen.value == ["rsd_s:drafter=exit4"] and "first 4 layers of the target" in message["text"]
    chosen, message = add_variant([], "autoregressive", {}, "exit4")
    assert chosen == gr.skip() and "takes no drafter" in message["text"]
    chosen, message = add_variant([], "rsd_s", {"rsd_s": {"draft_length": 3, "width": 99}})
    assert chosen == gr.skip() and "out of range" in message["text"]


def test_the_plan_counts_the_runs():
    plan = compare.plan_of(form(methods=["rsd_s", "spectr"], prompts=4, tokens=32, repeats=3))["text"]
    assert plan.startswith("Race will run 3 methods on 4 prompts, 3 times: 36 runs of up to 32 tokens")
    assert compare.plan_of(form(methods=[]))["text"] == ""
    assert compare.plan_of(form(repeats=None))["text"] == ""


@pytest.mark.parametrize("source", [PRESET, ONE, FILE])
def test_each_source_of_prompts_shows_its_own_field(source):
    preset, typed, file, number = choose_source(source)
    shown = {name: part.visible for name, part in ((PRESET, preset), (ONE, typed), (FILE, file))}
    assert shown == {name: name == source for name in shown} and number.visible == (source != ONE)


# -- lining up ---------------------------------------------------------------------------------------------------------


def test_asking_lines_up_and_what_cannot_be_raced_does_not():
    start, stop, message, request, clock = race_turn.ask(REQUEST, form())
    assert not start.interactive and stop.interactive and request.what.grid.repeats == 2 and clock.active
    assert "Waiting" in message["text"] and turns.is_asked("page")
    turns.stop("page")
    turns._turns.clear()
    *untouched, _, _ = race_turn.ask(REQUEST, form(source=ONE, prompt=" "))
    assert untouched[:2] == [gr.skip(), gr.skip()] and "The prompt is empty" in untouched[2]["text"]
    assert not turns.is_asked("page")


def test_one_page_has_one_race():
    race_turn.ask(REQUEST, form())
    *_, message, request, _ = race_turn.ask(REQUEST, form())
    assert "A race in the Compare tab is going on" in message["text"] and request == gr.skip()


def test_a_second_race_is_told_its_place():
    for session in ("first", "second", "page"):
        race_turn.ask(SimpleNamespace(session_hash=session), form())
    assert turns.ahead("first") == 0 and turns.ahead("page") == 2
    assert "2 runs on other pages come first" in queue_message(REQUEST)["text"]
    turns.stop("first")
    assert "1 run on other pages comes first" in queue_message(REQUEST)["text"]
    turns.next_turn("page", race_turn.WHAT).has_begun = True
    assert queue_message(REQUEST) == gr.skip()


def test_stop_before_the_turn_runs_nothing():
    race_turn.ask(REQUEST, form())
    start, stop, message, clock = race_turn.stop_race(REQUEST, None)
    assert start.interactive and not stop.interactive and not clock.active
    assert message["text"] == "Stopped before it began."
    assert [update[:3] for update in run()] == [(gr.skip(),) * 3]
    assert not turns.is_asked("page")


def test_stop_with_nothing_running_says_so():
    assert "It had already ended" in race_turn.stop_race(REQUEST, None)[2]["text"]


# -- racing ------------------------------------------------------------------------------------------------------------


def test_a_race_ends_with_its_results():
    race_turn.ask(REQUEST, form())
    *_, (panel, message, result, _, _) = run()
    assert [lane["label"] for lane in panel["lanes"]] == ["autoregressive", "speculative_sampling"]
    assert message["text"].startswith("Done: 4 measured runs")
    assert result.rows[0]["speed_up"]["median"] == 1 and len(result.runs.rows) == 4
    assert not turns.is_asked("page"), "the page's race must be forgotten"


def test_the_panel_has_every_run_while_they_are_measured(monkeypatch):
    monkeypatch.setattr(RaceRuns, "least_interval_s", 0.0)
    race_turn.ask(REQUEST, form())
    updates = [update for update in run() if update[0].get("measuring")]
    assert not any(update[0]["race"] for update in updates)
    done = [[len(lane["rates"]) for lane in update[0]["measuring"]["lanes"]] for update in updates]
    assert done[0] == [0, 0] and done[-1] == [2, 2] and {update[0]["measuring"]["runs"] for update in updates} == {2}
    assert [sum(each) for each in done] == [0, 1, 2, 3, 4]


def test_a_stopped_race_shows_what_was_measured():
    race_turn.ask(REQUEST, form(repeats=20, tokens=24))
    for update in race_turn.run_race(REQUEST, Checked(RaceRuns(race_setup(form(repeats=20, tokens=24))))):
        last = update
        if (update[1] or {}).get("done", 0) >= 6:
            assert race_turn.stop_race(REQUEST, None) == (gr.skip(),) * 4, "its last word is the race's own"
    panel, message, result, _, _ = last
    assert "Stopped after" in message["text"] and "of 40 runs" in message["text"]
    assert panel["race"] and 0 < len(result.runs.rows) < 40


def test_a_race_stopped_in_its_warm_up_leaves_the_panel_alone():
    race_turn.ask(REQUEST, form())
    updates = []
    for update in race_turn.run_race(REQUEST, Checked(RaceRuns(race_setup(form())))):
        updates.append(update)
        turns.stop("page")
    assert not any(update[0].get("race") for update in updates) and updates[-1][0] == race_turn.ONE_BEFORE
    assert updates[-1][1]["text"] == "Stopped before a run was done."


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"methods": []}, "more methods to compare"),
        ({"methods": ["rsd_s", "rsd_s"]}, "is listed twice"),
        ({"source": ONE, "prompt": ""}, "The prompt is empty"),
        ({"source": ONE, "prompt": "half \ud83d"}, "half a character"),
        ({"source": FILE}, "Prompts are missing"),
        ({"pair": "nonsense"}, "Unknown pair"),
        ({"pair": "other", "target": "/nowhere"}, "no folder"),
        ({"tokens": 10**6}, "out of range"),
    ],
)
def test_bad_input_is_one_message_and_leaves_the_panel_alone(changes, message):
    updates = run(**changes)
    assert message in updates[-1][1]["text"] and updates[-1][1]["kind"] == "error"
    assert all(update[0] in (gr.skip(), race_turn.ONE_BEFORE) and update[2] == gr.skip() for update in updates)


def test_a_bug_is_a_sentence_and_frees_the_device(monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("boom")

    monkeypatch.setattr("playground.ui.race.runs.race_runs", broken)
    updates = run()
    assert "broke off (RuntimeError)" in updates[-1][1]["text"] and updates[-1][0] == race_turn.ONE_BEFORE
    monkeypatch.undo()
    assert run()[-1][0]["race"]


# -- links -------------------------------------------------------------------------------------------------------------


def followed(query):
    """(message, leave, what the form's controls are set to)."""
    message, _, leave, *controls = follow(query)
    return message, leave, RaceForm(*controls)


def test_a_link_sets_up_the_race_it_was_made_from():
    changes = {"source": ONE, "prompt": "<img src=x onerror=alert(1)> & ${x}", "tokens": 32, "temperature": 0.5}
    query, _ = link_to(RaceForm(methods=["rsd_s:width=2", "typical_acceptance"], **changes))
    message, leave, shown = followed(dict(parse_qsl(query[1:])))
    assert "Press Race" in message["text"]
    assert shown.methods.value == ["rsd_s:width=2", "typical_acceptance"]
    assert {name: getattr(shown, name) for name in changes} == changes
    assert shown.paper == shown.seed == gr.skip() and not leave.visible


def test_a_link_to_a_papers_comparison_holds_only_what_was_changed():
    given = preset_values("rsd-figure5")
    query, _ = link_to(RaceForm(**given | {"tokens": 16}))
    assert parse_qsl(query[1:]) == [("tab", "compare"), ("paper", "rsd-figure5"), ("tokens", "16")]
    _, leave, shown = followed(dict(parse_qsl(query[1:])))
    assert (shown.paper, shown.source, shown.tokens) == ("rsd-figure5", given["source"], 16) and leave.visible
    assert shown.methods.value == given["methods"]
    assert "RSD, Figure 5" in follow(dict(parse_qsl(query[1:])))[1]["text"]


def test_a_link_for_watch_is_not_followed_here_nor_the_other_way_round():
    assert all(part == gr.skip() for part in follow({"seed": "3"}))
    assert follow({"tab": "compare", "__theme": "dark"})[0] == gr.skip()
    query, _ = link_to(RaceForm(methods=["rsd_s"]))
    assert query.startswith("?tab=compare&")


def test_a_link_fills_the_menu_with_what_it_offers():
    """A value that the menu does not have ends in Gradio's own error when Race is pressed."""
    message, _, shown = followed({"tab": "compare", "methods": "autoregressive,rsd_s:width=3.0,spectr:num_drafts=2"})
    offered = {value for _, value in shown.methods.choices}
    assert shown.methods.value == ["rsd_s", "spectr:num_drafts=2"] and offered.issuperset(shown.methods.value)
    assert message["kind"] == "quiet"
    everything = followed({"tab": "compare", "methods": "all"})[2].methods
    assert len(everything.value) > 10 and {value for _, value in everything.choices}.issuperset(everything.value)


def test_a_link_to_a_width_that_was_never_measured_sets_it_up():
    message, _, shown = followed({"tab": "compare", "methods": "atspeed_relaxed:width=8"})
    assert shown.methods.value == ["atspeed_relaxed:width=8"] and message["kind"] == "quiet"


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"methods": "autoregressive"}, "more methods to compare"),
        ({"methods": "rsd_s:width=99"}, "out of range"),
        ({"methods": "nobody"}, "Unknown method"),
        ({"methods": "rsd_s,rsd_s"}, "is listed twice"),
        ({"paper": "rsd-figure-5"}, "Did you mean 'rsd-figure5'"),
    ],
)
def test_nonsense_in_a_link_is_said_and_nothing_is_set(query, message):
    report, *others = follow({"tab": "compare"} | query)
    assert message in report["text"] and report["kind"] == "error"
    assert all(part == gr.skip() for part in others)


@pytest.mark.parametrize(
    ("query", "phrase"),
    [
        ({"tokens": "many"}, "tokens 'many' is not a number"),
        ({"colour": "red"}, "no 'colour'"),
        ({"methods": "rsd_s:width=2,nobody"}, "no method 'nobody'"),
        ({"methods": "rsd_s:width=2,rsd_s:colour=2"}, "no method 'rsd_s:colour=2'"),
    ],
)
def test_a_wrong_word_in_a_link_drops_itself_alone(query, phrase):
    message, *others = follow({"tab": "compare", "seed": "7"} | query)
    assert phrase in message["text"] and message["kind"] == "error"
    assert 7 in others
    assert RaceForm.read_link(query).get("methods", ["rsd_s:width=2"]) == ["rsd_s:width=2"]


def test_a_file_cannot_be_in_a_link():
    query, message = link_to(RaceForm(source=FILE))
    assert query == "" and "A file cannot be in a link" in message["text"]


def test_the_watch_tab_is_told_when_a_race_goes_on():
    race_turn.ask(REQUEST, form())
    with pytest.raises(gr.Error, match="A race in the Compare tab is going on"):
        watch_turn.ask(REQUEST, WatchForm())
