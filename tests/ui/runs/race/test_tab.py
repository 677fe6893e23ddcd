"""The Compare tab's handlers, called as plain functions."""

from dataclasses import replace
from types import SimpleNamespace
from urllib.parse import parse_qsl

import gradio as gr
import pytest

from playground.bench.prompts import USES
from playground.metrics.interval import least_prompts
from playground.ui.live import turns
from playground.ui.page.model_chooser import BUNDLED, REAL
from playground.ui.page.prompt_chooser import FILE, ONE, PRESET, choose_source
from playground.ui.page.take_away import told_link
from playground.ui.runs.race import lineup
from playground.ui.runs.race import tab as compare
from playground.ui.runs.race.link import follow, make_link
from playground.ui.runs.race.papers import preset_values
from playground.ui.runs.race.runs import RaceRuns
from playground.ui.runs.race.setup import RaceForm, first_form
from playground.ui.runs.race.tab import KIND, make_race
from playground.ui.runs.race.variant import add_variant
from tests.decoding.runs import chosen
from tests.ui.runs.sweep.sweeps import PAIR

REQUEST = SimpleNamespace(session_hash="page")


def form(**changes):
    return RaceForm(**{"methods": ["speculative_sampling"], "prompts": 1, "tokens": 8, "repeats": 2} | changes)


def run(**changes):
    """Return all updates of the page after a press of Race on toys."""
    changes = {"source": ONE, "prompt": "ab"} | changes
    checked = KIND.ask(make_race, REQUEST, form(**changes))[-2]
    return list(KIND.run_job(REQUEST, checked))


@pytest.mark.parametrize("pair", [BUNDLED, REAL])
def test_the_first_race_is_small(pair):
    """Some 36 runs with their warm-ups, or 55 with the chat model: under 30 seconds on two cores, at .3 to .5 each."""
    first = first_form(pair)
    entries = len(lineup.entries(first.methods))
    assert entries * (1 + first.prompts * first.repeats) <= 55 and first.tokens <= 64
    assert first.prompts >= least_prompts(len(first.methods)), "fewer prompts would have no interval"


def test_another_pair_brings_what_suits_it_and_leaves_what_a_reader_has_changed():
    names = list(vars(RaceForm()))
    values = dict(zip(names, compare.follow_pair(replace(RaceForm(), pair=REAL, tokens=24)), strict=True))
    chat = first_form(REAL)
    assert (values["set"], values["prompts"], values["temperature"]) == (USES, chat.prompts, chat.temperature)
    assert tuple(values["methods"].value) == chat.methods and values["tokens"] == values["pair"] == gr.skip()
    back = dict(zip(names, compare.follow_pair(replace(chat, pair=BUNDLED, methods=["rsd_s"])), strict=True))
    assert (back["set"], back["methods"]) == (RaceForm().set, gr.skip())


def test_the_plan_counts_the_runs():
    plan = compare.plan_of(form(methods=["rsd_s", "spectr"], prompts=4, tokens=32, repeats=3))["text"]
    assert plan.startswith("Your own race: 3 methods on 4 prompts, 3 times, 36 runs of up to 32 tokens")
    assert compare.plan_of(form(methods=[]))["text"] == ""
    assert compare.plan_of(form(repeats=None))["text"] == ""


WIDE = {"rsd_s": {"draft_length": 3, "width": 2}}


@pytest.mark.parametrize(
    ("chosen", "variant", "after", "said"),
    [
        (["rsd_s"], ("rsd_s", WIDE), ["rsd_s", "rsd_s:width=2"], "RSD-S (beam width 2) was added"),
        ([], ("rsd_s", {}, "exit4"), ["rsd_s:drafter=exit4"], "first 4 layers of the target"),
        (["rsd_s:width=2"], ("rsd_s", WIDE), None, "is in already"),
        ([], ("autoregressive", {}, "exit4"), None, "has no draft model"),
        ([], ("rsd_s", {"rsd_s": {"width": 99}}), None, "out of range"),
    ],
)
def test_a_variant_is_added_or_refused(chosen, variant, after, said):
    line_up, message = add_variant(chosen, *variant)
    assert said in message["text"] and (line_up.value == after if after else line_up == gr.skip())


@pytest.mark.parametrize("source", [PRESET, ONE, FILE])
def test_each_source_of_prompts_shows_its_own_field(source):
    preset, typed, file, number, chat = choose_source(source)
    shown = {name: part.visible for name, part in ((PRESET, preset), (ONE, typed), (FILE, file))}
    assert shown == {name: name == source for name in shown} and number.visible == (source != ONE)
    assert chat.visible == (source != PRESET)


def test_the_panel_has_every_run_while_they_are_measured_and_in_the_end_the_results(monkeypatch):
    monkeypatch.setattr("playground.ui.page.job.chosen_models", lambda *_: chosen(PAIR))
    monkeypatch.setattr(RaceRuns, "least_interval_s", 0.0)
    *updates, (panel, message, result, _) = run()
    updates = [update for update in updates if update[0].get("measuring")]
    assert not any(update[0]["race"] for update in updates)
    done = [[len(lane["rates"]) for lane in update[0]["measuring"]["lanes"]] for update in updates]
    assert done[0] == [0, 0] and done[-1] == [2, 2] and {update[0]["measuring"]["runs"] for update in updates} == {2}
    assert [sum(each) for each in done] == [0, 1, 2, 3, 4]
    assert [lane["label"] for lane in panel["lanes"]] == ["autoregressive", "speculative_sampling"]
    assert message["text"].startswith("Done: 4 measured runs")
    assert result.rows[0]["speed_up"]["median"] == 1 and len(result.runs.rows) == 4
    assert not turns.is_asked("page"), "the page's race must be forgotten"


def followed(query):
    """(message, leave, what the form's controls are set to)."""
    message, _, leave, *controls = follow(query)
    return message, leave, RaceForm(*controls)


def test_a_link_sets_up_the_race_it_was_made_from():
    changes = {"source": ONE, "prompt": "<img src=x onerror=alert(1)> & ${x}", "tokens": 32, "temperature": 0.5}
    query = make_link(RaceForm(methods=["rsd_s:width=2", "typical_acceptance"], **changes))
    message, leave, shown = followed(dict(parse_qsl(query[1:])))
    assert "Press Race" in message["text"]
    assert shown.methods.value == ["rsd_s:width=2", "typical_acceptance"]
    assert {name: getattr(shown, name) for name in changes} == changes
    assert (shown.paper, shown.seed, leave.visible) == ("", 0, False)


def test_a_link_to_a_papers_comparison_holds_only_what_was_changed():
    given = preset_values("rsd-figure5")
    query = make_link(RaceForm(**given | {"tokens": 16}))
    assert parse_qsl(query[1:]) == [("tab", "compare"), ("paper", "rsd-figure5"), ("tokens", "16")]
    _, leave, shown = followed(dict(parse_qsl(query[1:])))
    assert (shown.paper, shown.source, shown.tokens) == ("rsd-figure5", given["source"], 16) and leave.visible
    assert shown.methods.value == given["methods"]
    assert "RSD, Figure 5" in follow(dict(parse_qsl(query[1:])))[1]["text"]


def test_a_link_for_watch_is_not_followed_here_nor_the_other_way_round():
    assert all(part == gr.skip() for part in follow({"seed": "3"}))
    assert follow({"tab": "compare", "__theme": "dark"})[0] == gr.skip()
    query = make_link(RaceForm(methods=["rsd_s"]))
    assert query.startswith("?tab=compare&")


def test_a_link_fills_the_menu_with_what_it_offers():
    """A value that the menu does not have ends in Gradio's own error when Race is pressed."""
    message, _, shown = followed({"tab": "compare", "methods": "autoregressive,rsd_s:width=3.0,spectr:num_drafts=2"})
    offered = {value for _, value in shown.methods.choices}
    assert shown.methods.value == ["rsd_s", "spectr:num_drafts=2"] and offered.issuperset(shown.methods.value)
    assert message["kind"] == "quiet"
    message, _, shown_too = followed({"tab": "compare", "methods": "atspeed_relaxed:width=8"})
    assert shown_too.methods.value == ["atspeed_relaxed:width=8"], "a width that was never measured"
    assert message["kind"] == "quiet"
    everything = followed({"tab": "compare", "methods": "all"})[2].methods
    assert len(everything.value) > 10 and {value for _, value in everything.choices}.issuperset(everything.value)


@pytest.mark.parametrize(
    ("query", "phrase", "is_left"),
    [
        ({"methods": "autoregressive"}, "more methods", False),
        ({"methods": "rsd_s:width=99"}, "out of range", False),
        ({"methods": "nobody"}, "Unknown method", False),
        ({"methods": "rsd_s,rsd_s"}, "is listed twice", False),
        ({"paper": "rsd-figure-5"}, "Did you mean 'rsd-figure5'", False),
        ({"tokens": "many"}, "tokens 'many' is not a number", True),
        ({"colour": "red"}, "no 'colour'", True),
        ({"methods": "rsd_s:width=2,nobody"}, "no method 'nobody'", True),
        ({"methods": "rsd_s:width=2,rsd_s:colour=2"}, "no method 'rsd_s:colour=2'", True),
    ],
)
def test_a_wrong_word_in_a_link_drops_itself_alone_or_all_where_no_race_is_left(query, phrase, is_left):
    message, *others = follow({"tab": "compare", "seed": "7"} | query)
    assert phrase in message["text"] and message["kind"] == "error"
    assert (7 in others) == is_left and (is_left or all(part == gr.skip() for part in others))
    if is_left:
        assert RaceForm.read_link(query).get("methods", ["rsd_s:width=2"]) == ["rsd_s:width=2"]


def test_a_file_cannot_be_in_a_link():
    query, message = told_link(lambda: make_link(RaceForm(source=FILE)))
    assert query == "" and "A link holds no file" in message["text"]
