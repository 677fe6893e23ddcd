"""The check must tell a lossless method from a lossy one and from a broken one, and its statistics must be right."""

import json
from dataclasses import asdict

import numpy as np
import pytest
from scipy import stats

from playground.bench import losslessness
from playground.bench.losslessness import DIFFERS, LOSSLESS, NO_CLAIM, check, chi_square_p_value, compare
from playground.errors import PlaygroundError

SAMPLES = 2_000


def one(method_id, *, samples=SAMPLES, **how):
    [result] = check([method_id], samples=samples, **how)
    return result


@pytest.mark.parametrize("method_id", ["autoregressive", "speculative_sampling"])
def test_a_lossless_method_passes(method_id):
    """False alarm: 1e-4 each for the verdict, were the seed not fixed; the distance bound is loose beside it."""
    result = one(method_id)
    assert result.verdict == LOSSLESS, result
    assert result.tv < 1.5 * result.noise_upper, result
    assert result.samples == SAMPLES


def test_a_broken_rule_is_caught(monkeypatch):
    """Corrections drawn from p instead of the residual: the method still claims the target, the check must not."""
    from playground.decoding.verification import speculative

    monkeypatch.setattr(speculative, "residual", lambda target_probs, draft_probs: target_probs)
    result = one("speculative_sampling")
    assert result.reproduces == "target sampling"
    assert result.verdict == DIFFERS, result
    assert result.p_value < 1e-9 and result.tv > 1.5 * result.noise_upper, result


@pytest.mark.parametrize("method_id", ["typical_acceptance", "bild"])
def test_a_lossy_method_is_told_by_its_distance(method_id):
    result = one(method_id, samples=500)
    assert result.verdict == NO_CLAIM and result.reproduces == "none"
    assert result.tv > 1.5 * result.noise_upper and result.p_value < 1e-9, result


def test_prompt_lookup_has_something_to_copy_in_this_check():
    """Else its check would only be one of plain decoding."""
    from playground.decoding.methods.prompt_lookup import copied, last_match

    context = list(losslessness.PROMPT)
    assert copied(context, last_match(context, max_ngram=3), length=4) == [2, 0, 1, 2]


def test_the_same_seed_gives_the_same_result_and_another_seed_another():
    first, again, other = (one("autoregressive", samples=300, seed=seed) for seed in (1, 1, 2))
    assert first == again and first.tv != other.tv
    json.dumps(asdict(first), allow_nan=False)


def test_chunks_of_runs_add_up_to_the_whole(monkeypatch):
    """Worker processes get chunks; how large they are must not matter."""
    whole = one("autoregressive", samples=300)
    monkeypatch.setattr(losslessness, "CHUNK", 70)
    assert one("autoregressive", samples=300) == whole


def test_runs_and_methods_do_not_share_seeds():
    one_method, another = (losslessness.run_seeds(name, 1000, 0) for name in ("spectr", "specinfer"))
    assert len({*one_method, *another}) == 2000


def test_the_p_value_is_that_of_pearsons_test():
    counts, law = np.array([210, 290, 480, 20]), np.array([0.2, 0.3, 0.475, 0.025])
    assert chi_square_p_value(counts, law) == pytest.approx(stats.chisquare(counts, law * 1000).pvalue, rel=1e-9)


def test_rare_cells_are_thrown_together():
    counts, law = np.array([50, 46, 1, 3]), np.array([0.5, 0.46, 0.02, 0.02])
    pooled = stats.chisquare([50, 46, 4], [50, 46, 4]).pvalue
    assert chi_square_p_value(counts, law) == pytest.approx(pooled)


def test_one_sequence_that_the_law_excludes_is_enough():
    found = compare(np.array([500, 499, 1]), np.array([0.5, 0.5, 0.0]))
    assert found.p_value == 0.0


def test_the_noise_floor_is_the_mean_distance_of_true_samples():
    """Two tokens, half each: E|X / n - 1/2| for X ~ Binomial(n, 1/2), summed over X. Of 2,000 draws, 5 % is 3 sigma."""
    n = 100
    exact = sum(stats.binom.pmf(k, n, 0.5) * abs(k / n - 0.5) for k in range(n + 1))
    found = compare(np.array([50, 50]), np.array([0.5, 0.5]))
    assert found.tv == 0 and found.p_value == 1
    assert found.noise_floor == pytest.approx(exact, rel=0.05)
    assert found.noise_floor < found.noise_upper


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"samples": 99}, "99 samples is out of range"),
        ({"samples": 10**9}, "out of range"),
        ({"seed": -1}, "Seed -1"),
        ({"method_id": "spektr"}, "Did you mean 'spectr'"),
    ],
)
def test_mistakes_are_refused_before_anything_runs(asked, message):
    asked = {"method_id": "autoregressive", "samples": 300, **asked}
    with pytest.raises(PlaygroundError, match=message):
        check([asked.pop("method_id")], **asked)


def test_a_claim_about_beams_is_not_measured_against_sampling(monkeypatch):
    """No number is better than one against the wrong law."""
    from playground.decoding.methods.autoregressive import Autoregressive

    monkeypatch.setattr(Autoregressive, "reproduces", "beam search")
    result = one("autoregressive")
    assert result.verdict == losslessness.NOT_MEASURED and result.samples == 0
    assert result.tv is result.noise_floor is result.noise_upper is result.p_value is None
