"""Whole runs, enumerated: whole chains, lengths by goodput, and drafters whose rows do not see the draft."""

from itertools import accumulate
from pathlib import Path

import pytest

from playground import exactness
from playground.decoding.decode import Request, Round, decode
from playground.decoding.method import make_method
from playground.decoding.verification import speculative
from playground.exactness.losslessness import DIFFERS
from playground.exactness.whole_runs import DRAFT, EXACT, PROMPT, ROWS, TARGET, BlockTable, enumerate_runs
from playground.models.bundled import BLOCK, BLOCK_CONFIDENCE, BLOCK_MARKOV
from playground.models.drafters.choice import BLOCKS
from playground.tree import TokenTree

BY_GOODPUT = next(row for row in ROWS if row[1].get("adapt"))


def test_every_row_stands_in_the_readme_as_the_targets_distribution_to_rounding():
    """The table there is made anew by its own test, rows of this file included."""
    lines = Path(exactness.__file__).with_name("README.md").read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line.endswith(" tokens |") and f"| below 1e-12 | none | | {EXACT} |" in line]
    assert len(rows) == len(ROWS) and {row[2] for row in ROWS} == {"", *BLOCKS}


def test_plain_decoding_has_the_courses_that_are_counted_by_hand():
    """Three tokens, at each three outcomes of one draw."""
    assert enumerate_runs("autoregressive", {}, "", 3).num_courses == 27


def test_a_mistake_is_seen_where_the_length_depends_on_earlier_rounds(monkeypatch):
    monkeypatch.setattr(speculative, "residual", lambda target_probs, draft_probs: target_probs)
    assert enumerate_runs(*BY_GOODPUT).verdict == DIFFERS


def test_lengths_by_goodput_are_not_only_the_budgets_in_these_runs():
    """Else the rows would say no more than those of a fixed length: after two tokens one more is drafted, or none."""
    method, lengths = make_method(*BY_GOODPUT[:2]), set()
    for seed in range(40):
        request = Request(method, TARGET, "", DRAFT, seed=seed, max_new_tokens=BY_GOODPUT[3], prompt_ids=PROMPT)
        rounds = [each for each in decode(request) if isinstance(each, Round)]
        written = [0, *accumulate(len(each.nodes) for each in rounds)]
        lengths |= {(num, len(each.draft.depths)) for num, each in zip(written, rounds, strict=False)}
    assert {(2, 0), (2, 1)} <= lengths, lengths


@pytest.mark.parametrize("word", BLOCKS)
def test_a_row_of_a_block_sees_the_drafted_token_by_its_bias_alone(word):
    block, tree = BlockTable(word), TokenTree(PROMPT)
    children = [tree.add(tree.trunk[-1], token) for token in (0, 1)]
    first, other = block.forward(tree, children).logits
    assert bool((first == other).all()) is (word == BLOCK)
    depths = {tree.tokens[tree.trunk[-1]]: block.max_depth(tree, [tree.trunk[-1]])[0]}
    assert depths == {1: 1 if word == BLOCK_CONFIDENCE else 3} and BLOCK_MARKOV in BLOCKS
