"""Acceptance position by position: of one draft of each drafter, and of one of several drafts under each rule."""

import pytest

from playground.lab.one_position import LARGE_VOCABULARY_SCHEMES
from playground.makers.studies.positions import by_kind, positions, several_drafts
from playground.models.loading import LoadedPair
from playground.models.sampling import Sampling
from tests.models.small import random_model

TARGET = random_model("llama", 1)
PAIR = LoadedPair(TARGET, random_model("llama", 2))
PROMPTS = [("one", "5 7 11"), ("two", "3 3 3")]
ASKED = {"seed": 0, "sampling": Sampling(), "max_new_tokens": 6}


def schemes(pair, num_drafts):
    result = several_drafts(pair, [text for _, text in PROMPTS], num_drafts=[num_drafts], **ASKED)
    means = result["schemes"][str(num_drafts)]
    assert list(result["by_lp_size"].values()) == sorted(result["by_lp_size"].values())
    assert result["tested_inside_alphabet"] <= result["by_lp_size"]["5"] + 1e-4
    assert result["positions"] == 12 and tuple(means) == LARGE_VOCABULARY_SCHEMES
    assert [each["value"] for each in result["claims"]] == pytest.approx(
        [means["importance_truncated"] - means[rival] for rival in ("k_seq", "spec_infer")], abs=2e-4
    )
    return means


def test_of_one_draft_every_rule_accepts_what_speculative_sampling_accepts():
    alone = by_kind(positions(PAIR, ["draft"], PROMPTS, **ASKED), "speculative_sampling")["all"]["draft"]
    assert list(schemes(PAIR, 1).values()) == pytest.approx([alone] * len(LARGE_VOCABULARY_SCHEMES), abs=2e-4)


def test_of_several_drafts_none_is_above_the_optimum_and_all_are_accepted_where_the_draft_is_the_target():
    several = schemes(PAIR, 4)
    best = several.pop("optimal_with_replacement")
    assert max(several.values()) <= best + 1e-4 and several["speculative"] < several["spec_infer"] <= several["k_seq"]
    equal = schemes(LoadedPair(TARGET, TARGET), 3)
    assert all(equal[name] == pytest.approx(1) for name in equal if name != "importance_truncated")
