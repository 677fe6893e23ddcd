"""Draws from a distribution: the token of a random number, by the sum of each token and by blocks."""

import numpy as np
import pytest

from playground.decoding import categorical as draws
from playground.decoding.categorical import BLOCK, categorical, categoricals


def test_a_coin_picks_the_token_whose_interval_it_falls_in():
    probs = np.array([0.25, 0.0, 0.75])
    assert [categorical(probs, uniform) for uniform in (0.0, 0.2499, 0.25, 0.9999999999)] == [0, 0, 2, 2]


def test_a_token_without_mass_is_never_drawn():
    probs = np.array([0.0, 0.3, 0.0, 0.7, 0.0])
    extremes = [0.0, 0.3, np.nextafter(0.3, 0), np.nextafter(1.0, 0)]
    assert {categorical(probs, uniform) for uniform in extremes} <= {1, 3}


@pytest.mark.parametrize("size", [8192, 8193, 100_000])
def test_by_blocks_the_same_token_is_drawn_as_by_the_sum_of_each(size, monkeypatch):
    """Both sum in another order, which shows within 1e-12 of an edge; 3,000 random numbers come that near with 1e-4."""
    rng = np.random.default_rng(size)
    probs = np.exp(rng.normal(size=size, scale=3)).astype(np.float32)
    probs[rng.random(size) < 0.5] = 0
    probs[: 2 * BLOCK] = 0
    uniforms = [0.0, *rng.random(3000), np.nextafter(1.0, 0)]
    by_block = categoricals(probs, uniforms)
    monkeypatch.setattr(draws, "BY_BLOCK_FROM", size + 1)
    assert by_block == categoricals(probs, uniforms)
    assert by_block[:50] == [categorical(probs, uniform) for uniform in uniforms[:50]]


def test_by_blocks_a_token_without_mass_is_never_drawn():
    """At the very edges of all blocks, also where each has one token with mass, or the last one none."""
    probs = np.zeros(70_000, dtype=np.float32)
    with_mass = list(range(7, 69_900, 131))
    probs[with_mass] = np.random.default_rng(1).random(len(with_mass)) + 0.01
    ends = (probs.cumsum(dtype=np.float64) / probs.sum(dtype=np.float64))[with_mass].tolist()
    edges = [near for end in ends for near in (end, np.nextafter(end, 0), np.nextafter(end, 2)) if near < 1]
    drawn = categoricals(probs, [0.0, *edges, np.nextafter(1.0, 0)])
    assert set(drawn) <= set(with_mass) and drawn[0] == 7 and drawn[-1] == with_mass[-1]
