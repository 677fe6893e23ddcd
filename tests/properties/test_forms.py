"""Forms and links: whatever a program posts or a link says is taken or refused in a sentence, and nothing else."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from inspect import signature
from types import SimpleNamespace
from urllib.parse import parse_qsl

import gradio as gr
import pytest
from hypothesis import given
from hypothesis import strategies as some

from playground.decoding.method import make_method, methods
from playground.errors import PlaygroundError
from playground.ui import programs
from playground.ui.contract.from_page import FromPage
from playground.ui.contract.reading import receive, tag_of
from playground.ui.live import turns
from playground.ui.recommend.form import RecommendForm
from playground.ui.runs.race.setup import RaceForm, race_setup
from playground.ui.runs.sweep.setup import SweepForm, sweep_setup
from playground.ui.watch.form import WatchForm
from playground.ui.watch.turn import ask, link_parts
from tests.contract import messages
from tests.properties.inputs import anything, scalars, texts

FORMS = [WatchForm, RaceForm, SweepForm, RecommendForm]
OF_PYTHON = re.compile(
    r"modulo|NoneType|Validation error|not supported between|invalid literal|unexpected keyword|unsupported operand|"
    r"could not convert|has no attribute|object is not|cannot be interpreted|Traceback|<class|\\w(Error|Exception)\\b"
)
NOT_MODELS = [item.name for item in fields(WatchForm) if item.name not in ("pair", "target", "draft")]


@contextmanager
def refused_in_a_sentence() -> Iterator[None]:
    """Let what is refused pass where it is one sentence, or two, of ours: not empty, and in no words of Python's."""
    try:
        yield
    except (PlaygroundError, gr.Error) as error:
        said = error.message if isinstance(error, gr.Error) else str(error)
        assert said.strip() and said.rstrip()[-1] in ".?!" and "\n" not in said.strip(), repr(said)
        assert not OF_PYTHON.search(said), said


def _values(form):
    return some.fixed_dictionaries({}, optional={item.name: anything for item in fields(form)})


@given(some.sampled_from(sorted(methods())), some.dictionaries(texts, anything, max_size=3), some.data())
def test_a_method_is_made_with_options_or_refuses_them(name, values, data):
    known = {item.name: item.metadata for item in fields(methods()[name].Options)}
    if known:
        option = data.draw(some.sampled_from(sorted(known)))
        values |= {option: data.draw(some.one_of(anything, some.floats(known[option]["min"], known[option]["max"])))}
    with refused_in_a_sentence():
        made = make_method(name, values).options
        for option, facts in known.items():
            assert facts["min"] <= getattr(made, option) <= facts["max"]


@given(some.dictionaries(some.sampled_from(NOT_MODELS), anything, max_size=3))
def test_a_run_that_a_program_posts_is_made_a_request_or_refused(changes):
    with refused_in_a_sentence():
        request = replace(WatchForm(), **changes).spec().request()
        assert 1 <= request.max_new_tokens <= 900 and isinstance(request.seed, int)


@given(_values(WatchForm))
def test_a_run_of_anything_lines_up_or_is_refused(changes):
    form = WatchForm(**changes)
    with refused_in_a_sentence():
        ask(SimpleNamespace(session_hash="fuzz"), form)
    turns.leave("fuzz")
    link_parts(WatchForm())


@given(_values(RaceForm).map(lambda values: values | {"file": None}))
def test_a_race_of_anything_is_set_up_or_refused(changes):
    with refused_in_a_sentence():
        race_setup(RaceForm(**changes | {"pair": "bundled"}))


@given(_values(SweepForm).map(lambda values: values | {"file": None}))
def test_a_sweep_of_anything_is_set_up_or_refused(changes):
    with refused_in_a_sentence():
        sweep_setup(SweepForm(**changes))


@given(_values(RecommendForm))
def test_a_press_of_anything_is_taken_or_refused(changes):
    form = RecommendForm(**changes)
    for read in (form.items, form.how):
        with refused_in_a_sentence():
            read()


@pytest.mark.parametrize("endpoint", [programs.run, programs.compare, programs.acceptance])
@given(some.data())
def test_a_call_with_a_value_of_anything_is_answered_or_refused(endpoint, data):
    """One that is nothing, above all; the others are as a program would send them, of a short run."""
    sound = {"max_new_tokens": 2, "prompts": 1, "target": [0.5, 0.5], "draft": [0.8, 0.2]}
    names = list(signature(endpoint).parameters)
    values = {name: sound[name] for name in names if name in sound}
    values |= data.draw(some.dictionaries(some.sampled_from(names), anything, min_size=1, max_size=2))
    with refused_in_a_sentence():
        programs.in_sentences(endpoint)(**values)


@given(anything, some.sampled_from(sorted(messages(FromPage), key=tag_of)))
def test_a_message_of_anything_is_read_or_refused(data, kind):
    for sent in (
        data,
        {"type": tag_of(kind), "other": data},
        *({"type": tag_of(kind), each: data} for each in kind.__struct_fields__),
    ):
        with refused_in_a_sentence():
            receive(sent, kind)


def _links(form):
    """A form, and a query for it."""
    names = some.one_of(some.sampled_from(sorted(form().in_link())), texts)
    return some.tuples(some.just(form), some.dictionaries(names, some.one_of(texts, scalars.map(str)), max_size=4))


@given(some.one_of(map(_links, FORMS)))
def test_a_link_of_anything_is_followed_or_refused(link):
    form, query = link
    with refused_in_a_sentence():
        request = form.read_link(query)
        assert request.keys() <= {item.name for item in fields(form)} | {"items"}


@given(
    some.sampled_from(sorted(methods())),
    some.text(min_size=1, max_size=60),
    some.integers(0, 2**32),
    some.integers(1, 900),
    some.floats(0, 2).map(lambda value: round(value, 2)),
)
def test_a_link_sets_up_what_it_was_made_from(method, prompt, seed, tokens, temperature):
    form = WatchForm(prompt=prompt, method=method, seed=seed, tokens=tokens, temperature=temperature)
    try:
        query = form.link(WatchForm())
    except (PlaygroundError, UnicodeEncodeError):
        return
    request = WatchForm.read_link(dict(parse_qsl(query.removeprefix("?"), keep_blank_values=True)))
    assert replace(WatchForm(), **request) == form
