import pytest

from playground.theory.goodput import PRIOR, best_length, goodput, moved, perfect_drafter_pays
from playground.theory.speculation import best_draft_length, expected_emitted


@pytest.mark.parametrize(("alpha", "length"), [(0.8, 5), (0.3, 2), (1.0, 4), (0.0, 3)])
def test_equal_rates_give_the_textbooks_tokens(alpha, length):
    """Leviathan et al. 2023, Eq. 1."""
    assert goodput((alpha,), length, 0.0) == pytest.approx(float(expected_emitted(alpha, length)))
    assert goodput((alpha,), length, 0.1) == pytest.approx(float(expected_emitted(alpha, length)) / (1 + 0.1 * length))


@pytest.mark.parametrize("alpha", [0.2, 0.5, 0.8, 0.95])
def test_the_best_length_is_the_textbooks(alpha):
    assert best_length((alpha,), 0.1, 16) == best_draft_length(alpha, 0.1, longest=16)


def test_no_length_pays_where_the_first_token_costs_more_than_it_brings():
    assert best_length((0.3, 1.0, 1.0), 0.9, 16) == 0 and best_length((0.3,), 0.29, 16) == 1
    assert best_length((0.3,), 0.3, 16) == 0  # on a tie the shortest


@pytest.mark.parametrize(("token_cost", "pays"), [(0.0, True), (0.99, True), (1.0, False), (1.5, False)])
def test_a_perfect_drafter_loses_where_a_drafted_token_costs_a_plain_step(token_cost, pays):
    assert perfect_drafter_pays(token_cost, 16) is pays


def test_positions_behind_a_rejection_do_not_move():
    assert moved((0.5, 0.5, 0.5), 1, 3, 0.2) == pytest.approx((0.6, 0.4, 0.5))
    assert moved((0.5,), 1, 1, 0.2) == pytest.approx((0.6,)) and moved((0.5,), 0, 0, 0.2) == (0.5,)
    assert moved((), 0, 2, 0.2) == pytest.approx((PRIOR * 0.8,))
    assert moved((), 2, 2, 0.5) == pytest.approx((0.85, 0.925))
