"""Stochastic beam search: the race, run only as far as it is watched, draws sequences without replacement."""

import dataclasses
from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chi2

from playground.decoding.method import make_method
from playground.decoding.reader import Reader
from playground.models.sampling import Sampling
from playground.models.table_model import TableModel
from playground.tree import TokenTree
from tests.decoding.runs import request, rounds_of, setting_of

DRAFT = TableModel.random(3, order=1, seed=4)
NUM_RUNS, FALSE_ALARM = 5_000, 1e-6  # runs of the draft alone: what is verified later has no say in it


def drafted(method, rng):
    """The sequences at the last depth of a first round's draft, in draw order, as indices of pairs of tokens."""
    tree = TokenTree([0, 1])
    reader = Reader(DRAFT, Sampling(), tree)
    last = method.draft(setting_of(tree, reader, tokens_left=3, draft_models=[reader], draft_rng=rng)).depths[-1]
    return tuple(3 * tree.tokens[tree.parents[node]] + tree.tokens[node] for node in last.nodes)


@pytest.mark.slow
@pytest.mark.parametrize("width", [1, 3])
def test_the_beams_are_sequences_drawn_without_replacement(width):
    """Kool et al. 2019: their order included. All orders of 9 sequences, a chi-square. False alarm: 1e-6 per width.

    A sequence that comes twice is caught by one run. Of one beam, five hundredths of the probability at a sequence
    where they do not belong double the statistic's limit; with three, the first two are those of a width of two.
    """
    distribution = DRAFT.distribution([0, 1], 2).ravel()
    method, rng = make_method("rsd_s", {"draft_length": 2, "width": width}), np.random.default_rng(width)
    counts = Counter(drafted(method, rng) for _ in range(NUM_RUNS))
    observed, expected = [], []
    for order in permutations(range(9), width):
        chance, left = 1.0, 1.0
        for sequence in order:
            chance *= distribution[sequence] / left
            left -= distribution[sequence]
        observed.append(counts.pop(order, 0))
        expected.append(NUM_RUNS * chance)
    assert not counts, f"no order of different sequences: {counts}"
    observed, expected = np.array(observed), np.array(expected)
    rare = expected < 5
    observed, expected = (np.append(row[~rare], row[rare].sum()) for row in (observed, expected))
    statistic = ((observed - expected) ** 2 / np.maximum(expected, 1e-9)).sum()
    assert statistic < chi2.isf(FALSE_ALARM, len(expected) - 1)


def test_a_draft_of_few_tokens_gives_as_many_beams_as_there_are_sequences():
    draft = TableModel([[0.5, 0.5, 0], [0, 0, 1.0], [1.0, 0, 0]])
    run_request = request(make_method("rsd_s", {"draft_length": 3, "width": 16}), target=draft, draft=draft, length=4)
    for seed in range(20):
        first, *_ = rounds_of(dataclasses.replace(run_request, seed=seed))
        assert [len(depth.nodes) for depth in first.draft.depths] == [1, 1, 2]  # after b: c; then a; then a or b
