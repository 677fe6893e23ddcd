"""Every message of the page comes back as it was sent, and whatever else is sent gets one sentence."""

import json

import gradio as gr
import pytest
from msgspec import Struct, to_builtins
from msgspec.structs import fields

from playground.errors import PlaygroundError
from playground.exactness.live_check import Subject
from playground.ui.contract import from_page as sent
from playground.ui.contract.questions import Question
from playground.ui.contract.reading import receive, tag_of
from playground.ui.page.drawn_panel import heard
from tests.contract import messages
from tests.lab.test_expected_speed import SLIDERS

ROW = [0.4, 0.6]
DRAFTS = {"target": ROW, "draft": ROW, "num_drafts": 2, "rule": "recursive"}
COSTS = {"cost_ratio": 0.1, "round_ms": 20, "num_experts": 0, "per_token": 1}
LAB = {tag_of(each): each for each in messages(Question)}
MESSAGES = [
    sent.OpenRun("first"),
    sent.WhatIf(2, node=14, outcome="rejected"),
    sent.WhatIf(2, options={"draft_length": 6}),
    sent.LinkNoted(),
    sent.Turned(),
    sent.Chosen("rsd_s"),
    sent.OpenRecorded(),
    sent.ChoosePrompt(1),
    sent.WatchLane("rsd_s", 0),
    sent.ExplainRow("rsd_s"),
    sent.WatchPoint(3),
    sent.Edited(),
    sent.Took("run", 0.25),
    sent.ShopItems(),
    LAB["position"](**DRAFTS),
    LAB["curve"](**DRAFTS, curve="towards"),
    LAB["catalogue"](),
    LAB["start"](
        runs=[Subject("rsd_s", {"width": 3})],
        on="tables",
        prompt="",
        num_tokens=2,
        num_likeliest=4,
        samples=1000,
        seed=0,
    ),
    LAB["poll"](id="bench", seen=[0, 3]),
    LAB["stop"](id="bench"),
    LAB["speed"](passing=ROW, **SLIDERS),
    LAB["load"](rate=0.8, batch=8, draft_length=4, table="h100", costs="", **COSTS),
    LAB["batches"](draft_length=4),
    LAB["follow"](id="bench"),
    LAB["offered"](),
    LAB["recordings"](),
    LAB["contexts"](pair="bundled", draft_length=4),
    LAB["clocks"](draft_length=4, guesses=2, temperature=1.0),
    LAB["greedy"](pair="bundled", products="own"),
    LAB["greedy_recorded"](),
    LAB["open_trace"](name="run.json.gz", content=b"{}"),
    LAB["names"](),
    LAB["log"](content=b"{}", draft_cost=None, verify_cost=1),
]
HOSTILE = "<img src=x onerror=alert(1)>" * 10_000


def refusal(data, kind=sent.WatchLane):
    """The sentence that refuses what was sent, in which nothing of a program's is longer than a few words."""
    with pytest.raises(PlaygroundError) as error:
        receive(data, kind)
    said = str(error.value)
    assert len(said) < 400 and said.endswith("Reload the page.") and "Traceback" not in said, said
    return said.removesuffix(" Reload the page.")


def test_every_message_is_here_and_has_a_name_of_its_own():
    known = messages(sent.FromPage)
    assert {type(each) for each in MESSAGES} == set(known) and len({tag_of(each) for each in known}) == len(known)


@pytest.mark.parametrize("message", MESSAGES, ids=lambda each: type(each).__name__)
def test_a_message_comes_back_as_it_was_sent(message: Struct):
    data = json.loads(json.dumps(to_builtins(message)))
    assert receive(data, type(message)) == message
    assert type(message).__doc__ and receive(data, sent.OpenRun, type(message)) == message


@pytest.mark.parametrize("message", MESSAGES, ids=lambda each: type(each).__name__)
def test_each_of_its_fields_is_checked(message: Struct):
    kind, data = type(message), to_builtins(message)
    place = f"The message ({tag_of(kind)})"
    assert refusal(data | {"surprise": 1}, kind).startswith(f'{place}: the field "surprise" is unknown.')
    for field in fields(message):
        assert refusal(data | {field.name: {"a": [1]}} if field.name != "options" else data | {"options": 3}, kind)
        if field.required:
            missing = {name: value for name, value in data.items() if name != field.name}
            assert refusal(missing, kind) == f"{place}: the field '{field.name}' is missing."


@pytest.mark.parametrize("data", [None, [], 3, "watch_lane", {}, {"type": None}, {"type": ["watch_lane"]}])
def test_what_is_no_message_is_of_no_kind(data):
    assert refusal(data).startswith("The message is of the unknown kind ")


def test_a_value_of_another_type_is_said_with_its_field():
    lane = {"type": "watch_lane", "label": "rsd_s", "prompt": 0}
    assert refusal(lane | {"type": "watch_lain"}) == 'The message is of the unknown kind "watch_lain".'
    assert refusal(lane | {"prompt": "0"}) == 'The message (watch_lane), prompt: "0" is not a whole number.'
    assert refusal(lane | {"prompt": -1}) == ("The message (watch_lane), prompt: -1 is below the limit, 0.")
    assert "seconds" in refusal({"type": "took", "run": "run", "seconds": float("nan")}, sent.Took)


@pytest.mark.parametrize("data", [{"type": HOSTILE}, {"type": "watch_lane", "label": "", "prompt": HOSTILE}])
def test_a_hostile_text_is_cut_short(data):
    assert "<img" in refusal(data) and HOSTILE[:60] not in refusal(data)
    assert "half a character" in refusal({"type": "watch_lane", "label": "", "prompt": "\ud800"})


def test_an_event_of_a_panel_is_refused_in_a_notice_and_no_traceback():
    with pytest.raises(gr.Error, match="'label' is missing") as error:
        heard(gr.EventData(None, {"type": "explain_row"}), sent.ExplainRow)
    assert not error.value.print_exception
