"""Speculative beam decoding: its beams have the law of i.i.d. beam sampling, exactly and over several layers."""

import dataclasses
from collections import Counter, defaultdict

import pytest
import torch
from scipy.stats import chi2

from playground.decoding import beams
from playground.decoding.decode import Round, decode
from playground.decoding.method import make_method
from playground.decoding.methods import dsbd
from playground.decoding.sampling import Sampling
from playground.models.table_model import TableModel
from tests.decoding.methods.test_beam_sampling import PROMPT, Choices, defined_law
from tests.decoding.runs import request

TARGET = TableModel.random(2, order=2, seed=5)
ENDING = TableModel(TARGET.table, eos_ids=frozenset([1]))
DRAFT = TableModel.random(2, order=1, seed=6)


class Fork:
    """A coin that takes both sides, one run after the other: coin * q < r holds with probability r / q."""

    def __init__(self, choices, q=1.0):
        self.choices, self.q = choices, q

    def random(self):
        return self

    def __mul__(self, q):
        return Fork(self.choices, q)

    def __lt__(self, r):
        accept = min(1.0, r / self.q)
        return self.choices.take(torch.tensor([1 - accept, accept], dtype=torch.float64), None) == 1


def asked_for(num_steps, options, sampling=None):
    method = make_method("dsbd", options)
    return request(method, target=TARGET, draft=DRAFT, prompt=PROMPT, length=num_steps, sampling=sampling)


def beams_of(asked):
    """The texts that the last round left, ended ones too, as a sorted tuple."""
    *_, last = (item for item in decode(asked) if isinstance(item, Round))
    texts = last.verdict.beams.live + last.verdict.beams.ended
    return tuple(sorted(tuple(last.tree.context(beam.node)[len(PROMPT) :]) for beam in texts))


def enumerated_law(monkeypatch, asked):
    """P(the beams are these texts): every draw, and both sides of every coin."""
    choices, law = Choices(), defaultdict(float)
    with monkeypatch.context() as patch:
        for module in (beams, dsbd):
            patch.setattr(module, "categorical", choices.take)
        judge = dsbd.judge_layer
        patch.setattr(dsbd, "judge_layer", lambda p, q, draws, num, coins: judge(p, q, draws, num, Fork(choices)))
        while choices.begin():
            law[beams_of(asked)] += choices.chance
    return law


@pytest.mark.parametrize(
    ("num_steps", "temperature", "options"),
    [
        (2, 1.0, {"draft_length": 1, "width": 2, "spare": 1}),
        (2, 0.5, {"draft_length": 1, "width": 2, "spare": 1}),
        (2, 1.0, {"draft_length": 1, "width": 3, "spare": 0}),
    ],
)
def test_the_beams_have_exactly_the_law_of_beam_sampling(monkeypatch, num_steps, temperature, options):
    """Every draw and both sides of every coin: layers accepted whole, then the bonus, and layers cut short."""
    law = enumerated_law(monkeypatch, asked_for(num_steps, options, Sampling(temperature)))
    defined = defined_law(True, num_steps, temperature, target=TARGET, width=options["width"])
    assert law.keys() == defined.keys()
    assert max(abs(law[texts] - defined[texts]) for texts in defined) < 1e-12


def test_texts_that_end_do_so_as_often_as_in_beam_sampling(monkeypatch):
    ending = dataclasses.replace(asked_for(2, {"draft_length": 1, "width": 2, "spare": 1}), target=ENDING)
    law = enumerated_law(monkeypatch, ending)
    plain = make_method("beam_sampling", {"width": 2})
    expected = enumerated_law(monkeypatch, dataclasses.replace(ending, method=plain))
    assert law.keys() == expected.keys() and {len(text) for texts in law for text in texts} == {1, 2}
    assert max(abs(law[texts] - expected[texts]) for texts in expected) < 1e-12


def test_two_layers_with_spare_draws_have_the_law_of_beam_sampling():
    """4000 seeded runs, a chi-square over the beams' texts of three tokens. False alarm, were the seeds free: 1e-6."""
    num_runs = 4000
    asked = asked_for(3, {"draft_length": 2, "width": 2, "spare": 2})
    counts = Counter(beams_of(dataclasses.replace(asked, seed=seed)) for seed in range(num_runs))
    law = defined_law(True, 3, target=TARGET)
    assert set(counts) <= set(law)
    statistic = sum((counts[texts] - num_runs * p) ** 2 / (num_runs * p) for texts, p in law.items())
    assert statistic < chi2.isf(1e-6, len(law) - 1)
