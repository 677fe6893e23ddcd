"""A server's log in the Lab: every number of a log of four rounds, written by hand."""

import pytest

from playground.servers.findings import Length
from playground.servers.reading import Log
from playground.servers.record import Record
from playground.servers.server_log import _about_lengths, server_log
from playground.words import word

ROUNDS = ((3, 3), (3, 0), (2, 1), (3, 2))  # drafted, accepted
FIXED = Log((Record("vLLM", 12, 6, rounds=4, per_round=((3, 3), (3, 0), (3, 1), (3, 2))),), ())
LOG = Log((Record("vLLM", 11, 6, 10, 4, per_round=ROUNDS, seconds=2.5),), ("A note.",))


def charts(log=LOG, draft_cost=None, verify_cost=1.0):
    return {chart["id"]: chart for chart in server_log(log, draft_cost, verify_cost)["charts"]}


def bars(chart):
    (kind,) = chart["bars"]["kinds"]
    return list(kind["at"]), list(kind["values"])


def test_the_facts_of_a_log():
    shown = server_log(LOG, None, 1.0)
    assert (shown["title"], shown["notes"]) == ("vLLM: 1 record", ["A note."])
    assert shown["facts"] == [
        ["rounds", "4"], ["drafted", "11"], ["accepted", "6"], ["accepted / drafted", "54.5%"],
        ["accepted per round", "1.50"], ["tokens/s of decoding", "4.0"],
        ["tokens per target call", "2.50"],
        ["accepted up to each position", "75%, 50%, 25%"], ["given all before were accepted", "75%, 67%, 50%"],
    ]  # fmt: skip
    both = server_log(Log((*LOG.records, Record("SGLang", mean=2.0)), ()), None, 1.0)
    assert both["title"] == "vLLM and SGLang: 2 records" and both["facts"][0] == ["rounds", "–"]


def test_the_pictures_of_a_log():
    shown = charts()
    assert list(shown) == ["log_histogram", "log_survival", "log_timeline", "log_lengths"]
    assert bars(shown["log_histogram"]) == ([0, 1, 2, 3], [1, 1, 1, 1])
    assert shown["log_histogram"]["rows"]["body"] == [[0, 1], [1, 1], [2, 1], [3, 1]]
    assert shown["log_histogram"]["summary"] == "Of 4 rounds, 1 accepted none."
    assert bars(shown["log_survival"]) == ([1, 2, 3], [0.75, 0.5, 1 / 3]) and shown["log_survival"]["bars"]["share"]
    assert shown["log_survival"]["rows"]["body"] == [[1, 4, 3], [2, 4, 2], [3, 3, 1]]
    assert bars(shown["log_timeline"]) == ([1, 2, 3, 4], [3, 0, 1, 2])
    assert shown["log_timeline"]["rows"]["body"] == [[1, "3.000"], [2, "0.000"], [3, "1.000"], [4, "2.000"]]
    assert [(chart["bars"]["x"], chart["bars"]["y"]) for chart in shown.values()] == [
        ("accepted drafts", "rounds"), ("position in the draft", "rounds (%)"), ("position in the log", "accepted"),
        ("draft length", "tokens per target call"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("costs", "values", "summary"),
    [
        ((None, 1.0), (1.75, 2.25, 2.5), "Tokens per target call, with its own."),
        ((0.25, 1.0), (1.75 / 1.25, 2.25 / 1.5, 2.5 / 1.75),
         "By your costs 2 would have been best: 1.50 times plain decoding."),
        ((2.0, 1.0), (1.75 / 3, 2.25 / 5, 2.5 / 7), "By your costs no length would have paid"),
    ],
)  # fmt: skip
def test_another_length_in_hindsight(costs, values, summary):
    chart = charts(FIXED, *costs)["log_lengths"]
    assert bars(chart) == ([1, 2, 3], pytest.approx(values)) and chart["summary"].startswith(summary)
    plain = [f"{value:.2f}" for value in values] if costs[0] else ["–"] * 3
    assert chart["rows"]["body"] == [[1, "1.75", plain[0]], [2, "2.25", plain[1]], [3, "2.50", plain[2]]]


def test_a_length_that_is_as_fast_as_plain_decoding_does_not_lose():
    even, slower = ((Length(1, tokens, tokens, 1.5),) for tokens in (1.5, 1.4))
    assert _about_lengths(slower) == word("log_lengths_none") != _about_lengths(even)


def test_what_is_open_stands_on_what_is_known():
    """Of rounds (3, 3), (3, 0) and (1, 1) the last leaves positions 2 and 3 open: 5/3 at 1, 2 to 7/3 at 2."""
    rounds = ((3, 3), (3, 0), (1, 1))
    chart = charts(Log((Record("vLLM", 7, 4, 7, 3, per_round=rounds),), ()))["log_lengths"]
    known, opened = (kind["values"] for kind in chart["bars"]["kinds"])
    assert known[:2] == pytest.approx([5 / 3, 2]) and opened[:2] == pytest.approx([0, 1 / 3])
