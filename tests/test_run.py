"""`playground.run`: a prompt decoded in one call."""

import inspect
from dataclasses import fields

import pytest

import playground
from playground.decoding.method import make_method, methods
from playground.errors import PlaygroundError
from playground.trace import Trace, validate

KING = {"prompt": "The king", "max_new_tokens": 12, "seed": 3}


def emitted(trace):
    return [token for each in trace.committed for token in each.tokens]


def test_a_run_is_a_whole_trace_of_what_was_asked():
    trace = playground.run("speculative_sampling", **KING, temperature=0.7, draft_length=3)
    validate(trace)
    started, finished = trace.started, trace.finished
    assert isinstance(trace, Trace) and finished.num_tokens == 12 == len(emitted(trace))
    assert (started.prompt, started.seed, started.max_new_tokens) == ("The king", 3, 12)
    assert started.sampling == {"temperature": 0.7, "top_k": 0, "top_p": 1.0}
    assert started.options["draft_length"] == 3
    assert max(len(each.drafted) for each in trace.rounds) == 3


def test_the_same_seed_gives_the_same_tokens_however_the_method_is_named():
    first = playground.run("rsd_s", **KING, width=2)
    again = playground.run(make_method("rsd_s", {"width": 2}), **KING)
    assert emitted(first) == emitted(again) and first.started.options == again.started.options
    assert emitted(first) != emitted(playground.run("rsd_s", **(KING | {"seed": 4}), width=2))


def test_models_are_a_pair_or_named_one_by_one():
    pair = playground.run("speculative_sampling", **KING)
    folders = {role: f"assets/models/{role}" for role in ("target", "draft")}
    assert emitted(playground.run("speculative_sampling", **KING, **folders)) == emitted(pair)


@pytest.mark.parametrize(
    ("method", "asked", "sentence"),
    [
        ("speculativ_sampling", {}, "Did you mean 'speculative_sampling'?"),
        ("speculative_sampling", {"draft_lenght": 3}, "draft_length"),
        ("speculative_sampling", {"draft_length": -1}, "raft length"),
        ("speculative_sampling", {"pair": "nothing"}, "nothing"),
        ("speculative_sampling", {"draft": "assets/models/draft"}, "needs a target"),
        ("speculative_sampling", {"temperature": -1}, "emperature"),
        (make_method("rsd_s"), {"width": 3}, "has its options already"),
    ],
)
def test_what_cannot_run_is_refused_in_a_sentence(method, asked, sentence):
    with pytest.raises(PlaygroundError) as refusal:
        playground.run(method, **(KING | asked))
    assert sentence in str(refusal.value)


def test_no_option_of_a_method_has_the_name_of_a_setting():
    """Both are given by name to the same call."""
    settings = set(inspect.signature(playground.run).parameters)
    for name in methods():
        assert settings.isdisjoint(field.name for field in fields(make_method(name).options)), name
