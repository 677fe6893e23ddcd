"""The law of beam sampling's beams, enumerated: every sequence of draws of one and of two steps, by the definition."""

from functools import partial

import pytest

from playground.decoding.method import make_method
from playground.exactness.beam_distributions import beam_sampling_distribution, warped
from playground.models.sampling import Sampling
from playground.models.table_model import TableModel
from tests.decoding.runs import enumerated, request, trace_of

TARGET = TableModel.random(3, order=2, seed=5)
ENDING = TableModel(TARGET.table, eos_ids=frozenset([2]))
PROMPT = (0, 1)
WIDTH = 2


def defined_law(replacement, num_steps, temperature=1.0, target=TARGET, width=WIDTH):
    """P(the beams are these texts, as a multiset), from the table and the definition alone."""
    how = {"width": width, "num_steps": num_steps, "replacement": replacement}
    warp = partial(warped, sampling=Sampling(temperature))
    return beam_sampling_distribution(target, PROMPT, **how, warp=warp)


def assert_alike(measured, defined):
    assert measured.keys() == defined.keys() and sum(measured.values()) == pytest.approx(1, abs=1e-12)
    assert max(abs(measured[texts] - defined[texts]) for texts in defined) < 1e-12


def beams_of(rounds):
    """The texts that the last round left, ended ones too, as a sorted tuple."""
    *_, last = rounds
    texts = (last.tree.context(beam.node)[len(PROMPT) :] for beam in last.verdict.beams.live + last.verdict.beams.ended)
    return tuple(sorted(map(tuple, texts)))


@pytest.mark.parametrize("target", [TARGET, ENDING], ids=["endless", "ending"])
@pytest.mark.parametrize("replacement", [True, False], ids=["i.i.d.", "without replacement"])
@pytest.mark.parametrize(("num_steps", "temperature"), [(1, 1.0), (2, 1.0), (2, 0.5)])
def test_the_beams_have_the_law_of_the_definition(replacement, num_steps, temperature, target):
    """The method is led through every sequence of draws that it can make."""
    method = make_method("beam_sampling", {"width": WIDTH, "replacement": int(replacement)})
    sampling = Sampling(temperature)
    run_request = request(method, target=target, prompt=PROMPT, length=num_steps, sampling=sampling)
    assert_alike(enumerated(run_request, beams_of), defined_law(replacement, num_steps, temperature, target))


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
