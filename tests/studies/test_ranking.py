"""Two races are compared by their intervals, on rows made by hand."""

import json

import pytest

from playground.errors import PlaygroundError
from playground.studies.ranking import agreement, read_rows, sentences
from tests.views.rows import baseline, failed, row


def test_no_rows_have_nothing_to_compare():
    result = agreement([], [])
    assert result["pairs"] == 0 and result["agree"]
    assert "nothing to compare" in sentences(result)[0]


def test_races_that_tell_the_same_pairs_apart_agree():
    one = [baseline(), row("fast", 1.8, (1.6, 2.0)), row("slow", 0.7, (0.6, 0.8))]
    other = [baseline(), row("fast", 1.5, (1.3, 1.7)), row("slow", 0.9, (0.85, 0.95))]
    result = agreement(one, other)
    assert (result["pairs"], result["apart_in_both"], result["agree"]) == (3, 3, True)
    assert sentences(result)[-1] == "Wherever both tell a pair apart, they name the same winner."


def test_entries_that_differ_in_who_drafts_alone_are_left_out():
    """Their rows are alike but for the label; taken for one another, the last would stand for all."""
    one = [row("a", 1.8, (1.6, 2.0)), row("b", 1.2, (1.1, 1.3)), row("c", 1.2, (1.1, 1.3))]
    one.append(row("a", 0.5, (0.4, 0.6), label="a, drafted by the head"))
    other = [row("a", 0.5, (0.4, 0.6)), row("b", 1.2, (1.1, 1.3)), row("c", 1.2, (1.1, 1.3))]
    result = agreement(one, other)
    assert (result["entries"], result["pairs"], result["agree"]) == (2, 1, True)
    assert sentences(result)[-1] == "Left out, as they differ in who drafts alone: a, a, drafted by the head."


def test_different_winners_that_both_tell_apart_are_a_contradiction():
    one = [row("a", 1.8, (1.6, 2.0)), row("b", 1.2, (1.1, 1.3))]
    other = [row("a", 1.2, (1.1, 1.3)), row("b", 1.8, (1.6, 2.0))]
    result = agreement(one, other)
    assert not result["agree"] and result["contradictions"][0]["entries"] == ["a", "b"]
    assert "contradict each other on a and b (1.60–2.00 and 1.10–1.30 in one" in sentences(result)[1]


def test_where_intervals_overlap_another_order_is_no_contradiction():
    one = [row("a", 1.8, (1.6, 2.0)), row("b", 1.2, (1.1, 1.3))]
    other = [row("a", 1.3, (1.0, 1.5)), row("b", 1.4, (1.2, 1.6))]
    result = agreement(one, other)
    assert result["agree"] and result["apart_in_one"] == 1 and len(result["turned"]) == 1
    touching = agreement([row("a", 1.5, (1.3, 1.6)), row("b", 1.2, (1.1, 1.3))], other)
    assert touching["apart_in_none"] == 1, "intervals that touch overlap"


def test_entries_without_an_interval_or_with_other_options_are_left_out():
    one = [row("a", 1.8), row("b", 1.2, options={"width": 2}), failed("c", "no"), row("d", None)]
    few = row("a", 1.8) | {"speed_up": {"median": 1.8, "low": None, "high": None, "pairs": 3}}
    assert agreement(one, [few, row("b", 1.2, options={"width": 3}), row("d", 1.0)])["entries"] == 0
    assert agreement(one, [row("b", 1.2, options={"width": 2}), row("a", 1.8)])["entries"] == 2


@pytest.mark.parametrize("wrap", [lambda rows: rows, lambda rows: {"rows": rows, "preset": {}}])
def test_a_saved_race_is_read(tmp_path, wrap):
    path = tmp_path / "race.json"
    path.write_text(json.dumps(wrap([baseline()])))
    assert read_rows(path) == [baseline()]


@pytest.mark.parametrize(("content", "message"), [("{", "not JSON"), ("{}", "no rows"), ("[1]", "no rows")])
def test_another_file_is_refused(tmp_path, content, message):
    path = tmp_path / "race.json"
    path.write_text(content)
    with pytest.raises(PlaygroundError, match=message):
        read_rows(path)
    with pytest.raises(PlaygroundError, match="cannot be read"):
        read_rows(tmp_path / "none.json")


def test_medians_that_stand_alike_are_no_turn():
    """Told apart by one race alone, and its winner has the larger median in the other, too."""
    one = [row("a", 1.8, (1.6, 2.0)), row("b", 1.2, (1.1, 1.3))]
    other = [row("a", 1.4, (1.0, 1.6)), row("b", 1.3, (1.2, 1.5))]
    result = agreement(one, other)
    assert (result["apart_in_one"], result["turned"], result["contradictions"]) == (1, [], [])


def test_a_row_without_a_label_or_a_method_is_none_of_a_race(tmp_path):
    path = tmp_path / "race.json"
    for lacking in ("label", "method"):
        path.write_text(json.dumps([{name: value for name, value in baseline().items() if name != lacking}]))
        with pytest.raises(PlaygroundError, match="no rows"):
            read_rows(path)


def test_medians_that_turned_are_said():
    one = [row("a", 1.8, (1.6, 2.0)), row("b", 1.2, (1.1, 1.3))]
    other = [row("a", 1.3, (1.0, 1.5)), row("b", 1.4, (1.2, 1.6))]
    assert sentences(agreement(one, other)) == [
        "2 entries, 1 pairs: told apart by both races 0, by one 1, by none 0.",
        "Wherever both tell a pair apart, they name the same winner.",
        "Told apart by one alone, and in the other the medians stand the other way round: a and b (1.60–2.00 and "
        "1.10–1.30 in one, 1.00–1.50 and 1.20–1.60 in the other).",
    ]


def test_speed_ups_over_different_things_are_no_pair():
    rows = [baseline(), row("a", 1.8, (1.6, 2.0)), row("strict", 2.4, (2.2, 2.6), against="beam_search")]
    result = agreement(rows, rows)
    assert (result["entries"], result["pairs"], result["apart_in_both"]) == (3, 1, 1)
    assert agreement(rows[1:], rows[1:])["pairs"] == 0
