"""The acceptance section's handler: answers, and sentences for whatever else is asked."""

import json
from typing import get_args

import pytest

from playground.lab.acceptance import CurveName, one_position
from playground.lab.coupling import RULES
from playground.ui.lab.acceptance import ask
from tests.languages import in_english

POSITION = {"type": "position", "target": [0.4, 0.6], "draft": [0.7, 0.3], "num_drafts": 2, "rule": "recursive"}


@pytest.mark.parametrize("rule", RULES)
def test_the_answer_is_the_computation_as_json(rule):
    answer = ask(POSITION | {"rule": rule})
    assert answer == one_position([0.4, 0.6], [0.7, 0.3], 2, rule)
    assert json.loads(json.dumps(answer)) == answer


CURVE = POSITION | {"type": "curve"}


@pytest.mark.parametrize("name", get_args(CurveName))
def test_every_curve_has_as_many_values_as_points(name):
    curve = ask(CURVE | {"curve": name})
    if square := curve.get("square"):
        assert {len(values) for values in square["schemes"].values()} == {square["size"] ** 2}
        return
    assert {len(values) for values in curve["schemes"].values()} == {len(curve["x"])}


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (CURVE | {"curve": "nothing"}, "Reload"),
        (POSITION | {"target": [0, 0]}, "sums to 0"),
        (POSITION | {"rule": "magic"}, "Choose one of"),
        (CURVE | {"curve": "towards", "draft": [1]}, "entries"),
        (CURVE | {"curve": "bernoulli", "num_drafts": -1}, "below the limit, 1"),
    ],
)
def test_a_bad_question_gets_a_sentence(request_, message):
    assert message in in_english(ask(request_))["error"]
