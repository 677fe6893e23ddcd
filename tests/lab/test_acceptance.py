"""The acceptance lab's numbers: golden values, known corners of the papers' figures, and sentences for bad input."""

import itertools

import numpy as np
import pytest

from playground.errors import PlaygroundError
from playground.lab.acceptance import (
    FLAT_SEED,
    FLAT_TOKENS,
    chain_of,
    flatness,
    limiting_set,
    one_position,
    square,
    towards,
    uniform_draft,
)
from playground.lab.coupling import RULES
from tests.golden import ACCEPTANCE as GOLDEN

NAMES = {
    "sd": "speculative",
    "mss_iid": "spec_infer",
    "kseq": "k_seq",
    "rrs_wo": "recursive",
    "opt_wr": "optimal_with_replacement",
    "opt_wo": "optimal_without_replacement",
    "greedy_draft": "greedy_draft",
}


def test_the_limiting_set_is_the_least_of_all_sets():
    rng = np.random.default_rng(0)
    for _ in range(200):
        p, q = rng.dirichlet(np.ones(5)), rng.dirichlet(np.ones(5))
        for num_drafts in (1, 2, 3):
            result = limiting_set(p, q, num_drafts)
            sets = (list(s) for size in range(6) for s in itertools.combinations(range(5), size))
            assert result["optimum"] == pytest.approx(min(p[s].sum() + 1 - q[s].sum() ** num_drafts for s in sets))
            s = result["tokens"]
            assert result["optimum"] == pytest.approx(p[s].sum() + 1 - q[s].sum() ** num_drafts)


def test_nothing_limits_where_every_set_has_enough_of_the_target():
    """Khisti et al., Example 1: a fair coin as draft reaches 1 for two drafts when p1 is between 1/4 and 3/4."""
    half = np.array([0.5, 0.5])
    assert limiting_set(np.array([0.25, 0.75]), half, 2)["tokens"] == []
    assert limiting_set(np.array([0.24, 0.76]), half, 2)["tokens"] == [0]


def test_equal_rows_leave_no_residual_and_every_rule_accepts():
    answer = one_position([0.5, 0.3, 0.2], [0.5, 0.3, 0.2], 2, "spec_infer")
    assert answer["residual"] is None
    assert [answer["schemes"][name] for name in NAMES.values()] == pytest.approx([1.0] * len(NAMES))
    assert answer["schemes"]["naive"] == pytest.approx(1 - 0.5**3 - 0.3 * 0.7**2 - 0.2 * 0.8**2)


@pytest.mark.parametrize("rule", RULES)
def test_the_output_stands_on_the_target_and_drafts_are_no_more_than_there_are_tokens(rule):
    answer = one_position([1, 2, 3, 4], [4, 3, 2, 1], 2, rule)
    assert answer["normalised"] and sum(answer["target"]) == pytest.approx(1)
    assert answer["coupling"]["farthest"] < 1e-9
    answer = one_position([0.1, 0.9], [0.8, 0.2], 6, rule)
    assert answer["coupling"]["farthest"] < 1e-9
    assert max(len(drafts) for drafts in answer["coupling"]["drafts"]) == 2
    assert answer["schemes"]["recursive"] == answer["schemes"]["optimal_without_replacement"] == pytest.approx(1)


def test_more_orders_of_drafts_than_can_be_drawn_leave_the_numbers():
    answer = one_position([1] * 8, [1] * 8, 6, "spec_infer")
    assert answer["coupling"] is None and "too many to draw" in answer["why"]
    assert answer["schemes"]["speculative"] == pytest.approx(1)


@pytest.mark.parametrize("rule", RULES)
def test_a_token_that_only_one_of_the_rows_knows(rule):
    """Nothing can be accepted where the draft knows no token of the target; a set that limits must hold all of q."""
    answer = one_position([0.5, 0.5, 0], [0, 0, 1], 3, rule)
    assert {answer["schemes"][name] for name in NAMES.values()} == {0.0}
    assert answer["limit"]["tokens"] == [2] and answer["coupling"]["law"] == pytest.approx([0.5, 0.5, 0])


@pytest.mark.parametrize(
    ("target", "draft", "num_drafts", "rule", "words"),
    [
        ([1], [1], 2, "k_seq", "2 to 8"),
        ([1] * 9, [1] * 9, 2, "k_seq", "2 to 8"),
        ([1, 1], [1, 1], 9, "k_seq", "1 to 8"),
        ([1, 1], [1, 1, 1], 2, "k_seq", "one entry per token"),
        ([0, 0], [1, 1], 2, "k_seq", "sums to 0"),
        ([1, -1], [1, 1], 2, "k_seq", "not a probability"),
        ([1, 1], [1, 1], 2, "magic", "Unknown rule"),
    ],
)
def test_bad_rows_become_a_sentence(target, draft, num_drafts, rule, words):
    with pytest.raises(PlaygroundError, match=words):
        one_position(target, draft, num_drafts, rule)


def test_every_pair_of_two_tokens_has_the_golden_values():
    """Figure 1 of the RSD paper: with K = 2 recursive rejection accepts everything, the others all only where p = q."""
    found = square(2)
    at = {name: np.reshape(each, (found["size"], -1)) for name, each in found["schemes"].items()}
    step = found["size"] + 1
    for row in GOLDEN["bernoulli_grid_K2"]:
        place = round(row["target"] * step) - 1, round(row["draft"] * step) - 1
        for theirs, ours in (("mss_iid", "spec_infer"), ("kseq", "k_seq"), ("opt_wr", "optimal_with_replacement")):
            assert at[ours][place] == pytest.approx(row[theirs], abs=1e-4), (ours, row)
    assert np.allclose(at["recursive"], 1)
    for name in ("spec_infer", "k_seq"):
        assert np.allclose(np.diag(at[name]), 1) and (at[name] < 1).sum() == (step - 1) * (step - 2)
    x = np.arange(1, step) / step
    overlap = np.minimum.outer(x, x) + np.minimum.outer(1 - x, 1 - x)
    assert np.allclose(np.reshape(square(1)["schemes"]["spec_infer"], overlap.shape), overlap, atol=1e-4)


def test_the_optimum_is_one_over_a_range_and_the_baselines_only_at_equality():
    """Figure 2 of the importance-sampling paper."""
    curve = uniform_draft(1 / 3, 2)
    best, infer = (np.array(curve["schemes"][name]) for name in ("optimal_with_replacement", "spec_infer"))
    assert (best > 1 - 1e-9).sum() > 10
    assert (infer > 1 - 1e-6).sum() <= 1
    assert np.all(best >= infer - 1e-12)


@pytest.mark.parametrize(("first", "low", "high"), [(1 / 3, 1 / 9, 5 / 9), (1 / 6, 5 / 18, 5 / 9)])
def test_the_optimum_is_one_exactly_where_theorem_2_says(first, low, high):
    """q is 1/3 each, so p must have 1/9 of every token and 4/9 of every pair. Figure 2, left, and a right one."""
    curve = uniform_draft(first, 2)
    x, best = np.array(curve["x"]), np.array(curve["schemes"]["optimal_with_replacement"])
    inside = (x >= low - 1e-9) & (x <= high + 1e-9)
    assert inside.sum() > 5 and np.allclose(best[inside], 1) and (best[~inside] < 1 - 1e-6).all()
    if first != 1 / 3:  # p is q nowhere, and the simple rules reach 1 nowhere
        assert max(max(curve["schemes"][name]) for name in ("spec_infer", "k_seq")) < 0.99


def test_the_draft_wanders_from_the_target_to_the_edge():
    curve = towards([0.2, 0.8], [0.6, 0.4], 2)
    assert curve["schemes"]["speculative"][0] == pytest.approx(1)
    ends = {(0.6, 0.4): 5.0, (0.9, 0.1): 1.25, (0.75, 0.25): 2.0, (0.5, 0.5): 1.0}  # 1/2 over what a token loses
    for draft, edge in ends.items():
        assert towards([0.5, 0.5], draft, 2)["x"][-1] == pytest.approx(min(2.0, edge)), "no further than twice as far"


@pytest.mark.parametrize("num_drafts", [2, 4])
def test_where_rows_are_flat_the_truncated_rule_falls_below_one_draft_and_our_classes_do_not(num_drafts):
    curve = flatness(num_drafts)
    one, cut, ours, best = (
        np.array(curve["schemes"][name])
        for name in ("speculative", "importance_truncated", "importance_pooled", "optimal_with_replacement")
    )
    assert len(curve["x"]) == len(one) and (ours >= one - 1e-9).all() and (ours <= best + 1e-9).all()
    assert cut[0] > one[0], "where few tokens hold the mass, more drafts help by any rule"
    assert cut[-1] < one[-1] and (best - cut)[-1] > (best - cut)[0]


def test_the_numbers_beside_the_bars_by_hand():
    """p = (.5, .3, .2) and q = (.2, .2, .6): they share .6, and what is left of p is (.3, .1, 0) of .4."""
    answer = one_position([5, 3, 2], [0.2, 0.2, 0.6], 2, "spec_infer")
    assert answer["target"] == pytest.approx([0.5, 0.3, 0.2]) and answer["normalised"] and answer["num_drafts"] == 2
    assert answer["overlap"] == pytest.approx([0.2, 0.2, 0.2]) and answer["residual"] == pytest.approx([0.75, 0.25, 0])
    assert answer["schemes"]["speculative"] == pytest.approx(0.6)
    limit = answer["limit"]  # S = {2}: p(S) = .2 < q(S)^2 = .36
    assert limit["tokens"] == [2]
    assert [limit[name] for name in ("target", "draft", "all_inside", "optimum")] == pytest.approx(
        [0.2, 0.6, 0.36, 0.84]
    )
    equal = one_position([0.5, 0.5], [0.5, 0.5], 1, "spec_infer")
    assert not equal["normalised"] and equal["limit"] == {
        "tokens": [], "target": 0, "draft": 0, "all_inside": 0, "optimum": 1
    }  # fmt: skip


def test_curves_cross_their_whole_range_at_rows_that_are_distributions():
    left = uniform_draft(0.25, 1)
    assert (left["x"][0], left["x"][-1]) == (0, 0.75)
    share = [min(0.25, 1 / 3) + min(x, 1 / 3) + min(0.75 - x, 1 / 3) for x in left["x"]]
    assert left["schemes"]["speculative"] == pytest.approx(share)
    way = towards([2, 8], [0.6, 0.4], 1)  # p + x (q - p) = (.2 + .4 x, .8 - .4 x), which share 1 - .4 x
    assert way["schemes"]["speculative"] == pytest.approx([1 - 0.4 * x for x in way["x"]])


def test_one_draft_of_flat_rows_is_accepted_as_their_overlap():
    """The rows anew: logits of spread 2, and the draft's with a noise of 0.7 around them, at temperatures 1/4 to 4."""
    rng, curve = np.random.default_rng(FLAT_SEED), flatness(1)
    target = rng.normal(0, 2.0, FLAT_TOKENS)
    logits = target, target + rng.normal(0, 0.7, FLAT_TOKENS)
    assert curve["x"] == pytest.approx([0.25 * 2 ** (step / 4) for step in range(17)])
    for x, share in zip(curve["x"], curve["schemes"]["speculative"], strict=True):
        p, q = (np.exp(row / x) / np.exp(row / x).sum() for row in logits)
        assert share == pytest.approx(np.minimum(p, q).sum())


def test_a_chain_of_two_by_token_and_by_block_verification_by_hand():
    """Overlap .8. By tokens .8 + .64; by blocks the second position is kept with .16 + .16 + .24 + .16."""
    chain = chain_of(np.array([0.6, 0.4]), np.array([0.4, 0.6]), 2)
    assert chain == {"draft_length": 2, "by_token": pytest.approx(1.44), "by_block": pytest.approx(1.52)}
    assert one_position([3, 2], [2, 3], 1, "recursive")["chain"]["draft_length"] == 4
    with pytest.raises(PlaygroundError, match="too many chains"):
        chain_of(np.full(30, 1 / 30), np.full(30, 1 / 30), 4)
