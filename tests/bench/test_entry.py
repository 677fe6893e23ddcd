"""Entries of a race: labels tell them apart, and the same thing does not run twice."""

import pytest

from playground.bench.entry import enter, read_choices
from playground.decoding.method import methods
from playground.errors import PlaygroundError


def labels(text):
    return [entry.label for entry in enter(read_choices(text))]


def test_a_method_alone_is_called_by_its_id_and_namesakes_carry_the_options_they_differ_in():
    assert labels("rsd_c,rsd_s:width=2") == ["rsd_c", "rsd_s"] and labels("all") == list(methods())
    namesakes = "rsd_s:width=2,rsd_s:draft_length=4:width=2,rsd_c"
    assert labels(namesakes) == ["rsd_s draft_length=3", "rsd_s draft_length=4", "rsd_c"]
    assert enter([("rsd_s", {"width": "2"})])[0].options == {"draft_length": 3, "width": 2}, "every option"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rsd_s,rsd_s", "is listed twice"),
        ("rsd_s,rsd_s:width=3", "is listed twice"),  # 3 is the default
        ("rsd_s:width", "width has no value"),
        ("rsd_s:", "no value"),
        ("rsd_s:with=3", "Did you mean 'width'"),
        ("rsd_s:width=99", "out of range"),
        ("rsd", "Unknown method"),
        ("", "Unknown method"),
        ("prompt_lookup:drafter=suffix", "has no draft model"),
        ("rsd_s:drafter=exitt4", "Unknown drafter"),
        ("rsd_s:drafter=exit4,rsd_s:drafter=exit4", "is listed twice"),
    ],
)
def test_what_cannot_enter_is_refused_in_a_sentence(text, message):
    with pytest.raises(PlaygroundError, match=message):
        enter(read_choices(text))


def test_an_entry_says_who_drafts_and_stands_beside_itself_with_another_drafter():
    entries = enter(read_choices("rsd_c,rsd_s,rsd_s:drafter=exit4,rsd_s:draft_length=2:drafter=suffix"))
    assert [entry.drafter for entry in entries] == ["draft", "draft", "exit4", "suffix"]
    drafters = ["draft_length=3", "draft_length=3 drafter=exit4", "draft_length=2 drafter=suffix"]
    assert [entry.label for entry in entries] == ["rsd_c", *(f"rsd_s {each}" for each in drafters)]
    assert all("drafter" not in entry.options for entry in entries)
