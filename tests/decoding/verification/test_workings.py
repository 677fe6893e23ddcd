"""What rules hand to the lenses: the very numbers they decided with, small, printable and readable from a file."""

import itertools
import math
from functools import partial

import numpy as np
import pytest

from playground.decoding.distribution import Deterministic, Distinct, Independent, without
from playground.decoding.method import make_method
from playground.decoding.verification import importance, matching, recursive
from playground.decoding.verification.lossy import ensemble, typical
from playground.decoding.workings.excerpt import NUM_TOKENS, at_tokens, telling_tokens
from playground.models.table_model import TableModel
from playground.trace.events import Drafted, Verified
from tests.decoding.methods.test_dynamic_tree import paths
from tests.decoding.runs import request, trace_of
from tests.decoding.verification.coins import Coins, accept_probs, as_told

FIVE = ([0.15, 0.35, 0.1, 0.25, 0.15], [0.4, 0.25, 0.2, 0.1, 0.05])
ZEROS = ([0.3, 0.0, 0.2, 0.4, 0.1], [0.5, 0.3, 0.2, 0.0, 0.0])


def arrays(pair):
    return tuple(np.array(row, dtype=np.float64) for row in pair)


def workings_of(trace, kind):
    return [working for event in trace.events if isinstance(event, Verified) for working in event.workings
            if working["kind"] == kind]  # fmt: skip


def test_an_excerpt_holds_the_draws_and_the_likeliest_and_sums_to_the_row():
    rng = np.random.default_rng(0)
    rows = [rng.dirichlet(np.ones(50)) for _ in range(2)]
    draws = [int(rows[0].argmin()), int(rows[1].argmin())]
    tokens = telling_tokens(rows, draws)
    assert len(tokens) == NUM_TOKENS and set(draws) <= set(tokens)
    assert {int(row.argmax()) for row in rows} <= set(tokens)
    assert [float(rows[0][token]) for token in tokens] == sorted((float(rows[0][t]) for t in tokens), reverse=True)
    for row in rows:
        assert at_tokens(row, tokens)[:-1] == row[tokens].tolist()
        assert sum(at_tokens(row, tokens)) == pytest.approx(1, abs=1e-12)
    assert at_tokens(np.array([0.5, 0.2, 0.1]), [1]) == pytest.approx([0.2, 0.6]), "of what is left of a row, too"


def test_an_excerpt_of_many_draws_keeps_the_last_ones():
    row = np.full((20,), 0.05)
    assert set(telling_tokens([row], list(range(12)))) == set(range(4, 12))


@pytest.mark.parametrize("pair", [FIVE, ZEROS])
@pytest.mark.parametrize("law", [Independent, Distinct])
def test_recursive_workings_are_what_reject_and_without_leave(pair, law):
    """All draws rejected, and the last of them accepted."""
    p, q = arrays(pair)
    replaced = law is Independent
    draws = [0, 1, 2]
    for uniforms in ([1.0, 1.0, 1.0], [1.0, 1.0, 0.0]):
        result = recursive.judge(p, law(q), draws, Coins(uniforms))
        outcome = result.workings()
        rest, offered = p, q
        assert outcome.tokens and outcome.draws == draws[: len(result.tested)]
        for index, token in enumerate(outcome.draws):
            assert outcome.residuals[index] == pytest.approx(at_tokens(rest, outcome.tokens), abs=1e-12)
            message = outcome.offers[0 if replaced else index]
            assert message == pytest.approx(at_tokens(offered, outcome.tokens), abs=1e-12)
            at = outcome.tokens.index(token)
            accept = min(1.0, outcome.residuals[index][at] / message[at])
            assert accept == pytest.approx(accept_probs(result)[index], abs=1e-12)
            if [index] != result.accepted:
                rest = recursive.reject(rest, offered)
                offered = offered if replaced else without(offered, token)
        assert len(outcome.offers) == (1 if replaced else len(outcome.draws))
        assert len(outcome.residuals) == len(outcome.draws) + (not result.accepted)
        if not result.accepted:
            assert outcome.residuals[-1] == pytest.approx(at_tokens(result.extra_probs[0], outcome.tokens), abs=1e-12)


def test_recursive_workings_of_draws_with_laws_of_their_own_have_a_row_for_each():
    p, q = arrays(FIVE)
    distributions = np.stack([q, q[::-1], p])
    result = recursive.judge(p, Independent(distributions), [0, 2, 3], Coins([1.0, 1.0, 0.0])).workings()
    assert len(result.offers) == len(result.draws) == 3
    for message, distribution in zip(result.offers, distributions, strict=True):
        assert message == pytest.approx(at_tokens(distribution, result.tokens), abs=1e-12)


def test_nothing_was_left_over_where_the_first_draw_was_accepted():
    p, q = arrays(FIVE)
    assert recursive.judge(p, Distinct(q), [1, 0], Coins([0.0])).workings is None


RULE = partial(importance.truncated, lp_size=5, alphabet=5)


@pytest.mark.parametrize("draws", [[0, 1], [2, 2], [0, 2, 1], [4, 0, 0, 3]])
def test_importance_workings_are_its_law_and_its_chances(draws):
    """The chances against every course of the coins, each with its own chance."""
    p, q = (np.array(row) for row in FIVE)
    stages = importance.tournament(p, [q] * len(draws), RULE)
    expected = np.zeros(len(draws))
    for course in itertools.product([0.0, 1.0], repeat=len(stages)):
        chance, winner = 1.0, 0
        for challenger, (stage, uniform) in enumerate(zip(stages, course, strict=True), 1):
            stays = importance.chance_of_first(stage, draws[winner], draws[challenger])
            chance *= stays if uniform == 0 else 1 - stays
            winner = winner if uniform == 0 else challenger
        expected[winner] += chance
    p_row, q_row = arrays(FIVE)
    result = importance.judge(p_row, Independent(q_row), draws, np.random.default_rng(1), rule=RULE).workings()
    assert result.chances == pytest.approx(expected, abs=1e-12)
    assert sum(result.chances) == pytest.approx(1, abs=1e-12)
    assert result.one == pytest.approx(np.minimum(p, q).sum())
    assert result.all == pytest.approx(importance.acceptance(p, [q] * len(draws), RULE))
    rows = [p, q, stages[-1].distribution]
    assert [getattr(result, name) for name in ("target", "draft", "distribution")] == [
        at_tokens(row, result.tokens) for row in rows
    ]
    assert result.chances[result.selected] > 0


def test_thresholds_workings_are_what_was_held_against_them():
    p = np.tile(arrays(FIVE)[0], (3, 1))
    ruling = typical.judge(p, [1, 2, 0], epsilon=0.2, delta=0.6)
    result = ruling.workings()
    entropy = -sum(x * math.log(x) for x in FIVE[0])
    assert as_told(ruling) == ["accepted", "rejected", "not_tested"]
    assert result.entropies == pytest.approx([entropy] * 2)
    assert result.thresholds == pytest.approx([min(0.2, 0.6 * math.exp(-entropy))] * 2)


def test_the_ensembles_workings_are_the_mixture_that_its_tests_were_held_against():
    p, q = (np.tile(row, (3, 1)) for row in arrays(FIVE))
    ruling = ensemble.judge(p, q, [0, 1, 0], Coins([0.4, 0.9, 0.95]), weight=0.25)
    working = ruling.workings()
    assert working.weight == 0.25
    mixture = [0.25 * p + 0.75 * q for p, q in ((0.15, 0.4), (0.35, 0.25), (0.15, 0.4))]
    assert working.mixture == pytest.approx(mixture)
    assert accept_probs(ruling) == pytest.approx(
        [min(1, v / q) for v, q in zip(mixture, (0.4, 0.25, 0.4), strict=True)]
    )
    first = ensemble.judge(p, q, [0, 1, 0], Coins([0.95, 0.9, 0.1]), weight=0.25)
    assert first.workings().mixture == pytest.approx(mixture[:1]), "of those that were tested"


def test_bild_tells_how_sure_the_small_model_was():
    draft = TableModel.random(5, order=1, seed=1)
    trace = trace_of(request(make_method("bild", {"fallback": 0.4}), draft=draft))
    result = workings_of(trace, "rollback")
    drafted = {}
    for event in trace.events:
        if isinstance(event, Drafted):
            drafted.setdefault(event.round, []).extend(event.draft_probs)
    rounds = [event.round for event in trace.events if isinstance(event, Verified)]
    hesitated = 0
    for number, working in zip(rounds, result, strict=True):
        probs = drafted.get(number, [])
        assert working["confidences"][: len(probs)] == pytest.approx(probs, abs=1e-9)  # at temperature 1 these are q
        assert len(working["surprises"]) == len(probs)
        if working["tokens"]:
            hesitated += 1
            assert len(working["confidences"]) == len(probs) + 1 and working["confidences"][-1] < 0.4
    assert hesitated and hesitated < len(result) + 1


def test_dynamic_tree_values_are_the_products_of_draft_probabilities():
    target, draft = TableModel.random(4, order=1, seed=3), TableModel.random(4, order=1, seed=4)
    options = {"depth": 2, "width": 4, "total_tokens": 6}
    trace = trace_of(request(make_method("dynamic_tree", options), target=target, draft=draft, prompt=(0,), length=20))
    result = workings_of(trace, "dynamic_tree")[0]
    path_to = paths(event for event in trace.events if isinstance(event, Drafted) and event.round == 1)
    distribution = {length: draft.distribution([0], length) for length in (1, 2)}
    assert result["values"] == pytest.approx(
        [distribution[len(path_to[node])][path_to[node]] for node in result["nodes"]]
    )
    every = sorted((value for length in distribution for value in np.ravel(distribution[length])), reverse=True)
    assert result["values"] == pytest.approx(every[:6])
    assert result["cut"] == pytest.approx(every[6 : 6 + len(result["cut"])])
    assert result["num_cut"] == len(every) - 6


def test_prompt_lookup_tells_where_it_copied_from():
    target = TableModel.random(3, order=1, seed=5)
    trace = trace_of(request(make_method("prompt_lookup"), target=target, draft=None, prompt=(0, 1, 2, 0, 1), length=8))
    result = workings_of(trace, "prompt_lookup")[0]
    assert (result["start"], result["length"]) == (0, 2)
    text = [0, 1, 2, 0, 1]
    copied = [event.tokens[0] for event in trace.events if isinstance(event, Drafted) and event.round == 1]
    assert copied[:3] == text[2:5]


def test_the_matchs_workings_are_the_line_and_the_chance_of_any_draft():
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.2, 0.6])
    drawn = matching.judge(p, Independent(q), [2], Coins([0.9])).workings()
    assert dict(zip(drawn.tokens, drawn.target[:-1], strict=True)) == pytest.approx({0: 0.5, 1: 0.3, 2: 0.2})
    assert drawn.chance == pytest.approx(0.28)
    certain = matching.judge(p, Deterministic(), [2], Coins([0.9])).workings()
    assert certain.draft[certain.tokens.index(2)] == 1 and certain.chance == pytest.approx(0.2)
