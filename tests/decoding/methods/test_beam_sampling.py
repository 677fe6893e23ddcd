"""The law of beam sampling's beams, enumerated: every sequence of draws of one and of two steps, by the definition."""

import itertools
from collections import defaultdict

import numpy as np
import pytest

from playground.decoding.method import make_method
from playground.models.sampling import Sampling
from playground.models.table_model import TableModel
from tests.decoding.runs import enumerated, request, rounds_of, trace_of

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


def beams_of(rounds):
    """The texts that the last round left, ended ones too, as a sorted tuple."""
    *_, last = rounds
    texts = (last.tree.context(beam.node)[len(PROMPT) :] for beam in last.verdict.beams.live + last.verdict.beams.ended)
    return tuple(sorted(map(tuple, texts)))


def measured_law(replacement, num_steps, temperature=1.0):
    """The same from the method itself, which is led through every sequence of draws that it can make."""
    method = make_method("beam_sampling", {"width": WIDTH, "replacement": int(replacement)})
    sampling = Sampling(temperature)
    return enumerated(request(method, target=TARGET, prompt=PROMPT, length=num_steps, sampling=sampling), beams_of)


@pytest.mark.parametrize("replacement", [True, False], ids=["i.i.d.", "without replacement"])
@pytest.mark.parametrize(("num_steps", "temperature"), [(1, 1.0), (2, 1.0), (2, 0.5)])
def test_the_beams_have_the_law_of_the_definition(replacement, num_steps, temperature):
    defined = defined_law(replacement, num_steps, temperature)
    measured = measured_law(replacement, num_steps, temperature)
    assert defined.keys() == measured.keys()
    assert sum(measured.values()) == pytest.approx(1, abs=1e-12)
    assert max(abs(defined[texts] - measured[texts]) for texts in defined) < 1e-12


def test_the_two_laws_differ():
    distributions = [measured_law(replacement, 1) for replacement in (True, False)]
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
        assert {len(item.verdict.beams.live + item.verdict.beams.ended) for item in rounds_of(run_request)} == {8}
