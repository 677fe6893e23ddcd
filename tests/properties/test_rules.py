"""The rules of verification on any two distributions: what comes out has the target's law, by arithmetic."""

from hypothesis import given
from hypothesis import strategies as some

from playground.lab.one_position import SCHEMES, acceptance_by_scheme
from tests.properties.inputs import distributions

pairs = some.integers(2, 5).flatmap(lambda size: some.tuples(distributions(size), distributions(size)))


@given(pairs, some.integers(1, 4))
def test_every_scheme_accepts_with_a_probability_and_none_more_than_is_possible(pair, num_drafts):
    result = acceptance_by_scheme(*pair, num_drafts)
    known = {name: result[name] for name in SCHEMES if result[name] is not None}
    assert all(-1e-9 <= value <= 1 + 1e-6 for value in known.values()), result
    most = known["optimal_with_replacement"]
    for name in ("speculative", "k_seq", "spec_infer", "importance", "importance_pooled", "importance_truncated"):
        assert known.get(name, 0.0) <= most + 1e-5, (name, result)
