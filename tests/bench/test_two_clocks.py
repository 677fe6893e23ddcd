"""Two clocks by hand: what a hit saves, what a miss costs, and that outcomes are the run's own."""

from dataclasses import replace
from itertools import pairwise

import pytest

from playground.bench import two_clocks as clocks_module
from playground.bench.two_clocks import Block, Clocked, clocked, on_one_clock, on_two_clocks, two_clocks
from playground.decoding.method import make_method
from playground.errors import PlaygroundError
from playground.models.language_model import LoadedPair
from playground.models.loading import Models
from tests.decoding.runs import DRAFT, TARGET, request, tokens

HIT = Clocked(["a"], 1, "b", 1, is_hit=True, draft_s=1.0, target_s=4.0)
MISS = replace(HIT, rank=9, is_hit=False)
METHOD = make_method("speculative_sampling", {"draft_length": 3})


def ends(blocks, kind):
    return [block.end_s for block in blocks if block.kind == kind]


def test_on_one_clock_a_round_drafts_and_then_verifies():
    assert on_one_clock([HIT, MISS]) == [
        Block("draft", 1, 0, 1), Block("verify", 1, 1, 5), Block("draft", 2, 5, 6), Block("verify", 2, 6, 10),
    ]  # fmt: skip


def test_after_a_hit_the_target_goes_on_at_once_and_after_a_miss_it_waits_for_a_chain():
    blocks = on_two_clocks([HIT, MISS, HIT], guess_s=3.0)
    assert ends(blocks, "verify") == [5, 9, 14] and blocks[-1].end_s == 14
    assert [(b.start_s, b.end_s) for b in blocks if b.kind == "draft"] == [(0, 1), (9, 10)]
    assert ends(blocks, "guess") == [4, 8], "nothing is guessed behind the last round"


def test_guesses_that_take_longer_than_the_target_are_waited_for_after_a_hit_and_given_up_after_a_miss():
    assert ends(on_two_clocks([HIT, HIT], guess_s=6.0), "verify") == [5, 11]
    blocks = on_two_clocks([MISS, HIT], guess_s=6.0)
    assert ends(blocks, "guess") == [5] and ends(blocks, "verify") == [5, 10], "no slower than one clock"


@pytest.mark.parametrize("guess_s", [0.0, 2.0, 4.0])
def test_guesses_that_are_in_time_save_the_draft_of_every_hit_and_nothing_else(guess_s):
    rounds = [HIT, MISS, HIT, HIT]
    saved = on_one_clock(rounds)[-1].end_s - on_two_clocks(rounds, guess_s)[-1].end_s
    assert saved == sum(each.draft_s for before, each in pairwise(rounds) if before.is_hit) == 2


def test_outcomes_are_those_of_the_run_and_ranks_those_of_the_drafter_s_row():
    asked = request(METHOD, length=40)
    rounds, text = clocked(asked, guesses=2), [0, 1]
    letters = TARGET.vocabulary.encode
    for each in rounds:
        chain, accepted = letters("".join(each.tokens)), each.num_accepted
        text += chain[:accepted]
        [extra] = letters(each.extra)
        row = DRAFT.row(text).copy()
        if accepted < len(chain):
            assert extra != chain[accepted], "what was rejected is not drawn again"
            row[chain[accepted]] = -1
        assert each.rank == 1 + (row > row[extra]).sum() and each.is_hit == (each.rank <= 2)
        text.append(extra)
    assert text[2:] == tokens(asked) and {each.is_hit for each in rounds} == {True, False}


def test_with_as_many_guesses_as_tokens_every_outcome_is_a_hit():
    assert all(each.is_hit for each in clocked(request(METHOD, length=40), guesses=TARGET.vocab_size))


def test_numbers_out_of_range_and_a_drafter_that_reads_the_target_get_a_sentence():
    pair = LoadedPair(TARGET, DRAFT)  # pyright: ignore[reportArgumentType]  # tables have no calls to time
    for wrong, what in (
        ({"draft_length": 9, "guesses": 2}, "draft length of 9"),
        ({"draft_length": 4, "guesses": 0}, "guesses of 0"),
    ):
        with pytest.raises(PlaygroundError, match=what):
            next(two_clocks(pair, **wrong, temperature=1.0))
    with pytest.raises(PlaygroundError, match="reads the text alone"):
        next(two_clocks(pair, 4, 2, 1.0))


def test_of_the_bundled_pair_every_clock_has_its_speed_and_a_hit_rate():
    first = next(two_clocks(Models.named().load(), 3, 2, 1.0))
    assert (first["done"], first["total"]) == (1, 8) and first["guess_s"] > 0
    assert 0 <= first["hits"] <= first["outcomes"] == len(first["rounds"]) - 1
    assert first["blocks"]["one"][-1].end_s == pytest.approx(sum(r.draft_s + r.target_s for r in first["rounds"]))
    assert set(first["speed_ups"]) == {"one", "two", "always", "gain"}
    assert first["tokens"] == 64


def test_hits_and_speed_ups_by_hand(monkeypatch):
    """Of 6 tokens in 3 rounds plain decoding takes 3 s, one clock 15, two 14, and 13 if every outcome is a hit."""
    monkeypatch.setattr(clocks_module, "clocked", lambda *_: [HIT, MISS, HIT])
    monkeypatch.setattr(clocks_module, "plain_step_s", lambda _: 0.5)
    monkeypatch.setattr(clocks_module, "_guess_s", lambda *_: 3.0)
    first = next(two_clocks(Models.named().load(), 1, 1, 1.0))
    assert (first["hits"], first["outcomes"]) == (1, 2), "nothing comes after the last round"
    medians = {name: value for name, (value, _) in first["speed_ups"].items()}
    assert medians == pytest.approx({"one": 3 / 15, "two": 3 / 14, "always": 3 / 13, "gain": 15 / 14})


def test_guesses_are_made_for_every_number_of_accepted_drafts(monkeypatch):
    """Two for each of 0 to 3 accepted drafts are eight chains of three tokens, behind one call for the row."""
    monkeypatch.setattr(
        clocks_module, "call_seconds", lambda draft, context, sizes, *_, **__: {1: [1.0], sizes[1]: sizes[1:]}
    )
    monkeypatch.setattr(DRAFT, "vocab_size", 100)
    assert clocks_module._guess_s(DRAFT, 3, 2) == 1 + 3 * 8
