"""Entries of a race: chosen, written, read back and called by a name."""

import pytest

from playground.bench.servers import SERVERS
from playground.decoding.method import make_method, methods
from playground.errors import PlaygroundError
from playground.ui.runs.race import lineup
from playground.ui.runs.race.tab import rule_of


def labels(*chosen):
    return [entry.label for entry in lineup.entries(chosen)]


def test_autoregressive_is_always_there_and_in_front_and_one_method_may_race_with_several_options():
    assert labels("rsd_s") == ["autoregressive", "rsd_s"]
    assert labels("rsd_s", "autoregressive") == ["rsd_s", "autoregressive"]
    assert labels("rsd_s", "rsd_s:width=2") == ["autoregressive", "rsd_s width=3", "rsd_s width=2"]


def test_groups_follow_from_what_methods_declare():
    groups = lineup.groups()
    known = methods()
    assert set(groups["All"]) == known.keys() - {"autoregressive"}
    assert all(known[name].lossless for name in groups["All lossless"])
    assert {"beam_search", "dsbd"} <= set(groups["Beam family"]) and "rsd_s" not in groups["Beam family"]
    for group in groups.values():
        assert lineup.entries(group) and set(group) <= {value for _, value in lineup.offered(group)}


def test_what_servers_do_is_lossless_and_says_where_it_is_from():
    """An entry is written in its shortest form, and every server has one, a version and a source."""
    entries = lineup.groups()[lineup.SERVERS_DO]
    assert lineup.in_menu(entries) == entries == [server.entry for server in SERVERS] and len(set(entries)) == 5
    for server in SERVERS:
        [(method, options)] = lineup.read_choices(server.entry)
        assert make_method(method, dict(options)).reproduces == "target sampling"
        address = f"(https://{server.source})"
        assert server.version and address in rule_of(server) and server.rule.endswith(".")


@pytest.mark.parametrize(
    ("values", "entry", "note"),
    [
        ({}, "rsd_s", ""),
        ({"width": 3}, "rsd_s", ""),  # the default
        ({"width": 2, "draft_length": 4}, "rsd_s:draft_length=4:width=2", " (draft length 4, beam width 2)"),
        ({"drafter": "exit4"}, "rsd_s:drafter=exit4", " (first 4 layers of the target)"),
    ],
)
def test_an_entry_says_only_what_is_not_the_default_and_is_offered_by_its_title(values, entry, note):
    assert lineup.written("rsd_s", values) == entry == lineup.written(*lineup.read_choices(entry)[0])
    assert lineup.in_menu([entry]) == [entry] and lineup.title("rsd_s", values) == f"RSD-S{note}"
    assert (f"RSD-S{note}", entry) in lineup.offered([entry])


def test_the_menu_offers_every_method_once():
    plain = [value for _, value in lineup.offered()]
    assert set(plain) == methods().keys() - {"autoregressive"} and len(plain) == len(set(plain))


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ([], "more methods"),
        (["autoregressive"], "more methods"),
        (["rsd_s", "rsd_s"], "is listed twice"),
        (["rsd_s", "rsd_s:width=3"], "is listed twice"),
        (["nope"], "Unknown method"),
        (["rsd_s:width=99"], "out of range"),
        (["<img src=x onerror=alert(1)>"], "Unknown method"),
        ([f"rsd_s:width={1 + i % 8}:draft_length={1 + i // 8}" for i in range(65)], "too many"),
    ],
)
def test_what_cannot_race_is_refused_in_a_sentence(chosen, message):
    with pytest.raises(PlaygroundError, match=message):
        lineup.entries(chosen)


def test_who_has_a_clear_gain_is_not_named_among_those_without(monkeypatch):
    rows = [("greedy_draft", 1.1, 1.04), ("rsd_s:width=2", 1.2, 1.1), ("rsd_s", 1.0, 0.9), ("spectr", 0.7, 0.6)]
    tried = [{"entry": entry, "median": median, "low": low, "high": median} for entry, median, low in rows]
    monkeypatch.setattr(lineup, "tried_entries", lambda _: tried)
    gain, others = lineup.others_in_words("smollm2-135m")
    assert "with a clear gain" in gain and "Greedy draft 1.10× (1.04–1.10), RSD-S 1.20×" in gain
    assert "without a clear gain" in others and "SpecTr (K-SEQ) 0.70×" in others and "RSD-S" not in others


def test_only_an_interval_above_1_pays_and_a_race_opens_on_those_that_pay_first():
    rows = [("spectr", 1.2, 0.9), ("greedy_draft", 1.1, 1.04), ("rsd_s", 1.05, 1.0)]
    tried = [{"entry": entry, "median": median, "low": low} for entry, median, low in rows]
    assert lineup.paying_entries(tried) == ["greedy_draft"]
    assert lineup.first_entries(tried) == ["greedy_draft", "spectr", "rsd_s"]
