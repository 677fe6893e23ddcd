"""Each mistake must be caught, and the real rule beside it must not be."""

import pytest

from playground.decoding.method import make_method, methods
from playground.errors import PlaygroundError
from playground.exactness.broken_rules import BROKEN, broken_rule
from playground.exactness.experiments import EXPERIMENTS
from playground.exactness.goodness_of_fit import compare_under_conditions
from playground.exactness.losslessness import by_condition, count_runs, reference_distribution, run_seeds

SAMPLES = 300
MORE = {  # the smaller distances
    "correction_from_target": 600,
    "one_number": 600,
    "test_and_residual": 1_000,
    "seeded_in_the_loop": 600,
    "draft_before_temperature": 600,
    "judged_as_independent": 600,
    "zeroed_only": 600,
    "unmasked": 600,
    "unlikely_dropped": 1_000,
    "each_token_once": 1_500,
    "not_normalised": 1_500,
}


def compared(method, samples):
    experiment = EXPERIMENTS[reference_distribution(method)]
    counts = count_runs(method, run_seeds(("broken", {}), samples, 0))
    return compare_under_conditions(
        [(outcomes, experiment.distribution(condition)) for condition, outcomes in by_condition(counts).items()]
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_the_mistake_is_caught(name):
    """The p-value is below 1e-7, and the seeds are fixed."""
    comparison = compared(BROKEN[name].make(), MORE.get(name, SAMPLES))
    assert comparison.p_value < 1e-7, comparison


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_the_real_rule_with_the_same_options_is_not(name):
    """False alarm: 1e-4 each, were the seeds not fixed."""
    rule = BROKEN[name]
    comparison = compared(make_method(rule.method, rule.options), SAMPLES)
    assert comparison.p_value > 1e-4, comparison


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
