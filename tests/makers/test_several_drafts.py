"""One of K drafts at the positions of texts: one draft is accepted as often by every rule."""

import json

import pytest

from playground.makers.commands import main


def test_of_one_draft_all_rules_are_the_same_and_of_two_none_is_above_the_optimum(capsys):
    assert main(["several-drafts", "--prompts", "1", "--num-drafts", "1", "2", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    for setting in result["settings"]:
        one, two = (row["schemes"] for row in setting["rows"])
        assert [*one.values()] == pytest.approx([one["speculative"]] * len(one), abs=1e-6)
        assert max(two.values()) == pytest.approx(two["optimal_with_replacement"], abs=1e-6)
        assert min(two.values()) == two["speculative"] == pytest.approx(one["speculative"])
        assert list(two.values()) == sorted(two.values(), reverse=True) and setting["positions"] == 32
        assert all(side["low"] is None for row in setting["rows"] for side in row["above"].values()), "one prompt"
