"""Each mistake must be caught, and the real rule beside it must not be."""

from collections import Counter
from itertools import pairwise

import pytest

from playground.decoding.method import make_method, methods
from playground.errors import PlaygroundError
from playground.exactness.broken_rules import BROKEN, broken_rule
from playground.exactness.experiments import EXPERIMENTS
from playground.exactness.goodness_of_fit import compare_under_conditions
from playground.exactness.losslessness import by_condition, count_runs, reference_distribution, run_seeds

SAMPLES = (100, 300, 600, 1_000, 1_500)  # one after the other: most mistakes show at once
SEEDS = run_seeds(("broken", {}), SAMPLES[-1], 0)
REAL = sorted({(rule.method, tuple(rule.options.items())) for rule in BROKEN.values()})


def p_value(method, counts):
    experiment = EXPERIMENTS[reference_distribution(method)]
    columns = [(outcomes, experiment.distribution(condition)) for condition, outcomes in by_condition(counts).items()]
    return compare_under_conditions(columns, noise_draws=2).p_value


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_the_mistake_is_caught(name):
    """The p-value is below 1e-7, and the seeds are fixed."""
    method, counts, lowest = BROKEN[name].make(), Counter(), 1.0
    for begin, end in pairwise((0, *SAMPLES)):
        counts += count_runs(method, SEEDS[begin:end])
        if (lowest := min(lowest, p_value(method, counts))) < 1e-7:
            return
    raise AssertionError(lowest)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "options"), REAL)
def test_the_real_rule_with_the_same_options_is_not(method, options):
    """False alarm: 1e-4 each, were the seeds not fixed."""
    real = make_method(method, dict(options))
    assert p_value(real, count_runs(real, SEEDS[:300])) > 1e-4


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
