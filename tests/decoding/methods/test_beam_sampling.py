"""The law of beam sampling's beams, enumerated: every sequence of draws of one and of two steps, by the definition."""

import itertools
from collections import defaultdict

import numpy as np
import pytest

from playground.decoding import beams
from playground.decoding.decode import Round, decode
from playground.decoding.method import make_method
from playground.models.sampling import Sampling
from playground.models.table_model import TableModel
from tests.decoding.runs import request, trace_of

TARGET = TableModel.random(3, order=2, seed=5)
PROMPT = (0, 1)
WIDTH = 2


def defined_law(replacement, num_steps, temperature=1.0, target=TARGET, width=WIDTH):
    """P(the beams are these texts, as a multiset), from the table and the definition alone."""
    distribution = {(((), 1.0),): 1.0}  # beams, each with its joint probability -> probability
    for _ in range(num_steps):
        after = defaultdict(float)
        for texts, chance in distribution.items():
            rows = [
                ((*text, x), joint * target.table[target._window([*PROMPT, *text])][x])
                for text, joint in texts
                for x in range(target.vocab_size)
            ]
            weights = np.array([joint for _, joint in rows]) ** (1 / temperature)
            for draws in itertools.product(range(len(rows)), repeat=width):
                probability, left = 1.0, weights.sum()
                for index, draw in enumerate(draws):
                    if not replacement and draw in draws[:index]:
                        probability = 0.0
                        break
                    probability *= weights[draw] / left
                    left -= 0 if replacement else weights[draw]
                if probability:
                    after[tuple(sorted(rows[draw] for draw in draws))] += chance * probability
        distribution = after
    merged = defaultdict(float)
    for texts, chance in distribution.items():
        merged[tuple(text for text, _ in texts)] += chance
    return merged


def measured_law(monkeypatch, replacement, num_steps, temperature=1.0):
    """The same from the method itself, which is led through every sequence of draws that it can make."""
    choices, distribution = Choices(), defaultdict(float)
    monkeypatch.setattr(beams, "categoricals", choices.take_each)
    monkeypatch.setattr(beams, "categorical", choices.take)
    method = make_method("beam_sampling", {"width": WIDTH, "replacement": int(replacement)})
    run_request = request(method, target=TARGET, prompt=PROMPT, length=num_steps, sampling=Sampling(temperature))
    while choices.begin():
        *_, last = (item for item in decode(run_request) if isinstance(item, Round))
        texts = (tuple(last.tree.context(node)[len(PROMPT) :]) for node in last.frontier)
        distribution[tuple(sorted(texts))] += choices.chance
    return distribution


class Choices:
    """Leads a run of draws through every sequence there is, one run after the other."""

    def __init__(self):
        self.script = None  # the places to take first in the next run
        self.taken = []  # (place, number of possible tokens) of every draw of this run

    def begin(self):
        """Whether there is another run."""
        while self.taken and self.taken[-1][0] == self.taken[-1][1] - 1:
            self.taken.pop()
        if self.script is not None and not self.taken:
            return False
        self.script = [index for index, _ in self.taken]
        if self.script:
            self.script[-1] += 1
        self.taken, self.chance = [], 1.0
        return True

    def take(self, probs, coin):
        """Instead of a draw by a coin: the next token of the script."""
        possible = [token for token, p in enumerate(probs.tolist()) if p > 0]
        index = self.script[len(self.taken)] if len(self.taken) < len(self.script) else 0
        self.taken.append((index, len(possible)))
        self.chance *= float(probs[possible[index]] / probs.sum())
        return possible[index]

    def take_each(self, probs, coins):
        """The same for several draws from one law."""
        return [self.take(probs, uniform) for uniform in coins]


@pytest.mark.parametrize("replacement", [True, False], ids=["i.i.d.", "without replacement"])
@pytest.mark.parametrize(("num_steps", "temperature"), [(1, 1.0), (2, 1.0), (2, 0.5)])
def test_the_beams_have_the_law_of_the_definition(monkeypatch, replacement, num_steps, temperature):
    defined = defined_law(replacement, num_steps, temperature)
    measured = measured_law(monkeypatch, replacement, num_steps, temperature)
    assert defined.keys() == measured.keys()
    assert sum(measured.values()) == pytest.approx(1, abs=1e-12)
    assert max(abs(defined[texts] - measured[texts]) for texts in defined) < 1e-12


def test_the_two_laws_differ(monkeypatch):
    distributions = [measured_law(monkeypatch, replacement, 1) for replacement in (True, False)]
    assert sum(abs(distributions[0][texts] - distributions[1][texts]) for texts in distributions[0]) / 2 > 0.1


def test_the_trace_names_the_law_that_was_drawn_from():
    claims = [
        trace_of(request(make_method("beam_sampling", {"replacement": replacement}), length=1)).events[0].reproduces
        for replacement in (1, 0)
    ]
    assert claims == ["i.i.d. beam sampling", "beam sampling without replacement"]


def test_a_search_is_over_where_no_live_text_is_better_than_the_worst_ended_one():
    """Nor of two alike, as by transformers' rule for early_stopping=False."""
    even = TableModel([[0.5, 0.5]] * 2, eos_ids=frozenset([0]))
    search = make_method("beam_search", {"width": 1})
    finished = trace_of(request(search, target=even, prompt=(1,), length=5)).finished
    assert (finished.finish_reason, finished.rounds) == ("eos", 1)


def test_coinciding_draws_are_two_beams_on_one_node():
    run_request = request(make_method("beam_sampling", {"width": 8}), target=TARGET, prompt=PROMPT, length=1)
    committed = trace_of(run_request).events[-2]
    assert len(committed.frontier) == 8 > len(set(committed.frontier)) == len(committed.nodes)


def test_a_text_that_ends_takes_its_place_along():
    """Eight texts in all: those that have ended, and those that live on."""
    target = TableModel(TARGET.table, eos_ids=frozenset([2]))
    for seed in range(20):
        run_request = request(make_method("beam_sampling", {"width": 8}), target=target, prompt=PROMPT, seed=seed)
        for item in decode(run_request):
            if isinstance(item, Round):
                decided = item.verdict.beams
                assert len(decided.live) + len(decided.ended) == 8
