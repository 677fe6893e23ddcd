"""DSBD with one cache: one text passes from round to round, the likeliest; the law is the target's only by accident."""

from itertools import product

import pytest

from playground.decoding.decode import Round, decode
from playground.decoding.method import make_method
from playground.decoding.methods.dsbd_one_cache import DSBDOneCache
from playground.models.table_model import TableModel
from tests.decoding.methods.test_beam_sampling import PROMPT, beams_of
from tests.decoding.methods.test_dsbd import TARGET, asked_for
from tests.decoding.runs import enumerated, request, rounds_of
from tests.models.small import random_model


def law_of_two_tokens(options):
    return enumerated(asked_for(2, options, method_id="dsbd_one_cache"), lambda rounds: beams_of(rounds)[0])


def test_without_a_choice_tokens_are_sampled_from_the_target():
    """One beam of fixed width: enumerated over two tokens."""
    distribution = law_of_two_tokens({"draft_length": 1, "width": 1, "num_draws": 3, "threshold": 0})
    for text in product(range(2), repeat=2):
        assert distribution[text] == pytest.approx(float(TARGET.distribution(list(PROMPT), 2)[text]), abs=1e-12)


def test_with_a_choice_the_law_is_another_one():
    """The likeliest text comes out more often than the target says: that is what the choice is for, and its price."""
    distribution = law_of_two_tokens({"draft_length": 1, "width": 2, "num_draws": 2, "threshold": 0})
    target = TARGET.distribution(list(PROMPT), 2)
    assert sum(distribution.values()) == pytest.approx(1, abs=1e-12)
    assert sum(abs(distribution[text] - target[text]) for text in product(range(2), repeat=2)) / 2 > 0.05
    likeliest = max(product(range(2), repeat=2), key=lambda text: target[text])
    assert distribution[likeliest] > target[likeliest]


@pytest.mark.parametrize("eos", [frozenset(), frozenset([3])], ids=["endless", "ending"])
def test_the_beam_of_lowest_perplexity_passes_on_and_no_other(monkeypatch, eos):
    seen, choose = [], DSBDOneCache.next_beams

    def watched(method, setting, live, ended, origins):
        seen.append(live + ended)
        return choose(method, setting, live, ended, origins)

    monkeypatch.setattr(DSBDOneCache, "next_beams", watched)
    target, several = TableModel(TableModel.random(5, order=2, seed=0).table, eos_ids=eos), 0
    for seed in range(20):
        run_request = request(make_method("dsbd_one_cache", {"width": 2}), target=target, seed=seed)
        seen.clear()
        for item, beams in zip(rounds_of(run_request), seen, strict=True):
            decided = item.verdict.beams
            means = {beam.node: beam.log_prob / (item.tree.depths[beam.node] - 1) for beam in beams}
            assert means[item.best] == max(means.values())
            assert [beam.node for beam in decided.live + decided.ended] == [item.best]
            assert bool(decided.ended) == (item.tree.tokens[item.best] in eos)
            several += len(means) > 1
    assert several > 20


def test_nothing_but_one_path_stays_in_the_cache():
    models = {"target": random_model("llama", 1), "draft": random_model("llama", 2), "prompt": [3, 4, 5]}
    for item in decode(request(make_method("dsbd_one_cache"), **models, length=20)):
        if isinstance(item, Round):
            assert item.tree.tail == [] and item.tree.trunk[-1] == item.best
