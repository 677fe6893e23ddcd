"""Stop strings cut a text as if it had no tokens, wherever tokens and rounds end."""

import dataclasses
import random
import string

import pytest

from playground.decoding.method import make_method, methods
from playground.decoding.stop_strings import LONGEST, MOST, find_stop, read_stop_strings, typed
from playground.errors import PlaygroundError
from playground.models.table_model import TableModel
from playground.trace.invariants import broken_invariants
from tests.decoding.runs import request, trace_of
from tests.decoding.test_grammar import Pieces

PIECES = ["a", "b", "ab", "ba", "c\n", "\n", "aab", "bc"]  # some are the beginning, the end or the middle of others


def models(seed=0):
    pair = TableModel.random(len(PIECES), order=1, seed=seed), TableModel.random(len(PIECES), order=1, seed=seed + 1)
    for model in pair:
        model.vocabulary = Pieces(PIECES)
    return pair


def cut_by_letters(text, strings):
    """The reference: letter by letter, and no tokens. None where no stop string is complete."""
    for end in range(1, len(text) + 1):
        complete = [each for each in strings if text[:end].endswith(each)]
        if complete:
            return text[: end - max(map(len, complete))]
    return None


def test_200_random_runs_end_where_the_reference_cuts_their_text():
    """All lossless methods of one text in turn, one to three strings of one to four letters; every trace holds its
    invariants. Some end within a token, in a string that two rounds wrote, or before accepted drafts."""
    chance = random.Random(1)
    names = [name for name, each in methods().items() if each.reproduces == "target sampling"]
    ends = {"stop_string": 0, "length": 0}
    within_token = over_rounds = thrown_away = 0
    for case in range(200):
        strings = tuple("".join(chance.choices("abc\n", k=chance.randint(1, 4))) for _ in range(chance.randint(1, 3)))
        target, draft = models(case)
        run_request = request(make_method(names[case % len(names)]), target=target, draft=draft, seed=case, length=16)
        whole = trace_of(run_request).finished.text
        trace = trace_of(dataclasses.replace(run_request, stop_strings=strings))
        cut = cut_by_letters(whole, strings)
        assert trace.finished.text == (whole if cut is None else cut), (names[case % len(names)], strings, whole)
        assert trace.finished.finish_reason == ("length" if cut is None else "stop_string")
        assert broken_invariants(trace) == []
        ends[trace.finished.finish_reason] += 1
        if cut is not None:
            last = trace.committed[-1]
            pieces = "".join(PIECES[token] for each in trace.committed for token in each.tokens)
            within_token += find_stop(pieces, strings) is not None and not any(map(pieces.endswith, strings))
            over_rounds += last.text_offset < len("".join(each.text for each in trace.committed[:-1]))
            thrown_away += trace.rounds[-1].verified.outcomes.count("accepted") > last.origins.count("accepted")
    kinds = (*ends.values(), within_token, over_rounds, thrown_away)
    assert min(kinds) >= 5, kinds


@pytest.mark.parametrize("name", ["beam_search", "dsbd", "mtad"])
def test_the_best_text_of_several_is_cut_too(name):
    target, draft = models()
    run_request = request(make_method(name), target=target, draft=draft, length=24)
    trace = trace_of(dataclasses.replace(run_request, stop_strings=("b",)))
    assert trace.finished.finish_reason == "stop_string" and "b" not in trace.finished.text
    assert broken_invariants(trace) == []


@pytest.mark.parametrize("text", ["abcab", "ab\nabc", "\n", "", "xyz" + string.ascii_lowercase])
@pytest.mark.parametrize("strings", [("b", "ab"), ("cab", "c"), ("\n", "b\na"), ("zz",)])
def test_the_first_to_be_complete_counts_and_of_those_the_longest(text, strings):
    begin = find_stop(text, strings)
    assert (None if begin is None else text[:begin]) == cut_by_letters(text, strings)


def test_typed_strings_are_read_back():
    strings = ("\nUser:", "\t", "a\\nb", "end")
    assert read_stop_strings([typed(each) for each in strings] + [""]) == strings


@pytest.mark.parametrize(
    ("strings", "says"), [(("",), "empty"), (("x" * (LONGEST + 1),), "Shorten"), (("x",) * (MOST + 1), "too many")]
)
def test_strings_that_cannot_be_looked_for_are_refused(strings, says):
    with pytest.raises(PlaygroundError, match=says):
        dataclasses.replace(request(make_method("autoregressive")), stop_strings=strings)
