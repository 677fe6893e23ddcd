"""Rejections that a text is to expect: what the Lab and a lesson say of the fewest that a rule can have, enumerated."""

from itertools import islice

import pytest

from playground.decoding.method import make_method
from playground.models.table_model import TableModel
from playground.theory.speculation import expected_emitted
from tests.decoding.runs import enumerated, request

TARGET, DRAFT = TableModel([[0.9, 0.1]] * 2), TableModel([[0.6, 0.4]] * 2)
OVERLAP = 0.7


def first_round(method, length):
    """E[rejections] and E[tokens] of a first round."""
    asked = request(make_method(method, {"draft_length": length}), target=TARGET, draft=DRAFT, length=length + 1)

    def look(rounds):
        [first] = islice(rounds, 1)
        return len(first.nodes) <= length, len(first.nodes)

    outcomes = enumerated(asked, look)
    return [sum(chance * counts[index] for counts, chance in outcomes.items()) for index in (0, 1)]


@pytest.mark.parametrize("length", [1, 2, 4])
def test_bonus_tokens_leave_fewer_rejections_than_one_minus_the_overlap_a_token(length):
    """By the factor (1 - a^L) / (1 - a^(L + 1)): the bound of Yin et al. 2024 is of texts that test every token."""
    rejections, tokens = first_round("speculative_sampling", length)
    assert tokens == pytest.approx(expected_emitted(OVERLAP, length))
    factor = (1 - OVERLAP**length) / (1 - OVERLAP ** (length + 1))
    assert rejections / tokens == pytest.approx((1 - OVERLAP) * factor)


def test_a_draft_that_is_not_drawn_is_accepted_more_often_than_p_and_q_overlap():
    """The likeliest token, kept with its p of 0.9, where a drawn one is accepted with 0.7."""
    assert first_round("speculative_sampling", 1)[0] == pytest.approx(1 - 0.7)
    assert first_round("greedy_draft", 1)[0] == pytest.approx(1 - 0.9)
