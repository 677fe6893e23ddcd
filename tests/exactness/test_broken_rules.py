"""Each mistake must be caught; that the real rules are not accused is in test_losslessness.py."""

from collections import Counter
from itertools import pairwise

import pytest

from playground.decoding.method import make_method, methods
from playground.errors import PlaygroundError
from playground.exactness.broken_rules import BROKEN, broken_rule
from playground.exactness.experiments import EXPERIMENTS
from playground.exactness.goodness_of_fit import compare_under_conditions
from playground.exactness.losslessness import FALSE_ALARM, by_condition, count_runs, reference_distribution, run_seeds

SAMPLES = (100, 300, 600, 1_000, 1_500)  # one after the other: most mistakes show at once
SEEDS = run_seeds(("broken", {}), SAMPLES[-1], 0)


def p_value(method, counts):
    experiment = EXPERIMENTS[reference_distribution(method)]
    columns = [(outcomes, experiment.distribution(condition)) for condition, outcomes in by_condition(counts).items()]
    return compare_under_conditions(columns, noise_draws=2).p_value


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_the_mistake_is_caught(name):
    """With the p-value at which `check` calls a method another than it claims; the seeds are fixed."""
    method, counts, lowest = BROKEN[name].make(), Counter(), 1.0
    for begin, end in pairwise((0, *SAMPLES)):
        counts += count_runs(method, SEEDS[begin:end])
        if (lowest := min(lowest, p_value(method, counts))) < FALSE_ALARM:
            return
    raise AssertionError(lowest)


@pytest.mark.parametrize("name", BROKEN)
def test_it_claims_the_law_of_the_real_one_and_says_what_is_wrong(name):
    rule = BROKEN[name]
    assert rule.make().reproduces == make_method(rule.method, rule.options).reproduces != "none"
    assert issubclass(rule.kind, methods()[rule.method])
    assert all(text[0].isupper() and text.endswith(".") for text in (rule.mistake, rule.why))


def test_none_of_them_is_a_method():
    assert not set(BROKEN) & set(methods())
    assert not {rule.kind for rule in BROKEN.values()} & set(methods().values())
    with pytest.raises(PlaygroundError, match="Did you mean"):
        broken_rule("undevided")
