"""The coupling of every rule: its rows are the drafts, its columns the target, and its accepted part a known number."""

import numpy as np
import pytest

from playground.errors import PlaygroundError
from playground.lab.coupling import RULES, coupling
from playground.lab.one_position import acceptance_by_scheme

P, Q = np.array([0.15, 0.35, 0.1, 0.25, 0.15]), np.array([0.4, 0.25, 0.2, 0.1, 0.05])


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("num_drafts", [1, 2, 3])
def test_the_columns_are_the_target_the_rows_the_drafts_and_the_accepted_part_is_known(rule, num_drafts):
    rng = np.random.default_rng(num_drafts)
    for p, q in [(P, Q), *((rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(4))) for _ in range(10))]:
        coupled = coupling(rule, p, q, num_drafts)
        assert np.abs(coupled.output - p).max() < 1e-9
        assert coupled.mass.sum() == pytest.approx(1, abs=1e-12)
        assert len(coupled.drafts) == len(set(coupled.drafts))
        for tokens, row in zip(coupled.drafts, coupled.accepted, strict=True):
            assert not np.delete(row, tokens).any(), "what is accepted was drafted"
    known = acceptance_by_scheme(P, Q, num_drafts)[rule]
    assert coupling(rule, P, Q, num_drafts).acceptance == pytest.approx(known, abs=1e-9)


@pytest.mark.parametrize("rule", RULES)
def test_equal_rows_accept_all_and_disjoint_ones_nothing(rule):
    assert coupling(rule, P, P, 2).acceptance == pytest.approx(1, abs=1e-9)
    p, q = np.array([0.5, 0.5, 0, 0]), np.array([0, 0, 0.5, 0.5])
    assert coupling(rule, p, q, 2).acceptance == 0
    beyond = coupling("recursive", np.array([0.2, 0.3, 0.5]), np.array([0.6, 0.4, 0.0]), 3)
    assert beyond.drafts == [(0, 1)], "drafts beyond the support are not drawn"


def test_too_many_orders_are_refused_in_a_sentence():
    with pytest.raises(PlaygroundError, match="too many to draw"):
        coupling("spec_infer", np.full(8, 1 / 8), np.full(8, 1 / 8), 4)
    with pytest.raises(PlaygroundError, match="Unknown rule"):
        coupling("magic", P, Q, 2)
