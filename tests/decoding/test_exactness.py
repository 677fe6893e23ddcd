"""Lossless means: the law of the output is the target's law. Measured on table models, three tokens jointly."""

import dataclasses
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chi2

from playground.decoding.decode import Round, decode
from playground.decoding.method import make_method, methods
from playground.models.table_model import TableModel
from tests.decoding.runs import request

NUM_RUNS = 500  # a distance of .2 is caught; every rule is also enumerated exactly, and `check` runs a million
FALSE_ALARM = 1e-6
TARGET = TableModel.random(3, order=2, seed=5)
DRAFT = TableModel.random(3, order=1, seed=6)
SAMPLERS = [name for name, method in methods().items() if method.reproduces == "target sampling"]


def first_tokens(asked, length=3):
    """The first tokens of a run, as a tuple."""
    emitted = []
    for item in decode(asked):
        if isinstance(item, Round):
            emitted += [item.tree.tokens[node] for node in item.nodes]
            if len(emitted) >= length:
                break
    return tuple(emitted[:length])


def measured(method):
    """Pearson's statistic of seeded runs against the target's law, and what it exceeds with probability FALSE_ALARM."""
    run_request, distribution = request(method, target=TARGET, draft=DRAFT, length=3), TARGET.distribution([0, 1], 3)
    counts = Counter(first_tokens(dataclasses.replace(run_request, seed=seed)) for seed in range(NUM_RUNS))
    cells = [cell for cell in np.ndindex(distribution.shape) if distribution[cell] > 0]
    assert set(counts) <= set(cells), "a sequence came out that the target cannot write"
    statistic = sum(
        (counts[cell] - NUM_RUNS * distribution[cell]) ** 2 / (NUM_RUNS * distribution[cell]) for cell in cells
    )
    return statistic, chi2.isf(FALSE_ALARM, len(cells) - 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLERS)
def test_the_first_three_tokens_have_the_targets_law(name):
    """Seeded runs, 27 sequences, a chi-square each. False alarm: 1e-6 per method, were the seeds not fixed."""
    statistic, limit = measured(make_method(name))
    assert statistic < limit, f"{name}: chi-square {statistic:.1f} exceeds {limit:.1f}"
