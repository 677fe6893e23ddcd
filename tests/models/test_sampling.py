"""Logits become the distributions that the settings describe, and coins become their tokens."""

import numpy as np
import pytest
import torch

from playground.errors import PlaygroundError
from playground.models import warping
from playground.models.sampling import Sampling

LOGITS = torch.log(torch.tensor([[0.1, 0.4, 0.2, 0.3]], dtype=torch.float64))


def test_temperature_zero_is_the_most_likely_token():
    assert Sampling(0.0).probs(LOGITS).tolist() == [[0, 1, 0, 0]]


@pytest.mark.parametrize("temperature", [1e-5, 1e-38, 1e-45, 5e-324])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_tiny_temperature_is_no_overflow(temperature, dtype):
    """A logit of 40 divided by 1e-38 is infinite in single precision; a token without mass stays without."""
    logits = torch.tensor([[40.0, -torch.inf, 39.0, -3.0], [-50.0, -50.0, -60.0, -70.0]], dtype=dtype)
    assert Sampling(temperature).probs(logits).tolist() == [[1, 0, 0, 0], [0.5, 0.5, 0, 0]]


def test_top_k_keeps_exactly_k_even_when_tied():
    assert np.allclose(Sampling(top_k=2).probs(LOGITS), [[0, 4 / 7, 0, 3 / 7]])
    assert (Sampling(top_k=2).probs(torch.zeros(1, 5)) > 0).sum() == 2


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("top_p", [1e-6, 0.5, 0.95, 1 - 1e-7])
def test_a_selected_nucleus_is_the_sorted_one_to_the_last_bit_also_in_ties(top_p, dtype):
    """Among flat, peaked and rounded rows, all tokens alike, and one token alone; the first of equal tokens stay."""
    normal = torch.randn(12, 5000, generator=torch.Generator().manual_seed(3), dtype=dtype)
    spread = torch.linspace(0.1, 8, 12, dtype=dtype)[:, None]
    alone = torch.full((1, 5000), -torch.inf, dtype=dtype)
    alone[0, 17] = 0
    logits = torch.cat([normal * spread, (normal * spread).round(), torch.zeros(1, 5000, dtype=dtype), alone])
    probs = torch.softmax(logits, -1)
    assert len(probs[13].unique()) < 100
    by_sorting = warping._nucleus_by_sorting(probs, top_p)
    assert torch.equal(warping._nucleus_by_selection(probs, top_p), by_sorting)
    assert torch.equal(Sampling(top_p=top_p).probs(logits), by_sorting / by_sorting.sum(-1, keepdim=True))


@pytest.mark.parametrize("size", [50, 5000])
@pytest.mark.parametrize("top_p", [0, 5e-324, 1e-300, 1e-46, 1e-30])
def test_a_nucleus_holds_the_likeliest_token_however_small_its_mass(top_p, size):
    logits = torch.randn(6, size, generator=torch.Generator().manual_seed(1))
    assert torch.equal(Sampling(top_p=top_p).probs(logits), Sampling(0).probs(logits))


def test_the_row_of_a_dead_end_has_no_nucleus_and_no_error():
    """No token may follow there: its logits are -inf, and its probabilities no numbers, which the reader replaces."""
    probs = Sampling(top_p=0.9).probs(torch.full((1, 5000), -torch.inf))
    assert probs.isnan().all()


def test_warps_equal_those_of_transformers():
    """Temperature, top-k and top-p against the library's processors on 50 random rows (ties have probability 0)."""
    from transformers import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

    logits = torch.randn(50, 97, generator=torch.Generator().manual_seed(0)) * 3
    for temperature, top_k, top_p in [(0.7, 20, 0.9), (1.3, 0, 0.5), (1.0, 5, 1.0), (0.5, 0, 1.0), (1.0, 0, 1.0)]:
        theirs = TemperatureLogitsWarper(temperature)(None, logits)
        theirs = TopKLogitsWarper(top_k)(None, theirs) if top_k else theirs
        theirs = TopPLogitsWarper(top_p)(None, theirs) if top_p < 1 else theirs
        ours = Sampling(temperature, top_k, top_p).probs(logits)
        assert float((ours - theirs.softmax(-1)).abs().max()) < 1e-6


def test_half_precision_is_warped_in_float32():
    assert Sampling().probs(LOGITS.to(torch.bfloat16)).dtype == torch.float32


@pytest.mark.parametrize(
    "settings",
    [
        (-0.1, 0, 1), (float("nan"), 0, 1), (1, -1, 1), (1, 2.5, 1), (1, float("inf"), 1), (1, float("nan"), 1),
        (1, 0, -0.1), (1, 0, 1.1),
    ],
)  # fmt: skip
def test_settings_out_of_range_are_refused(settings):
    with pytest.raises(PlaygroundError, match=r"Choose|must be a (whole )?number, not"):
        Sampling(*settings)


@pytest.mark.parametrize("name", ["temperature", "top_k", "top_p"])
@pytest.mark.parametrize("value", [True, "x", None])
def test_what_is_not_a_number_is_refused(name, value):
    with pytest.raises(
        PlaygroundError, match=rf"^{name.capitalize().replace('_', '-')} must be a number, not {value!r}\.$"
    ):
        Sampling(**{name: value})
