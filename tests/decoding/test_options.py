"""Options that contradict each other, the models or the budget: refused in one sentence, or cut to what there is."""

import dataclasses
from itertools import combinations, product

import numpy as np
import pytest

from playground.decoding.decode import Round, decode
from playground.decoding.method import make_method, methods
from playground.errors import PlaygroundError
from playground.models.sampling import Sampling
from playground.models.table_model import TableModel
from playground.trace import validate
from playground.trace.events import Verified
from tests.decoding.runs import request, trace_of

EVERY = sorted(methods())
SMALL = {"target": TableModel.random(3, seed=1), "draft": TableModel.random(3, seed=2), "prompt": (0,)}
NARROW = [Sampling(), Sampling(0), Sampling(1.0, top_k=1), Sampling(10.0, top_p=0.5)]


def first_round(name, options, **more):
    """The first round with something drafted."""
    items = decode(request(make_method(name, options), **{**SMALL, **more}))
    return next(item for item in items if isinstance(item, Round) and item.draft.depths)


def children(item):
    """The drafted tokens below each node, in draw order."""
    results = {}
    for depth in item.draft.depths:
        for parent, node in zip(depth.parents, depth.nodes, strict=True):
            results.setdefault(parent, []).append(item.tree.tokens[node])
    return results


def pairs_of_ends(name):
    """Every two options at their ends, and the others at their defaults."""
    ends = [[(item.name, item.metadata[end]) for end in ("min", "max")] for item in dataclasses.fields(find(name))]
    for one, other in combinations(ends, 2):
        yield from (dict(pair) for pair in product(one, other))


def find(name):
    return methods()[name].Options


@pytest.mark.parametrize("name", [name for name in EVERY if len(dataclasses.fields(find(name))) > 1])
def test_any_two_ends_run_to_the_budget_or_are_refused(name):
    """On three tokens, and on one that has all the mass, so that every branching and width is too large; in turns."""
    num_run = 0
    for options in pairs_of_ends(name):
        try:
            method = make_method(name, options)
        except PlaygroundError as error:
            assert "Choose" in str(error) and "\n" not in str(error)
            continue
        sampling = NARROW[num_run % len(NARROW)]
        trace = trace_of(request(method, sampling=sampling, length=5, **SMALL))
        assert trace.events[-1].num_tokens == 5, (options, sampling)
        validate(trace)
        num_run += 1
    assert num_run


@pytest.mark.parametrize("support", [3, 2])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("rsd_c", {"first_branching": 8, "second_branching": 4, "later_branching": 2}),
        ("traversal_verification", {"first_branching": 8, "second_branching": 4, "later_branching": 2}),
        ("rsd_s", {"width": 16}),
        ("sequoia", {"num_nodes": 64}),
        ("dynamic_tree", {"width": 16, "total_tokens": 64}),
    ],
)
def test_branching_beyond_the_vocabulary_drafts_every_token_that_has_mass_once(name, options, support):
    draft = SMALL["draft"] if support == 3 else TableModel([0.5, 0.5, 0.0])
    drafted = children(first_round(name, options, draft=draft, length=20))
    assert sorted(drafted[0]) == list(range(support))
    assert all(len(set(tokens)) == len(tokens) and max(tokens) < support for tokens in drafted.values())


@pytest.mark.parametrize("name", ["spectr", "importance_sampling", "specinfer"])
def test_more_independent_draws_than_tokens_repeat_them(name):
    most = {"spectr": {"num_drafts": 16}, "importance_sampling": {"num_drafts": 6}, "specinfer": {"first_draws": 16}}
    drafted = first_round(name, most[name] | {"draft_length": 1}, length=20).draft.depths[0]
    assert len(drafted.nodes) == next(iter(most[name].values())) and len(set(drafted.nodes)) <= 3


@pytest.mark.parametrize(
    ("name", "options", "draws"),
    [
        ("specinfer", {"draft_length": 16, "later_draws": 2}, "196,605"),
        ("specinfer", {"draft_length": 6, "first_draws": 16, "later_draws": 2}, "1,008"),
        ("rsd_c", {"draft_length": 8, "first_branching": 8, "second_branching": 4, "later_branching": 2}, "4,072"),
        ("traversal_verification", {"draft_length": 8, "second_branching": 4, "later_branching": 2}, "1,018"),
    ],
)
def test_trees_too_large_to_judge_are_refused(name, options, draws):
    with pytest.raises(PlaygroundError, match=f"a tree of {draws}; 512 is the most. Choose fewer"):
        make_method(name, options)


@pytest.mark.parametrize("name", ["speculative_sampling", "spectr", "specinfer", "importance_sampling"])
def test_a_draft_is_never_hotter_than_a_run_may_be(name):
    """Temperature 10 times 4 is 40; the draft stops at 10, and its rows are those of 10."""
    draft = TableModel([0.7, 0.2, 0.1])
    options = {"draft_temperature_factor": 4.0}
    drafted = first_round(name, options, draft=draft, sampling=Sampling(10.0), length=20).draft
    expected = Sampling(10.0).probs(draft._logits[None])[0]
    rows = [below.distribution.first(below.tokens, expected) for below in drafted.draws.values()]
    assert rows and all((row == expected).all() for row in rows)


def test_a_threshold_of_nothing_keeps_whatever_the_target_can_write():
    trace = trace_of(request(make_method("mtad", {"tau": 0}), length=20, **SMALL))
    outcomes = {outcome for event in trace.events if isinstance(event, Verified) for outcome in event.outcomes}
    assert outcomes == {"accepted"}


def test_a_match_longer_than_the_text_is_a_shorter_one():
    trace = trace_of(request(make_method("prompt_lookup", {"max_ngram": 8}), prompt=(0, 1, 0), length=20))
    assert trace.events[-1].num_drafted > 0 and trace.events[-1].num_tokens == 20


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("beam_search", {"width": 16}),
        ("beam_sampling", {"width": 16, "replacement": 0}),
        ("atspeed_strict", {"width": 16, "spare": 48}),
    ],
)
def test_more_beams_than_texts_are_as_many_as_there_are(name, options):
    """One step from one text reaches three."""
    item = next(item for item in decode(request(make_method(name, options), length=20, **SMALL)) if type(item) is Round)
    step = [beam for beam in item.verdict.beams.live if item.tree.depths[beam.node] == 1]
    assert len(item.frontier) == len(set(item.frontier)) and (len(step) == 3 or name == "atspeed_strict")


def test_a_whole_number_may_come_as_any_number():
    """Of a program that reads JSON, or of numpy."""
    options = make_method("spectr", {"draft_length": 4.0, "num_drafts": np.int64(2)}).options
    assert options == make_method("spectr", {"draft_length": 4, "num_drafts": 2}).options
    assert type(options.draft_length) is type(options.num_drafts) is int


def test_unknown_names_get_a_suggestion():
    with pytest.raises(PlaygroundError, match="Did you mean 'speculative_sampling'"):
        make_method("speculative_samplin")
    with pytest.raises(PlaygroundError, match="Did you mean 'draft_length'"):
        make_method("speculative_sampling", {"draft_lenght": 3})


@pytest.mark.parametrize("value", [-1, 33, "many", float("nan"), float("inf"), "1e400", 10**400, 2.5, True, None])
def test_impossible_option_values_are_refused(value):
    with pytest.raises(PlaygroundError, match="Draft length"):
        make_method("speculative_sampling", {"draft_length": value})


@pytest.mark.parametrize("changes", [{"length": 0}, {"length": 10**9}, {"seed": -1}])
def test_requests_out_of_range_are_refused(changes):
    with pytest.raises(PlaygroundError, match="Choose"):
        request(make_method("autoregressive"), **changes)


def test_an_empty_prompt_is_refused():
    with pytest.raises(PlaygroundError, match="The prompt is empty"):
        request(make_method("autoregressive"), prompt=())
