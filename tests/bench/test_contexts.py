"""Acceptance and price by text length: exact on tables, and a row for every length that is read."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from playground.bench import contexts
from playground.bench.contexts import by_context
from playground.errors import PlaygroundError
from playground.models.language_model import LoadedPair
from playground.models.loading import Models
from playground.models.table_model import TableModel
from playground.paths import ASSETS
from playground.ui.lab.measured import RECORDED
from playground.words import english

TARGET, DRAFT = TableModel.random(5, order=2, seed=0), TableModel.random(5, order=1, seed=1)


def pair(target=TARGET, draft=DRAFT, reads=300):
    target.max_positions = draft.max_positions = reads
    return LoadedPair(target, draft)  # pyright: ignore[reportArgumentType]  # tables answer as language models


@pytest.fixture
def texts(monkeypatch):
    """Texts of letters, and few calls."""
    draws = np.random.default_rng(0)
    made = [draws.integers(0, 5, size=256).tolist() for _ in range(contexts.NUM_TEXTS)]
    monkeypatch.setattr(contexts, "_texts", lambda target, length: iter(text[:length] for text in made))
    monkeypatch.setattr(contexts, "REPEATS", 6)
    return made


def test_acceptance_is_the_overlap_at_the_last_positions_of_every_text(texts):
    *_, last = by_context(pair(), 2)
    assert last["done"] == last["total"] == 8 * 4 and last["reads"] == 300
    assert [point["length"] for point in last["points"]] == [128, 192, 256]
    overlaps = [
        [np.minimum(TARGET.row(text[:end]), DRAFT.row(text[:end])).sum() for end in range(256 - 64, 256)]
        for text in texts
    ]
    assert last["points"][2]["rate"] == pytest.approx(np.mean(overlaps))
    for point in last["points"]:
        assert (
            point["low"] < point["rate"] < point["high"] and point["price_low"] <= point["price"] <= point["price_high"]
        )


def test_models_that_remember_two_tokens_have_no_change_by_length(texts):
    """Both lengths score the same tokens: all that differs is text that the tables cannot see."""
    *_, last = by_context(pair(), 2)
    assert last["change"]["value"] == pytest.approx(0, abs=1e-12)


def test_what_is_known_after_every_step_is_of_that_step(texts):
    steps = list(by_context(pair(reads=128), 2))
    assert [step["done"] for step in steps] == list(range(1, 17)) and [len(s["points"]) for s in steps] == [0] * 15 + [
        1
    ]
    assert steps[-1]["change"] is None, "one length tells of no change"


def test_too_short_models_and_a_lone_target_get_a_sentence():
    with pytest.raises(PlaygroundError, match="read 100 tokens, and the shortest text has 128"):
        next(by_context(pair(reads=100), 2))
    with pytest.raises(PlaygroundError, match="needs a draft model"):
        next(by_context(LoadedPair(TARGET, None), 2))  # pyright: ignore[reportArgumentType]


def test_stories_of_the_bundled_target_go_on_behind_their_end():
    target = Models.named().load().target
    text = next(contexts._texts(target, 256))
    assert len(text) == 256 and set(text) & target.eos_ids, "several stories"


def test_texts_of_a_chat_model_are_parts_of_the_readmes_from_the_first_token_to_the_last():
    """Of 107 tokens 8 parts of 30, 77 // 7 = 11 apart."""
    vocabulary = SimpleNamespace(has_chat_template=True, encode=lambda _: list(range(107)))
    texts = list(contexts._texts(SimpleNamespace(vocabulary=vocabulary), 30))  # pyright: ignore[reportArgumentType]
    assert [(text[0], text[-1]) for text in texts] == [(start, start + 29) for start in range(0, 88, 11)]


def test_a_call_over_one_token_is_told_in_milliseconds(monkeypatch):
    monkeypatch.setattr(contexts, "call_seconds", lambda *_: {1: [0.002, 0.004, 0.003], 5: [0.004, 0.010, 0.009]})
    price = contexts._price(TARGET, 128, 5)
    assert price["step_ms"] == pytest.approx(3) and price["price"] == pytest.approx(2.5)


def test_what_was_recorded_is_a_row_for_each_length_and_what_the_page_says_of_training_is_the_makers_own():
    made = json.loads((ASSETS / "models" / "made.json").read_text())["runs"]
    windows = {name: made[name]["plan"]["window"] for name in ("target", "draft")}
    assert (
        "target was trained on {target}, the draft model on {draft}".format(**windows)
        in english("lab/measured")["contexts_trained"]
    )
    for path in RECORDED.values():
        recorded = json.loads(path.read_text())
        assert recorded["done"] == recorded["total"] and recorded["machine"]["processor"] and len(recorded["on"]) == 10
        assert [each["length"] for each in recorded["points"]] == [
            each for each in contexts.LENGTHS if each <= recorded["reads"]
        ]
