"""The rules of verification on any two distributions: what comes out has the target's law, by arithmetic."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from playground.decoding.distribution import Distinct, Independent
from playground.decoding.verification import matching, recursive, speculative
from playground.lab.one_position import SCHEMES, acceptance_by_scheme
from tests.properties.inputs import distributions

pairs = some.integers(2, 5).flatmap(lambda size: some.tuples(distributions(size), distributions(size)))
few = some.integers(2, 3).flatmap(lambda size: some.tuples(distributions(size), distributions(size)))


class Unlucky:
    """Coins that pass nothing but what is certain."""

    def random(self):
        return 1 - 1e-12


def row(values):
    return np.array(values, dtype=np.float64)


@given(pairs)
def test_a_chain_of_one_and_sample_and_match_have_the_targets_law(pair):
    p, q = map(row, pair)
    for rule in (speculative, matching):
        np.testing.assert_allclose(rule.output_distribution(p, q), p, atol=1e-9, rtol=0)


@pytest.mark.parametrize("kind", [Independent, Distinct])
@given(few, some.integers(1, 3))
def test_recursive_rejection_of_any_draws_has_the_targets_law(kind, pair, num_drafts):
    """Over all draws that there can be: what each test accepts, and the law of the correction where none passes."""
    p, q = map(row, pair)
    distribution = Independent(q) if kind is Independent else Distinct(q)
    out = np.zeros_like(p)
    for tokens, chance in _all_draws(q.tolist(), num_drafts, distinct=kind is Distinct):
        ruling = recursive.judge(p, distribution, list(tokens), Unlucky())
        left = chance
        for token, test in zip(tokens, ruling.tests, strict=False):
            if test.outcome == "not_tested":
                break
            out[token] += left * test.accept_prob
            left *= 1 - test.accept_prob
        for rest in ruling.extra_probs:
            out += left * rest
    np.testing.assert_allclose(out, p, atol=1e-7, rtol=0)


def _all_draws(q, number, *, distinct):
    """(tokens, probability) of all that can be drawn."""
    number = min(number, sum(each > 0 for each in q)) if distinct else number
    for tokens in itertools.product(range(len(q)), repeat=number):
        chance, left = 1.0, 1.0
        for index, token in enumerate(tokens):
            if distinct and token in tokens[:index]:
                chance = 0.0
                break
            chance *= q[token] / left
            left -= q[token] if distinct else 0.0
        if chance > 0:
            yield tokens, chance


@given(pairs, some.integers(1, 4))
def test_every_scheme_accepts_with_a_probability_and_none_more_than_is_possible(pair, num_drafts):
    result = acceptance_by_scheme(*pair, num_drafts)
    known = {name: result[name] for name in SCHEMES if result[name] is not None}
    assert all(-1e-9 <= value <= 1 + 1e-6 for value in known.values()), result
    most = known["optimal_with_replacement"]
    for name in ("speculative", "k_seq", "spec_infer", "importance", "importance_pooled", "importance_truncated"):
        assert known.get(name, 0.0) <= most + 1e-5, (name, result)
