"""Several draft models in one run: who drafts what, what it costs, and what is refused.

That it stays lossless is enumerated in test_whole_rounds.py.
"""

import pytest

from playground.decoding.method import make_method, methods
from playground.errors import PlaygroundError
from playground.trace import validate
from playground.trace.events import Committed, Drafted, RunFinished
from playground.trace.invariants import broken_invariants
from playground.trace.storage import from_json, to_json
from tests.decoding.runs import DRAFT, OTHERS, request, tokens, trace_of
from tests.trace.example import replace

SEVERAL = [name for name, kind in methods().items() if "draft_models" in kind.Options.__dataclass_fields__]


def drafted(trace):
    return [event for event in trace.events if isinstance(event, Drafted)]


@pytest.mark.parametrize("name", SEVERAL)
@pytest.mark.parametrize("number", [2, 3])
def test_the_draws_of_a_node_go_round_the_models(name, number):
    trace = trace_of(request(make_method(name, {"draft_models": number}), length=12))
    validate(trace)
    first = [event for event in drafted(trace) if event.depth == 1]
    assert all(event.draft_models == [draw % number for draw in range(len(event.nodes))] for event in first)
    assert len(trace.events[0].other_drafts) == number - 1
    assert from_json(to_json(trace)).events[1].draft_models == trace.events[1].draft_models


@pytest.mark.parametrize(
    ("writers", "broken"), [([0], "have 1 draft models"), ([2, 0, 0], "a draft model that the run has not")]
)
def test_writers_that_contradict_the_draws_break_a_law(writers, broken):
    trace = trace_of(request(make_method("specinfer", {"draft_models": 2}), length=8))
    start, first, *rest = trace.events
    assert len(first.nodes) == 3 and not broken_invariants(trace)
    (distribution,) = broken_invariants(replace(trace, events=(start, replace(first, draft_models=writers), *rest)))
    assert broken in distribution


@pytest.mark.parametrize("name", SEVERAL)
def test_each_draw_has_the_probability_that_its_own_model_gives_it(name):
    trace = trace_of(request(make_method(name, {"draft_models": 2}), length=1 + 4))
    models = [DRAFT, *OTHERS]
    event = drafted(trace)[0]
    last = trace.events[0].prompt_ids[-1:]
    for token, q, writer in zip(event.tokens, event.draft_probs, event.draft_models, strict=True):
        assert q == pytest.approx(float(models[writer].row(last)[token]))


@pytest.mark.parametrize("name", SEVERAL)
def test_the_work_is_counted_for_each_model(name):
    trace = trace_of(request(make_method(name, {"draft_models": 3}), length=12))
    rounds = [event for event in trace.events if isinstance(event, Committed)]
    assert all(len(event.draft_work) == 9 for event in rounds)
    (end,) = [event for event in trace.events if isinstance(event, RunFinished)]
    assert end.draft_calls == sum(len(set(event.draft_models)) for event in drafted(trace)) > len(drafted(trace))


@pytest.mark.parametrize("name", SEVERAL)
def test_equal_models_are_as_one(name):
    """A second draft that is the first again changes no token: each draw has the same law, and the same chance."""
    alone = tokens(request(make_method(name), length=16))
    twice = request(make_method(name, {"draft_models": 2}), length=16)
    assert tokens(replace(twice, other_drafts=(twice.draft_model,))) == alone


@pytest.mark.parametrize("name", SEVERAL)
def test_too_few_models_are_refused(name):
    with pytest.raises(PlaygroundError, match="needs 2 draft models, and this pair has 1"):
        replace(request(make_method(name)), method=make_method(name, {"draft_models": 2}), other_drafts=())


def test_methods_of_one_draft_leave_the_others_alone():
    trace = trace_of(request(make_method("speculative_sampling"), length=8))
    assert trace.events[0].other_drafts == [] and not any(event.draft_models for event in drafted(trace))
