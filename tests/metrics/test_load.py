"""Goodput under load: closed forms, simulation, and costs that others have published."""

import numpy as np
import pytest

from playground.errors import PlaygroundError
from playground.metrics.load import (
    LARGEST_BATCH,
    LONGEST,
    StepCosts,
    best_length,
    experts_touched,
    perfect_drafter_loses,
    read_costs,
    speed_ups,
    sweep,
    tokens_per_s,
    unpaid_from,
)
from playground.theory import goodput, speculation

FREE = StepCosts((1, 10_000), (10.0, 10.0))  # reading the weights is all that a step takes
LINEAR = StepCosts((1, 10_000), (10.0, 100_000.0))  # every token takes as long as the first


def test_where_further_tokens_cost_nothing_every_batch_gains_as_the_textbook_says():
    for batch in (1, 8, 128):
        values = speed_ups(0.8, batch, StepCosts(FREE.tokens, FREE.ms, cost_ratio=0.1))
        assert values[1:] == pytest.approx([float(speculation.speed_up(0.8, n, 0.1)) for n in range(1, LONGEST + 1)])
    assert unpaid_from(0.5, FREE) is None and not perfect_drafter_loses(128, FREE)
    assert tokens_per_s(0.0, 4, 0, FREE) == pytest.approx(400)


def test_where_every_token_costs_as_much_nothing_pays_and_a_perfect_drafter_breaks_even():
    assert [best_length(rate, 1, LINEAR) for rate in (0.0, 0.5, 0.99)] == [0, 0, 0]
    assert unpaid_from(0.9, LINEAR) == 1
    assert speed_ups(1.0, 7, LINEAR) == pytest.approx([1.0] * (LONGEST + 1))
    dearer = StepCosts(LINEAR.tokens, LINEAR.ms, cost_ratio=0.01)
    assert perfect_drafter_loses(7, dearer) and max(speed_ups(1.0, 7, dearer)[1:]) < 1


def test_a_batch_of_one_is_goodput_with_a_straight_cost():
    """The length rule's cost of a drafted token is the slope of the step and the draft call together."""
    costs = StepCosts((1, 100), (10.0, 10.0 + 99 * 1.5), cost_ratio=0.1)
    assert speed_ups(0.7, 1, costs) == pytest.approx(goodput.goodputs((0.7,), 0.15 + 0.1, LONGEST))
    assert best_length(0.7, 1, costs) == goodput.best_length((0.7,), 0.25, LONGEST)


@pytest.mark.parametrize("batch", [1, 8])
def test_simulated_rounds_bring_the_expected_tokens(batch):
    """40,000 rounds: the mean lies within 0.5 %, more than five standard errors."""
    rng, costs, rate, length = np.random.default_rng(0), StepCosts((1, 64), (10.0, 40.0), 0.05, 2.0), 0.7, 4
    accepted = np.minimum.accumulate(rng.random((40_000, batch, length)) < rate, axis=2).sum(2)
    simulated = 1000 * (accepted + 1).sum() / (len(accepted) * costs.batch_ms(batch, length))
    assert tokens_per_s(rate, batch, length, costs) == pytest.approx(simulated, rel=5e-3)


def test_costs_are_straight_between_entries_and_go_on_behind_the_last():
    costs = StepCosts((1, 5, 9), (10.0, 14.0, 30.0), cost_ratio=0.5, round_ms=3.0)
    assert [costs.step_ms(n) for n in (1, 3, 5, 7, 9, 11)] == [10, 12, 14, 22, 30, 38]
    assert costs.batch_ms(3, 0) == 12 and costs.batch_ms(3, 2) == 30 + 2 * 0.5 * 12 + 3
    assert StepCosts((4,), (7.0,)).step_ms(100) == 7


def test_the_point_from_which_none_pays_is_where_the_curve_stays_below_one():
    costs = StepCosts((1, 16, 1000), (10.0, 12.0, 1000.0), cost_ratio=0.1)
    first = unpaid_from(0.6, costs)
    batches = range(1, LARGEST_BATCH + 1)
    values = sweep(0.6, batches, costs)
    assert first is not None and values[first - 2] > 1 and max(values[first - 1 :]) <= 1


@pytest.mark.parametrize(
    ("num_experts", "per_token", "num_tokens"), [(128, 8, 1), (128, 8, 20), (64, 6, 3), (8, 2, 40)]
)
def test_experts_touched_are_those_of_simulated_routing(num_experts, per_token, num_tokens):
    rng = np.random.default_rng(1)
    scores = rng.random((2000, num_tokens, num_experts))
    chosen = np.argpartition(scores, per_token - 1, axis=2)[:, :, :per_token]
    touched = [len(np.unique(each)) for each in chosen]
    assert experts_touched(num_experts, per_token, num_tokens) == pytest.approx(np.mean(touched), rel=0.01)


def test_experts_at_the_ends():
    assert experts_touched(8, 8, 1) == 8 and experts_touched(64, 6, 1) == pytest.approx(6)
    with pytest.raises(PlaygroundError, match="3 of 2 experts"):
        experts_touched(2, 3, 1)


def test_a_table_of_costs_is_read_from_lines_or_a_link():
    assert read_costs("1: 31\n2:36.2, 4: 42.3\n") == ((1, 2, 4), (31.0, 36.2, 42.3))
    for text, sentence in {"1 31": "'1 31' is not a cost", "x: 1": "not a cost", "1: ms": "not a cost"}.items():
        with pytest.raises(PlaygroundError, match=sentence):
            read_costs(text)
    for tokens, ms, sentence in (
        ((), (), "0 entries"),
        ((2, 2), (1.0, 2.0), "rise"),
        ((0,), (1.0,), "rise"),
        ((1,), (0.0,), "above 0"),
    ):
        with pytest.raises(PlaygroundError, match=sentence):
            StepCosts(tokens, ms)


def test_behind_a_table_that_ends_flat_tokens_are_not_free():
    costs = StepCosts((1, 64, 128, 256), (3.0, 3.4, 8.5, 8.6))
    assert costs.step_ms(192) == pytest.approx(8.55)
    assert costs.step_ms(512) == pytest.approx(8.6 + 256 * 5.6 / 255)
    steep = StepCosts((1, 64, 128), (3.0, 3.4, 8.5))
    assert steep.step_ms(192) == pytest.approx(8.5 + 5.1), "the last slope where that is the steeper one"
