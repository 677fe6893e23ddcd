"""Importance sampling: select one of K draws by weights, then test the selected one by speculative sampling.

The selected token has a known distribution P_I, so testing it with min(1, p / P_I) and correcting from max(0, p - P_I)
gives p exactly, whatever the weights; good weights only raise the acceptance, sum_x min(p, P_I). For two draws the best
weights are a linear program: every pair of different tokens is drawn with some mass, which may be divided between the
two in any way. It has V (V - 1) / 2 unknowns, so the vocabulary is first reduced, by one of two rules:

* truncated (the paper's): tokens by falling p - q1 q2; the first s are weighed by the program, among all others the
  earlier one wins. Tokens outside the `alphabet` most likely ones come last.
* pooled (ours): the same s tokens are weighed one by one, all others in classes of similar p / q. Two draws of one
  class are worth about the same, so little is lost by taking the first; between classes the program decides.

More than two draws play a tournament: the token selected so far is a draw from P_I, and meets the next draw.

Source: Khisti et al. 2025, Multi-Draft Speculative Sampling, arXiv 2410.18234, Theorem 1, Eqs. 10-14, Algorithm 1,
Remark 4 and appendix G. (In the paper p is the draft and q the target.)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from playground.decoding.distribution import DraftDistribution
from playground.decoding.ranking import largest
from playground.decoding.verification.ruling import Ruling, Test, untested
from playground.decoding.verification.speculative import residual
from playground.decoding.workings import reasons, records
from playground.decoding.workings.excerpt import at_tokens, telling_tokens
from playground.models.reading import Array
from playground.theory.coverage import ratio
from playground.theory.flow import rebalance
from playground.trace.events import Tests

TESTS: Tests = "selected draws"

Row = NDArray[np.float64]  # (V,)


@dataclass(frozen=True, slots=True)
class Groups:
    """The vocabulary in groups, for the linear program."""

    # (V,) group of each token. A number from `num_weighed` up is a rank: the smaller one wins
    group_of: NDArray[np.intp]
    num_weighed: int  # groups that the program weighs against each other; all of them win against ranks


# (p (V,), distribution of one draw (V,), distribution of the other (V,)) -> groups
Rule = Callable[[Row, Row, Row], Groups]


@dataclass(frozen=True, slots=True)
class Stage:
    """One selection out of two draws."""

    groups: Groups  # groups of the tokens
    # (G, G) probability that a first draw of group i is selected when the second is of group j; 1 at i = j
    weights: NDArray[np.float64]
    distribution: Row  # (V,) P_I, the distribution of the selected token


def judge(
    target_probs: Array,
    distribution: DraftDistribution,
    tokens: list[int],
    rng: np.random.Generator,
    *,
    rule: Rule,
) -> Ruling:
    """Select one of the independent draws, and test that one.

    Args:
        target_probs: (V,) p.
        distribution: distribution of the draws: one row, or one for each.
        tokens: (K,) the draws, in draw order.
        rng: uniform numbers: one for each pair of the tournament, then one for the test.
        rule: groups of the vocabulary.
    """
    num_draws = len(tokens)
    p, distributions = _rows(target_probs), list(_rows(distribution.per_draw(num_draws)))
    stages = tournament(p, distributions, rule)
    index = select(stages, tokens, rng)
    selected, token, uniform = stages[-1].distribution if stages else distributions[0], tokens[index], rng.random()
    chance, passed = min(1.0, float(p[token] / selected[token])), bool(uniform * selected[token] < p[token])
    why = reasons.uniform_test(passed, chance, reasons.selected(num_draws, float(selected[token])))
    tests = untested(range(num_draws), reasons.NOT_SELECTED)
    tests[index] = Test(index, "accepted" if passed else "rejected", chance, uniform, why)
    # equal draws are one node of the tree, whose verdicts are read in draw order, so they stay together
    tests.sort(key=lambda test: tokens[test.draw] != token)
    extra_probs = [] if passed else [residual(p, selected)]
    return Ruling(tests, extra_probs, partial(_workings, p, distributions[index], selected, stages, tokens, index))


def _workings(
    target: Row, draft: Row, distribution: Row, stages: Sequence[Stage], draws: list[int], selected: int
) -> records.Importance:
    tokens = telling_tokens([target, draft, distribution], draws)
    return records.Importance(
        tokens=tokens,
        target=at_tokens(target, tokens),
        draft=at_tokens(draft, tokens),
        distribution=at_tokens(distribution, tokens),
        draws=draws,
        selected=selected,
        chances=chances(stages, draws),
        one=float(np.minimum(target, draft).sum()),
        all=float(np.minimum(target, distribution).sum()),
    )


def tournament(target: Row, drafts: Sequence[Row], rule: Rule) -> list[Stage]:
    """List the selections that reduce K draws to one: of the first two, then of the selected one and the next draw.

    Args:
        target: (V,) p.
        drafts: K distributions (V,), of the draws in order; they need not be equal.
        rule: groups of the vocabulary, regrouped at each stage.

    Returns:
        K - 1 stages. Each takes the best weights given those before it, which for K > 2 need not be the best of all.
            The choice among several best weights of a stage matters then: with those of `_best_weights`, and every
            token weighed, equal drafts reach the optimum on nearly all random rows. A search found rows of 5 to 8
            tokens where .0083 (K = 3), .0121 (K = 4) and .0181 (K = 6) is missing.
    """
    stages: list[Stage] = []
    for draft in drafts[1:]:
        distribution = stages[-1].distribution if stages else drafts[0]
        stages.append(weigh(target, distribution, draft, rule(target, distribution, draft)))
    return stages


def select(stages: Sequence[Stage], tokens: Sequence[int], rng: np.random.Generator) -> int:
    """Index of the selected draw in draw order."""
    winner = 0
    for challenger, stage in enumerate(stages, 1):
        if rng.random() >= chance_of_first(stage, tokens[winner], tokens[challenger]):
            winner = challenger
    return winner


def chances(stages: Sequence[Stage], tokens: Sequence[int]) -> list[float]:
    """Exact probability of each draw to be selected, given all draws: over every course of the tournament. (K,)"""
    selected = [1.0]
    for challenger, stage in enumerate(stages, 1):
        stays = [chance_of_first(stage, tokens[index], tokens[challenger]) for index in range(challenger)]
        loses = sum(chance * (1 - stay) for chance, stay in zip(selected, stays, strict=True))
        selected = [chance * stay for chance, stay in zip(selected, stays, strict=True)] + [loses]
    return selected


def chance_of_first(stage: Stage, first: int, second: int) -> float:
    """Probability that the first of two drawn tokens is selected."""
    one, other = stage.groups.group_of[first], stage.groups.group_of[second]
    if max(one, other) < stage.groups.num_weighed:
        return float(stage.weights[one, other])
    return float(one <= other)


def acceptance(target: Row, drafts: Sequence[Row], rule: Rule) -> float:
    """Exact probability that the selected draw is accepted: sum_x min(p(x), P_I(x))."""
    stages = tournament(target, drafts, rule)
    return float(np.minimum(target, stages[-1].distribution if stages else drafts[0]).sum())


# Groups of the vocabulary


def truncated(target: Row, first: Row, second: Row, *, lp_size: int, alphabet: int) -> Groups:
    """Apply the paper's rule: Eq. 12, after the truncated alphabet of its section 4.

    The order of the tokens and the weights outside of the program are the paper's, also for more than two drafts
    (Remark 4). One thing is not: the paper runs the whole scheme inside the alphabet and chooses its output with
    probability p(alphabet), else a token of p outside. Here the alphabet only orders the tokens and the test is against
    p itself, which accepts no less often: sum_x min(p, P_I) >= p(alphabet) sum_x min(p / p(alphabet), P_I). On the
    bundled pair's rows that was .797 against .783 of two drafts, computed on 2026-11-28.

    Loses at most the sum of max(0, p - q1 q2) over the tokens that are not weighed (Eq. 14), if the alphabet is whole.
    """
    outside = np.zeros(len(target), dtype=bool)
    outside[np.argsort(-target, kind="stable")[alphabet:]] = True
    group_of = np.empty(len(target), dtype=np.intp)
    group_of[np.lexsort((first * second - target, outside))] = np.arange(len(target))
    return Groups(group_of, min(lp_size, len(target)))


def pooled(target: Row, first: Row, second: Row, *, lp_size: int, num_classes: int) -> Groups:
    """Our rule: classes of equal width in p / (p + q), q the mean of q1 and q2; the s tokens of Eq. 12 stand alone.

    A class's tokens share one factor P_I / q, so the loss is what the spread of p / q inside a class makes of it.
    """
    lp_size = min(lp_size, len(target))
    both = target + (first + second) / 2
    share = np.divide(target, both, out=np.zeros_like(target), where=both > 0)  # 0 .. 1, rising with p / q
    group_of = lp_size + np.minimum((share * num_classes).astype(np.intp), num_classes - 1)
    _, alone = largest(target - first * second, lp_size)
    group_of[alone] = np.arange(lp_size)
    return Groups(group_of, lp_size + num_classes)


# The linear program


def weigh(target: Row, first: Row, second: Row, groups: Groups) -> Stage:
    """Return the best weights for two independent draws, and the distribution of the selected token.

    Args:
        target: (V,) p.
        first, second: (V,) distributions q1 and q2 of the two draws.
        groups: groups that the program weighs.
    """
    group_of, size = groups.group_of, groups.num_weighed
    ranked = np.flatnonzero(group_of >= size)
    inside = np.where(group_of < size, group_of, size) if len(ranked) else group_of
    masses: list[Row] = [np.bincount(inside, row, size + 1).astype(float) for row in (target, first, second)]
    p, q1, q2 = (mass[:size] for mass in masses)
    ranked1, ranked2 = masses[1][size], masses[2][size]  # mass of the ranked tokens, which lose against every group
    weights = _best_weights(p, q1, q2, q1 * q2 + q1 * ranked2 + q2 * ranked1)
    against_second = weights @ q2 + ranked2  # (G,) probability that a first draw of the group is selected
    against_first = (weights - np.eye(size)) @ q1 + ranked1  # and a second draw: within a group the first one is
    # a ranked token has no group: it reads a 0 here and gets its probability below
    distribution = first * np.append(against_second, 0.0)[inside] + second * np.append(against_first, 0.0)[inside]
    if len(ranked):
        ranked = ranked[np.argsort(group_of[ranked])]
        distribution[ranked] = _distribution_by_rank(first[ranked], second[ranked])
    return Stage(groups, weights, distribution)


def _best_weights(p: Row, q1: Row, q2: Row, certain: Row) -> NDArray[np.float64]:
    """Weights w that maximise sum_i min(p_i, P_I(i)), P_I(i) = certain_i + sum_j (q1_i q2_j + q1_j q2_i) w_ij.

    The linear program of Eqs. 10-13, and of appendix G for q1 != q2. A pair's two orders share one weight: that reaches
    every distribution that a weight for each order does. As a flow it is small: begin with the group of the larger
    p / q having all of each pair, then move mass from groups that have more than p to groups that have less.

    Args:
        p, q1, q2: (G,) masses of the groups.
        certain: (G,) mass that each group is selected with in any case.
    """
    drawn, upper, numbers = q1[:, None] * q2, *_shape(len(p))
    mass = drawn + drawn.T
    mass[numbers, numbers] = 0.0
    rank = np.empty(len(p), dtype=np.intp)
    rank[np.argsort(-ratio(p, q1 + q2), kind="stable")] = numbers
    weights = (rank[:, None] <= rank).astype(float)
    selected = mass * weights
    shares = selected.tolist()
    rebalance(shares, (certain + selected.sum(1) - p).tolist())
    np.divide(shares, mass, out=weights, where=mass > 0)
    weights = np.minimum(np.maximum(weights, 0.0), 1.0)
    return np.where(upper, weights, 1 - weights.T)  # one of a pair is selected, to the last bit


@lru_cache(maxsize=32)
def _shape(size: int) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Mask of the entries on or above the diagonal, (size, size), and the numbers from 0 to size - 1, (size,)."""
    return np.tri(size, dtype=bool).T, np.arange(size)


def _distribution_by_rank(first: Row, second: Row) -> Row:
    """Distribution of the smaller rank of two draws, for tokens in the order of their ranks. (n,)"""
    after1, after2 = (row[::-1].cumsum()[::-1] - row for row in (first, second))
    return first * second + first * after2 + second * after1


def _rows(probs: Array) -> NDArray[np.float64]:
    """Rows in float64, renormalised. (..., V)"""
    rows = probs.astype(np.float64)
    return rows / rows.sum(-1, keepdims=True)
