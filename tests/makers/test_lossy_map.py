"""The map of lossy rules: its formulas are the methods' own distributions, and what it is made of is on both sides."""

import json

import numpy as np
import pytest

from playground.decoding.verification import speculative
from playground.decoding.verification.lossy import entropy
from playground.makers import lossy_map
from playground.makers.commands import main
from playground.makers.lossy_map import LEFT_OUT, RULES, SPARE_ON_TABLES, Position, distance, first_token, settings
from playground.models.sampling import Sampling
from playground.models.table_model import TableModel

TARGET = TableModel.random(3, seed=3)
DRAFT = TableModel((TARGET.table + TableModel.random(3, seed=4).table) / 2)
AT = Position(TARGET.table[0], DRAFT.table[0], np.arange(3), TARGET.table, DRAFT.table)
FEW = [
    each
    for rule in RULES
    for each in [each for each in settings() if each.method == rule.method][1::3]
    if each.options.get("spare", 0) <= SPARE_ON_TABLES
]


@pytest.mark.parametrize("setting", FEW, ids=lambda each: f"{each.method} {each.options}")
def test_the_formula_of_a_rule_is_the_distribution_of_its_method(setting):
    """Every course of a round of two drafts, through the method's own file and the loop."""
    enumerated, tokens = first_token(setting, TARGET, DRAFT, 0)
    assert setting.distribution(AT) == pytest.approx(enumerated, abs=1e-12)
    assert enumerated.sum() == pytest.approx(1) and 1 <= tokens <= 3


@pytest.mark.parametrize("sampling", [{}, {"top_k": 2}, {"top_p": 0.6}, {"temperature": 0.4}], ids=str)
def test_the_truncated_target_is_reproduced_without_loss(sampling):
    setting = next(each for each in settings() if each.method == lossy_map.LOSSLESS)
    target, draft = (TableModel(lossy_map.warped(each.table, Sampling(**sampling))) for each in (TARGET, DRAFT))
    enumerated, _ = first_token(setting, target, draft, 0)
    assert enumerated == pytest.approx(lossy_map.of_target(AT, Sampling(**sampling)), abs=1e-12)


def test_acceptance_beyond_the_lossless_costs_as_much_distance_and_never_less():
    """One draft drawn from q: with a correction from the residual the price is paid exactly."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        p, q = rng.dirichlet(np.full(6, 0.5), size=2)
        overlap, residual = np.minimum(p, q).sum(), speculative.residual(p, q)
        mixture = 0.3 * p + 0.7 * q
        factor = entropy.leniency(p, alpha=1, most=0.9)
        masses = (np.minimum(q, mixture), np.minimum(q, p / factor), q * rng.random(6))
        for mass in masses[:2]:
            output = mass + (1 - mass.sum()) * residual / residual.sum()
            assert distance(output, p) == pytest.approx(mass.sum() - overlap, abs=1e-12)
        output = masses[2] + (1 - masses[2].sum()) * rng.dirichlet(np.ones(6))
        assert distance(output, p) >= masses[2].sum() - overlap - 1e-12, "whatever is accepted and corrected"


def test_nearly_all_drafts_that_may_fail_are_continued_and_no_more():
    rng = np.random.default_rng(1)
    for _ in range(50):
        p, q = rng.dirichlet(np.full(40, 0.3), size=2)
        excess, tokens = np.maximum(q - p, 0), lossy_map._may_fail(p, q)
        assert excess[tokens].sum() >= (1 - LEFT_OUT) * excess.sum() > excess[tokens[:-1]].sum()


def test_what_passes_is_kept_in_proportion_and_where_nothing_passes_all_of_p():
    p = np.array([0.5, 0.3, 0.2])
    at = Position(p, p, np.arange(3), np.stack([p] * 3), np.stack([p] * 3))
    assert lossy_map.truncated_to(at, lambda each: each.p > 0.25) == pytest.approx([0.625, 0.375, 0])
    assert lossy_map.truncated_to(at, lambda each: each.p > 0.9) == pytest.approx(p)


def test_the_command_places_rules_and_targets(capsys, monkeypatch):
    """Three points on five texts: a rule that truncates, one with too many courses for tables, the target itself."""
    wanted = [each for each in settings() if each.method == "typical_acceptance"][2:3]
    wanted += [each for each in settings() if each.options.get("spare") == SPARE_ON_TABLES + 1]
    wanted += [each for each in settings() if each.method == lossy_map.LOSSLESS][:1]
    monkeypatch.setattr(lossy_map, "settings", lambda: iter(wanted))
    assert main(["lossy-map", "--prompts", "5", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    typical, relaxed, target = result["points"]
    assert 5 <= result["positions"] <= 5 * result["max_new_tokens"]
    assert target["pair"]["distance"]["value"] == pytest.approx(0, abs=1e-5) and target["tables"]["distance"] < 1e-12
    assert "tables" not in relaxed and typical["tables"]["distance"] > 0.01
    beyond = typical["pair"]["beyond"]["value"]
    assert beyond == pytest.approx(typical["pair"]["distance"]["value"] - typical["pair"]["truncated"], abs=2e-5)
    for point in result["points"]:
        for each in (point["pair"]["tokens"], point["pair"]["distance"]):
            assert each["low"] <= each["value"] <= each["high"]
        assert 1 <= point["pair"]["tokens"]["value"] <= 3
