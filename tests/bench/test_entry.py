"""Entries of a race: labels tell them apart, and the same thing does not run twice."""

import pytest

from playground.bench.entry import enter, read_choices
from playground.decoding.method import methods
from playground.errors import PlaygroundError


def labels(text):
    return [entry.label for entry in enter(read_choices(text))]


def test_a_method_alone_is_called_by_its_id():
    assert labels("rsd_c,rsd_s:width=2") == ["rsd_c", "rsd_s"]


def test_namesakes_carry_the_options_they_differ_in_and_no_others():
    assert labels("rsd_s:width=2,rsd_s:draft_length=4:width=2,rsd_c") == [
        "rsd_s draft_length=3",
        "rsd_s draft_length=4",
        "rsd_c",
    ]


def test_an_entry_holds_every_option():
    assert enter([("rsd_s", {"width": "2"})])[0].options == {"draft_length": 3, "width": 2}


def test_all_enters_every_method_once():
    assert labels("all") == list(methods())


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
    ],
)
def test_what_cannot_enter_is_refused_in_a_sentence(text, message):
    with pytest.raises(PlaygroundError, match=message):
        enter(read_choices(text))


def test_an_entry_says_who_drafts_and_stands_beside_itself_with_another_drafter():
    text = "speculative_sampling,speculative_sampling:drafter=exit4,speculative_sampling:draft_length=2:drafter=suffix"
    entries = enter(read_choices(text))
    assert [entry.drafter for entry in entries] == ["draft", "exit4", "suffix"]
    assert [entry.label for entry in entries] == [
        "speculative_sampling draft_length=4",
        "speculative_sampling draft_length=4 drafter=exit4",
        "speculative_sampling draft_length=2 drafter=suffix",
    ]
    assert all("drafter" not in entry.options for entry in entries)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("prompt_lookup:drafter=suffix", "has no draft model"),
        ("rsd_s:drafter=exitt4", "Unknown drafter"),
        ("rsd_s:drafter=exit4,rsd_s:drafter=exit4", "is listed twice"),
    ],
)
def test_a_drafter_that_cannot_be_is_refused(text, said):
    with pytest.raises(PlaygroundError, match=said):
        enter(read_choices(text))
