import math

import numpy as np
import pytest
import torch

from playground.errors import PlaygroundError
from playground.makers.recommender.examples import PAD, Pairs, Windows, best_items, make_lists, moments
from playground.makers.recommender.objectives import (
    Answers,
    align_relaxed,
    align_strict,
    next_item,
    total_variation,
    word_level,
)
from playground.makers.recommender.pipeline import train_shop
from playground.recommender.identifiers import HISTORY
from playground.recommender.recommend import load_recommender
from tests.makers.recommender.test_recommend import ids, listed, log_probs
from tests.makers.recommender.tiny import silent, tiny_models, tiny_shop

P, Q = torch.tensor([0.5, 0.3, 0.1, 0.1]), torch.tensor([0.1, 0.2, 0.3, 0.4])
KTH = math.log(0.25)


def answers(allowed=(True, True, True, False), p=P, q=Q):
    shaped = [row.log()[None, None] for row in (q, p)]
    return Answers(*shaped, torch.tensor([[0]]), torch.tensor([[allowed]]), torch.tensor([[KTH]]))


def test_losses_are_those_of_the_paper():
    p, q = (row[:3] / row[:3].sum() for row in (P, Q))
    reverse = float((q * (q / p).log()).sum())
    density = float((q * (q.log() - KTH)).sum())
    assert float(align_strict(answers())) == pytest.approx(reverse - density, abs=1e-6)
    assert reverse - density == pytest.approx(float((q * (KTH - p.log())).sum()), abs=1e-6)
    assert float(align_relaxed(answers())) == pytest.approx(float((p - q).abs().sum() / 2), abs=1e-6)
    assert float(total_variation(answers())) == pytest.approx(float((P - Q).abs().sum() / 2))
    assert float(word_level(answers())) == pytest.approx(float((P * (P / Q).log()).sum()))


def test_validation_counts_the_held_out_item_alone():
    """Two histories of different length; the model gives every token before the last item no mass at all."""
    rows = torch.tensor([[1, 2, 3, 4, 5, PAD, PAD], [1, 6, 7, 2, 3, 4, 5]])
    good = torch.tensor([0.0, 0.0, 0.0, 0.0, 0.25, 0.5, 0.125, 0.125])  # Token 4 has a quarter, token 5 a half.

    def network(tokens):
        return good.log().expand(*tokens.shape, len(good))

    assert float(next_item(network, rows, 2)) == pytest.approx((math.log(4) + math.log(2)) / 2)
    assert math.isinf(float(next_item(network, rows, 3)))


def test_lists_of_all_moments_at_once_are_those_of_beam_search_one_by_one():
    shop, target = tiny_shop(), load_recommender(models=tiny_models()).target
    histories = [(3, 5), (8, 1), (40, 41)]
    items, steps = best_items(target.model, shop.identifiers, histories, 5)
    for history, result, scores in zip(histories, items.tolist(), steps.sum(-1).tolist(), strict=True):
        one = listed(history, "none", 5)
        assert result == ids(one)
        assert scores == pytest.approx(log_probs(one), abs=1e-4)


def test_a_pass_over_the_windows_reads_every_user_once():
    shop = tiny_shop()
    windows = Windows(shop, seed=0)
    rows = windows.read(0, len(windows))
    assert rows.shape == (len(windows), 1 + 4 * (HISTORY + 1))
    read = sorted(tuple(row[row != PAD].tolist()) for row in rows)
    for user in shop.users.values():
        if 1 < len(user.train) <= HISTORY + 1:
            whole = (*shop.identifiers.prompt(user.train[:-1]), *shop.identifiers.tokens[user.train[-1]])
            assert read.count(whole) == 1
    assert torch.equal(rows[7:9], windows.read(7, 2))


def test_rows_of_pairs_are_a_moment_and_one_of_the_targets_list():
    shop = tiny_shop()
    lists = {"moment": np.array([4]), "items": np.array([[9, 11]]), "kth": np.array([[-1.0, -0.5, 0.0, -2.0]])}
    pairs = Pairs(shop, lists, seed=0)
    batch = pairs.read(6, 4)
    assert torch.equal(batch[2:], pairs.read(8, 2)), "a row depends on its number alone, so a run can go on"
    history, _ = moments(shop)[4]
    expected = {tuple(shop.identifiers.prompt(history) + list(shop.identifiers.tokens[item])) for item in (9, 11)}
    for row in batch[1::2]:
        assert row[:4].tolist() == [1000, 500, 0, 2000]
        assert tuple(token for token in row[4:].tolist() if token != PAD) in expected


def test_lists_are_of_one_target(tmp_path):
    """Trained on, the target would say others; those of the earlier one are not taken for them."""
    options = {"count": 4, "seed": 0, "progress": silent}
    model = load_recommender(models=tiny_models()).target.model
    shop = tiny_shop()
    first = make_lists(model, shop, tmp_path, **options)
    with torch.no_grad():
        model.model.embed_tokens.weight.mul_(-1)
    second = make_lists(model, shop, tmp_path, **options)
    assert not np.array_equal(first["items"], second["items"])
    with torch.no_grad():
        model.model.embed_tokens.weight.mul_(-1)
    assert np.array_equal(make_lists(model, shop, tmp_path, **options)["items"], first["items"])
    assert len(list(tmp_path.iterdir())) == 2


def test_an_unknown_run_or_one_without_its_beginning_is_refused(tmp_path):
    with pytest.raises(PlaygroundError, match="Did you mean 'atspeed_r'"):
        train_shop(tiny_shop(), tmp_path, only="atspeed-r", say=silent)
    with pytest.raises(PlaygroundError, match="Train this model first"):
        train_shop(tiny_shop(), tmp_path, only="sft", say=silent)
