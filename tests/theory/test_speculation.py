import pytest

from playground.theory.speculation import (
    best_draft_length,
    break_even_acceptance,
    break_even_cost,
    expected_emitted,
    speed_up,
)
from tests.golden import ACCEPTANCE as GOLDEN


@pytest.mark.parametrize("case", GOLDEN["sd_expected_tokens"])
def test_expected_emitted_gives_the_golden_values(case):
    alpha, length = (float(part.partition("=")[2]) for part in case.split(","))
    assert expected_emitted(alpha, int(length)) == pytest.approx(GOLDEN["sd_expected_tokens"][case], abs=1e-9)


def test_expected_emitted_reaches_its_limit_when_every_draft_is_accepted():
    assert expected_emitted(1.0, 7) == 8
    assert expected_emitted(1 - 1e-9, 7) == pytest.approx(8, abs=1e-6)


def test_accepted_drafts_leave_out_the_extra_token():
    assert 5 * break_even_cost(0.8, 5) == pytest.approx(2.69, abs=0.005)
    assert break_even_cost(0.9, 10) == pytest.approx(0.586, abs=0.0005)  # the draft efficiency


def test_speed_up_gives_values_computed_by_hand():
    assert speed_up(0.8, 5, 0.0) == pytest.approx(3.69, abs=0.005)
    assert speed_up(0.8, 5, 0.1) == pytest.approx(3.68928 / 1.5)
    assert speed_up(1.0, 4, 0.25) == pytest.approx(5 / 2)
    assert speed_up(0.0, 4, 0.25) == pytest.approx(1 / 2)  # a useless draft costs what it costs


@pytest.mark.parametrize("length", [1, 4, 9])
def test_at_break_even_the_speed_up_is_one(length):
    assert speed_up(0.7, length, break_even_cost(0.7, length)) == pytest.approx(1)
    assert speed_up(break_even_acceptance(length, 0.3), length, 0.3) == pytest.approx(1)


def test_one_draft_breaks_even_when_its_acceptance_equals_its_cost():
    assert break_even_acceptance(1, 0.3) == pytest.approx(0.3)


def test_a_draft_dearer_than_the_target_never_breaks_even():
    assert break_even_acceptance(4, 1.2) is None
    assert best_draft_length(0.95, 1.2) == 0


def test_the_best_draft_length_beats_its_neighbours():
    best = best_draft_length(0.8, 0.05)
    assert speed_up(0.8, best, 0.05) == max(speed_up(0.8, length, 0.05) for length in range(33))
    assert 0 < best < 32


@pytest.mark.parametrize(("alpha", "length", "cost"), [(1.2, 3, 0.1), (-0.1, 3, 0.1), (0.5, -1, 0.1), (0.5, 3, -0.1)])
def test_impossible_values_are_refused(alpha, length, cost):
    with pytest.raises(ValueError, match="Use"):
        speed_up(alpha, length, cost)


def test_break_even_cost_of_no_draft_is_refused():
    with pytest.raises(ValueError, match="Use at least 1"):
        break_even_cost(0.5, 0)
