import json

import pytest

from playground.errors import PlaygroundError
from playground.training.preference.judged import SHORTEST, pairs, read_judged, write_judged
from playground.training.text.tokenizer import learn_tokenizer
from tests.training.tiny import prose


@pytest.fixture(scope="module")
def tokenizer():
    return learn_tokenizer([prose()], 300)


def line(opening="A fox", text=None, *, ended=False, kept=True):
    return {"opening": opening, "text": text or prose(sentences=9), "ended": ended, "kept": kept}


@pytest.mark.parametrize("name", ["judged.jsonl", "judged.jsonl.gz"])
def test_what_was_judged_is_read_as_it_was_written(tmp_path, name):
    lines = [line(text='She said "ä".\n'), line(kept=None), line(ended=True, kept=False)]
    write_judged(tmp_path / name, lines)
    assert read_judged(tmp_path / name) == [lines[0], lines[2]]
    before = (tmp_path / name).read_bytes()
    write_judged(tmp_path / name, lines)
    assert (tmp_path / name).read_bytes() == before


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "cannot be read"),
        ("[1]", "Line 1 .* is no continuation"),
        (json.dumps({"opening": "A", "ended": True}), "Line 1 .* needs opening, text, ended, kept"),
        (json.dumps(line(kept=1)), "says kept: 1. It takes a bool"),
        (json.dumps({**line(), "text": None}), "says text: None. It takes a str"),
    ],
)
def test_other_lines_are_refused_in_a_sentence(tmp_path, text, words):
    (tmp_path / "judged.jsonl").write_text(text)
    with pytest.raises(PlaygroundError, match=words):
        read_judged(tmp_path / "judged.jsonl")
    with pytest.raises(PlaygroundError, match="cannot be read"):
        read_judged(tmp_path / "nowhere.jsonl")


def test_a_pair_is_one_that_was_kept_and_one_that_was_not_of_one_opening(tokenizer):
    told = [prose(sentences=9, seed=seed) for seed in range(6)]
    lines = [line("A fox", told[0]), line("A fox", told[1], kept=False), line("A fox", told[2], ended=True, kept=False)]
    lines += [line("The king", told[3]), line("The king", told[4]), line("The wood", told[5], kept=False)]
    found = pairs(lines, tokenizer, most=9)
    assert [tokenizer.decode(list(preferred.tokens)) for preferred, _ in found] == [told[0]] * 2
    assert sorted(tokenizer.decode(list(other.tokens)) for _, other in found) == sorted(told[1:3])
    assert {other.tokens[-1] == 0 for _, other in found} == {True, False}  # one of them ended by itself
    assert all(tokenizer.decode(list(each.opening)) == "A fox" for pair in found for each in pair)


def test_no_more_pairs_of_an_opening_than_wanted_and_always_the_same(tokenizer):
    lines = [line(text=prose(sentences=9, seed=seed), kept=seed % 2 == 0) for seed in range(8)]
    assert len(pairs(lines, tokenizer, most=99)) == 16
    few = pairs(lines, tokenizer, most=5)
    assert len(set(few)) == 5
    assert few == pairs(lines, tokenizer, most=5)


def test_without_both_there_is_nothing_to_learn(tokenizer):
    short = line(text="It was.", kept=False)
    assert len(tokenizer.encode(short["text"]).ids) < SHORTEST
    for lines in ([], [line()], [line(), short], [line("A fox"), line("The king", kept=False)]):
        with pytest.raises(PlaygroundError, match="Judge several of each opening"):
            pairs(lines, tokenizer, most=3)
