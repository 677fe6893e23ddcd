"""The Recommend tab's handlers, on a shop of a few dozen items and models that have learnt next to nothing."""

import json
from dataclasses import replace
from functools import partial
from urllib.parse import parse_qsl

import pytest

from playground.errors import PlaygroundError
from playground.recommender import paying
from playground.recommender.recommend import load_recommender
from playground.recommender.versions import VERSIONS
from playground.ui.recommend import press, recorded, tab, tables
from playground.ui.recommend.form import RecommendForm, user_with
from tests.makers.recommender.tiny import tiny_models, tiny_shop


@pytest.fixture(autouse=True)
def small(monkeypatch):
    for module in (press, tab):
        monkeypatch.setattr(module, "load_shop", tiny_shop)
    monkeypatch.setattr(press, "load_recommender", partial(load_recommender, models=tiny_models()))


def form(items=None, **changes):
    user = tiny_shop().tested()[3]
    history = {"items": list(user.history) if items is None else items}
    return RecommendForm(**{"history": history, "top_k": 5, "drafts": 12} | changes)


def test_a_press_makes_three_lists_of_which_the_strict_one_is_beam_searchs():
    value, message, _ = tab.show(form())
    assert message["kind"] == "quiet"
    strict, relaxed, plain = value["lists"]
    assert [each["kind"] for each in value["lists"]] == ["strict", "relaxed", "none"]
    assert strict["same"] and [each["id"] for each in strict["items"]] == [each["id"] for each in plain["items"]]
    assert len(strict["items"]) == 5 and relaxed["shared"] <= 5
    assert strict["facts"]["target_calls"] <= plain["facts"]["target_calls"] == strict["facts"]["steps"] == 4
    held_out = [each["id"] for each in value["bought_next"]]
    assert held_out == list(tiny_shop().tested()[3].held_out)
    assert all(each["hit"] == (each["id"] in held_out) for each in strict["items"])
    json.dumps(value, allow_nan=False)
    listed = {each["id"] for result in value["lists"] for each in result["items"]} | set(form().items())
    identifiers = tiny_shop().identifiers.tokens
    assert {" ".join(map(str, identifiers[item])) for item in listed} <= value["names"].keys(), "all complete ones"
    assert tab.show(form([1, 2, 3]))[0]["bought_next"] == [] and user_with(tiny_shop(), [1, 2, 3]) is None


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"items": []}, "The history is empty. Choose a user"),
        ({"items": [1, 999]}, "Item 999, number 2 of the history"),
        ({"items": ["1"]}, "history could not be read"),
        ({"items": [1] * 101}, "101 items; 100 is the most"),
        ({"top_k": 61}, "A list of 61 items is out of range"),
        ({"top_k": None}, "K must be a whole number"),
        ({"drafts": 3}, "3 drafts cannot hold 5 items"),
        ({"version": "atspeed_t"}, "Unknown draft version 'atspeed_t'"),
        ({"seed": -1}, "The seed -1 is out of range"),
    ],
)
def test_what_cannot_be_is_one_sentence_and_changes_nothing(asked, sentence):
    panel, message, answer = tab.show(form(**asked))
    assert message["kind"] == "error" and sentence in message["text"]
    assert not isinstance(panel, dict) or "lists" not in panel
    tab.show_versions(form(**asked), answer)  # A step after a press raises nothing, either.


def test_where_speculation_pays_is_measured_and_set(monkeypatch):
    """Seconds are the machine's; here every list of one item is found in half the time of beam search."""
    monkeypatch.setattr(press, "LISTS", (1, 3))
    monkeypatch.setattr(paying, "REPEATS", 1)

    def is_short(trace):
        return trace.finished.draft_calls and trace.started.options["width"] == 1

    monkeypatch.setattr(paying, "_seconds", lambda trace: 1.0 if is_short(trace) else 2.0)
    *under_way, last = tab.show_paying("atspeed_s")
    assert [update[1]["text"] for update in under_way] == [f"Measuring: {done} of 6 settings." for done in (0, 3, 6)]
    [table] = under_way[-1][0]["tables"]
    assert [row["title"] for row in table["rows"]] == ["K = 1", "K = 3"]
    assert [cell["text"][:4] for row in table["rows"] for cell in row["cells"]] == ["2.00"] * 3 + ["1.00"] * 3
    assert "2.00 times as fast as beam search" in last[1]["text"] and last[2:] == (1, 1, 1)
    assert last[0] == tab.gr.skip()
    monkeypatch.setattr(press, "LISTS", (1,))
    monkeypatch.setattr(paying, "_seconds", lambda trace: 4.0 if trace.finished.draft_calls else 3.0)
    *_, last = tab.show_paying("atspeed_s")
    assert last[1]["text"].startswith("Speculation is nowhere clearly faster here.")
    assert "0.75 times" in last[1]["text"] and all(each == tab.gr.skip() for each in last[2:])


def test_every_draft_stands_beside_the_others_or_a_sentence(monkeypatch):
    panel, _, answer = tab.show(form())
    value, _ = tab.show_versions(form(), answer)
    [table] = value["tables"]
    assert [row["title"] for row in table["rows"]] == list(VERSIONS.values())
    assert [row["chosen"] for row in table["rows"]].count(True) == 1
    assert all(len(row["cells"]) == len(table["columns"]) == 8 for row in table["rows"])
    [chosen] = [row for row in table["rows"] if row["chosen"]]
    times = [f"{each['facts']['milliseconds']:.0f}" for each in panel["lists"] if each["kind"] in ("strict", "relaxed")]
    assert [chosen["cells"][column]["text"] for column in (3, 7)] == times, "one time for one run"
    monkeypatch.setattr(tab, "versions_beside", lambda form, panel: 1 // 0)
    assert "broke off (ZeroDivisionError)" in tab.show_versions(form(), {})[1]["text"]


def test_the_row_of_a_draft_has_accepted_steps_of_those_that_can_be_saved_and_per_call():
    facts = {"target_calls": 2, "accepted_steps": 3, "steps": 5, "milliseconds": 20.6}
    [row] = tables.beside([{"title": "a", "version": "a", "strict": facts, "relaxed": facts}], "a")["rows"]
    assert [cell["text"] for cell in row["cells"]] == ["2", "3 of 4", "1.50", "21"] * 2


def test_a_user_of_the_menu_fills_the_history():
    user = tiny_shop().tested()[3]
    history, message, panel, versions = tab.choose(user.id)
    assert panel is versions is None and message["text"] == "Press Recommend.", "no list of somebody else stays"
    assert history["items"] == list(user.history) and len(history["names"]) == len(user.history)
    assert "Unknown user 10000" in tab.choose(10_000)[1]["text"]
    assert tab.choose(None)[1]["kind"] in ("error", "quiet")


def test_a_press_asks_for_what_the_controls_say_then_and_its_address_leads_there():
    pressed = form([3, 1])
    request, message, query = tab.ask(pressed)
    assert request is pressed and message["text"] == "Recommending ..."
    assert dict(parse_qsl(query.removeprefix("?")))["items"] == "3,1"
    assert tab.ask(form(items="damaged"))[0].history == {"items": "damaged"}, "what is wrong is said by the answer"


def test_a_link_brings_history_and_choices_back():
    filled = form([3, 1], version="sft")
    query = tab.make_link(filled)
    message, history, top_k, drafts, *_ = tab.follow(dict(parse_qsl(query.removeprefix("?"))))
    assert message["text"] == "Filled in from the link. Press Recommend."
    assert history["items"] == [3, 1] and (top_k, drafts) == (5, 12)
    assert "'x'" in tab.follow({"tab": "recommend", "items": "1,x"})[0]["text"]
    assert "Item 60" in tab.follow({"tab": "recommend", "items": "60"})[0]["text"]
    assert "nope" in tab.follow({"tab": "recommend", "nope": "1"})[0]["text"]


def test_the_evaluation_stands_above_the_papers_numbers(tmp_path, monkeypatch):
    spread, path = {"low": 1.0, "high": 2.0}, tmp_path / "evaluation.json"
    speeds = {"as": {"mean": 1.5, **spread}, "ws": {"median": 0.9, **spread}}
    rows = [{"version": "sft", "verification": "strict", "k": 1, **speeds}]
    about = {"users": 10, "shop": "a shop", "machine": {"processor": "one"}, "on": "2026-11-22", "drafts": "40"}
    path.write_text(json.dumps(about | {"rows": rows}))
    monkeypatch.setattr(tables, "EVALUATION", path)
    table, quality = tables.published.__wrapped__()
    cells = table["rows"][0]["cells"]
    assert table["rows"][0]["title"] == "Strict, SFT" and len(cells) == len(table["columns"]) == 10
    assert cells[0] | {"title": ""} == {"text": "1.50", "below": "2.19", "title": ""} and cells[5]["below"] == "1.88"
    assert quality["rows"][1]["title"] == "Strict, AtSpeed-S" and len(quality["rows"]) == 4
    assert cells[1]["text"] == "–" and len(table["rows"]) == 2 * len(VERSIONS)
    monkeypatch.setattr(tables, "EVALUATION", tmp_path / "none.json")
    assert tables.published.__wrapped__() == []


def test_a_recorded_press_opens_again_and_only_with_its_models(tmp_path, monkeypatch):
    monkeypatch.setattr(recorded, "MODELS", tiny_models())
    path, request = tmp_path / "recommendation.json.gz", replace(form(), seed=1)
    report = {"processor": "one", "threads": 1}
    recorded.write_recommendation(path, request.items(), press.pressed(request), {"rows": []}, report)
    result = recorded.read_recommendation(path)
    assert result["items"] == request.items() and "Recorded on" in result["versions"]["tables"][0]["note"]
    monkeypatch.setattr(recorded, "MODELS", tmp_path)
    recorded.read_recommendation.cache_clear()
    with pytest.raises(PlaygroundError, match=r"recorded with .* Press Recommend to make one"):
        recorded.read_recommendation(path)


def test_the_form_opens_on_the_numbers_of_the_recorded_press():
    """Beside a list of ten items it must not ask for one."""
    panel = recorded.read_recommendation()["panel"]
    assert {len(each["items"]) for each in panel["lists"]} == {RecommendForm.top_k}
