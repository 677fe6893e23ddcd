"""Lossless means: the law of the output is the target's law. Measured on table models, three tokens jointly."""

import dataclasses
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chi2

from playground.decoding.decode import Round, decode
from playground.decoding.method import make_method, methods
from playground.models.table_model import TableModel
from tests.decoding.runs import DRAFT as DRAFT_OF_RUNS
from tests.decoding.runs import request, trace_of

NUM_RUNS = {"autoregressive": 100_000, "speculative_sampling": 100_000}
FEWER_RUNS = 20_000  # of every other method, whose rule is also enumerated exactly in verification/
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


def chi_square(counts, law, num_runs):
    """Pearson's statistic against a law, and the value it exceeds with probability FALSE_ALARM."""
    cells = [cell for cell in np.ndindex(law.shape) if law[cell] > 0]
    assert set(counts) <= set(cells), "a sequence came out that the target cannot write"
    statistic = sum((counts[cell] - num_runs * law[cell]) ** 2 / (num_runs * law[cell]) for cell in cells)
    return statistic, chi2.isf(FALSE_ALARM, len(cells) - 1)


@pytest.mark.parametrize("name", SAMPLERS)
def test_the_first_three_tokens_have_the_targets_law(name):
    """Seeded runs, 27 sequences, a chi-square each. False alarm: 1e-6 per method, were the seeds not fixed."""
    num_runs = NUM_RUNS.get(name, FEWER_RUNS)
    asked = request(make_method(name), target=TARGET, draft=DRAFT, length=3)
    counts = Counter(first_tokens(dataclasses.replace(asked, seed=seed)) for seed in range(num_runs))
    statistic, limit = chi_square(counts, TARGET.law([0, 1], 3), num_runs)
    assert statistic < limit, f"{name}: chi-square {statistic:.1f} exceeds {limit:.1f}"


FACTOR = "draft_temperature_factor"
HEATED = [name for name, method in methods().items() if FACTOR in method.Options.__dataclass_fields__]


@pytest.mark.parametrize("name", HEATED)
def test_a_draft_temperature_of_its_own_changes_no_law(name):
    """Seeded runs with drafts at twice the target's temperature. False alarm: 1e-6 per method, were seeds not fixed."""
    num_runs = FEWER_RUNS // 2
    method = make_method(name, {FACTOR: 2})
    asked = request(method, target=TARGET, draft=DRAFT, length=3)
    counts = Counter(first_tokens(dataclasses.replace(asked, seed=seed)) for seed in range(num_runs))
    statistic, limit = chi_square(counts, TARGET.law([0, 1], 3), num_runs)
    assert statistic < limit, f"{name}: chi-square {statistic:.1f} exceeds {limit:.1f}"


@pytest.mark.parametrize("name", HEATED)
def test_the_draft_is_drawn_at_its_own_temperature(name):
    """The recorded q of a draw is that of the heated law, not of the target's temperature."""
    method = make_method(name, {FACTOR: 3})
    drafted = next(event for event in trace_of(request(method)).events if type(event).__name__ == "Drafted")
    plain = DRAFT_OF_RUNS.table[1]  # after the prompt's last token
    heated = plain ** (1 / 3) / (plain ** (1 / 3)).sum()
    assert drafted.draft_probs == pytest.approx([heated[token] for token in drafted.tokens])


def test_a_biased_rule_would_be_caught(monkeypatch):
    """The same test with corrections drawn from p instead of the residual: the statistic must blow up."""
    from playground.decoding.verification import speculative

    monkeypatch.setattr(speculative, "residual", lambda target_probs, draft_probs: target_probs)
    num_runs = 10_000
    asked = request(make_method("speculative_sampling"), target=TARGET, draft=DRAFT, length=3)
    counts = Counter(first_tokens(dataclasses.replace(asked, seed=seed)) for seed in range(num_runs))
    statistic, limit = chi_square(counts, TARGET.law([0, 1], 3), num_runs)
    assert statistic > 5 * limit
