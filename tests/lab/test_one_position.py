"""Every scheme at one position: rows as large as a model's, the limits, and the golden grid."""

import numpy as np
import pytest

from playground.errors import PlaygroundError
from playground.lab.one_position import NO_VALUE, SCHEMES, acceptance_by_scheme
from tests.golden import ACCEPTANCE as GOLDEN

GRID = {
    "speculative": "sd", "spec_infer": "mss_iid", "k_seq": "kseq", "k_seq_factor": "kseq_rho", "recursive": "rrs_wo",
    "importance": "opt_wr", "optimal_with_replacement": "opt_wr",
}  # fmt: skip

VECTORS = GRID | {
    "k_seq_at_k": "kseq_rhoK", "importance_pooled": "opt_wr", "importance_truncated": "opt_wr",
    "optimal_without_replacement": "opt_wo", "greedy_draft": "greedy_draft", "deterministic": "det_topk",
    "naive": "mcns",
}  # fmt: skip  # the vectors have no more tokens than are weighed one by one


def model_rows(size, seed=0):
    rng = np.random.default_rng(seed)
    scores = 3 * rng.normal(size=size)
    rows = [np.exp(row) for row in (scores, scores + rng.normal(size=size))]
    return [row / row.sum() for row in rows]


@pytest.mark.parametrize("row", GOLDEN["bernoulli_grid_K2"], ids=lambda row: f"{row['target']}-{row['draft']}")
def test_values_equal_the_golden_grid(row):
    p, q = ([1 - row[model], row[model]] for model in ("target", "draft"))
    result = acceptance_by_scheme(p, q, 2)
    for scheme, golden in GRID.items():
        assert result[scheme] == pytest.approx(row[golden], abs=1e-9), scheme


@pytest.mark.parametrize("num_drafts", [2, 3])
@pytest.mark.parametrize("vector", GOLDEN["vectors"].values(), ids=GOLDEN["vectors"])
def test_values_equal_the_golden_vectors(vector, num_drafts):
    golden = vector[f"K{num_drafts}"] | {"sd": vector["sd"]}
    result = acceptance_by_scheme(vector["target"], vector["draft"], num_drafts)
    assert not result.pop("normalised")
    assert result.pop("spechub") == (pytest.approx(vector["spechub_K2"], abs=1e-9) if num_drafts == 2 else None)
    assert result == pytest.approx({scheme: golden[name] for scheme, name in VECTORS.items()}, abs=1e-9)


@pytest.mark.parametrize("num_drafts", [1, 2, 3])
def test_every_scheme_has_its_value_on_rows_of_a_model(num_drafts):
    """V = 32,000; and what must hold among the schemes does."""
    p, q = model_rows(32_000)
    result = acceptance_by_scheme(p, q, num_drafts)
    values = {scheme: result[scheme] for scheme in SCHEMES if result[scheme] is not None}
    assert set(SCHEMES) - set(values) == {1: {"spechub"}, 2: set(), 3: {"spechub", "recursive"}}[num_drafts]
    assert all(0 < value < 1 for value in values.values())
    best = result["optimal_with_replacement"]
    assert result["importance"] == best
    for scheme in ("importance_pooled", "importance_truncated", "k_seq", "k_seq_at_k", "spec_infer", "naive"):
        assert values[scheme] <= best + 1e-12, scheme
    if num_drafts < 3:
        assert values["recursive"] <= result["optimal_without_replacement"] + 1e-12
    assert values["k_seq_at_k"] <= values["k_seq"] + 1e-12
    if num_drafts == 1:
        for scheme in ("k_seq", "spec_infer", "recursive", "importance", "importance_pooled", "greedy_draft"):
            assert values[scheme] == pytest.approx(values["speculative"], abs=1e-9), scheme


def test_recursive_rejection_of_several_drafts_says_where_it_ends():
    for num_drafts, size in ((3, 2000), (4, 150)):
        small, large = ([[1 / size] * size] * 2 for size in (size, 2 * size))
        assert acceptance_by_scheme(*small, num_drafts)["recursive"] == pytest.approx(1)
        assert acceptance_by_scheme(*large, num_drafts)["recursive"] is None
    assert set(NO_VALUE) == {"recursive", "spechub"}
    with pytest.raises(PlaygroundError, match="Give 1 to"):
        acceptance_by_scheme([1.0] * 300_001, [1.0] * 300_001, 2)


@pytest.mark.parametrize(
    ("target", "draft", "normalised"),
    [([0.5, 0.5], [0.5, 0.5], False), ([1, 1], [0.5, 0.5], True), ([0.5, 0.5], [1, 1], True)],
)
def test_either_row_may_be_normalised_and_that_is_said(target, draft, normalised):
    result = acceptance_by_scheme(target, draft, 1)
    assert result["normalised"] == normalised and result["speculative"] == pytest.approx(1)
