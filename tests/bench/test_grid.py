"""A grid is every combination once, in an order that does not change."""

import pytest

from playground.bench.grid import Grid, count_runs, points, read_axes, read_grid, read_seeds, requests
from playground.errors import PlaygroundError
from playground.models.loading import LoadedPair
from playground.models.sampling import Sampling
from tests.decoding.runs import DRAFT, TARGET

PAIR = LoadedPair(TARGET, DRAFT)


def grid(**changed):
    facts = {"choices": (("rsd_s", {}),), "axes": {"width": (1, 2)}, "prompts": ("ab", "ba"), "seeds": (0, 1)}
    return Grid(**facts | changed)


def test_every_combination_stands_once_and_settings_vary_first():
    drawn = points(grid(axes={"width": (1, 2), "temperature": (0.5, 1)}))
    assert [point.run for point in drawn] == list(range(1, 17))
    keys = [(point.label, point.prompt, point.seed) for point in drawn]
    assert len(set(keys)) == 16
    settings = [f"rsd_s width={width} temperature={temperature}" for width in (1, 2) for temperature in (0.5, 1)]
    assert [label for label, _, _ in keys[:4]] == settings
    assert {(prompt, seed) for _, prompt, seed in keys[:4]} == {(1, 0)}


def test_a_point_says_all_of_its_settings():
    point = points(grid(axes={"max_new_tokens": (5, 9), "top_k": (3,)}, sampling=Sampling(0.7)))[1]
    assert point.as_dict() == {
        "run": 2, "label": "rsd_s max_new_tokens=9 top_k=3", "method": "rsd_s", "prompt": 1, "seed": 0,
        "options": {"draft_length": 3, "width": 3}, "temperature": 0.7, "top_k": 3, "top_p": 1.0, "max_new_tokens": 9,
    }  # fmt: skip


def test_several_methods_share_the_axes():
    drawn = points(grid(choices=(("rsd_s", {"draft_length": 2}), ("dsbd", {})), prompts=("ab",), seeds=(0,)))
    assert [point.label for point in drawn] == ["rsd_s width=1", "rsd_s width=2", "dsbd width=1", "dsbd width=2"]
    assert drawn[0].entry.options["draft_length"] == 2


def test_each_run_becomes_the_request_it_describes():
    run_request = requests(grid(axes={"temperature": (0.5, 2)}, max_new_tokens=7), PAIR)
    assert [request.sampling.temperature for request in run_request.values()] == [0.5, 2] * 4
    assert [request.prompt_ids for request in run_request.values()] == ([(0, 1)] * 2 + [(1, 0)] * 2) * 2
    assert [request.seed for request in run_request.values()] == [0] * 4 + [1] * 4
    assert {request.max_new_tokens for request in run_request.values()} == {7}


def test_prompts_of_a_chat_grid_are_turns_of_the_targets_template_and_others_have_no_template(monkeypatch):
    with pytest.raises(PlaygroundError, match="has no chat template"):
        requests(grid(chat=True), PAIR)
    monkeypatch.setattr("playground.bench.prompts.chat_turn", lambda _, message: (f"b{message}", (1, *map(int, "01"))))
    told = {(each.prompt, each.prompt_ids, each.message) for each in requests(grid(chat=True), PAIR).values()}
    assert told == {("bab", (1, 0, 1), "ab"), ("bba", (1, 0, 1), "ba")}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"axes": {"with": (1,)}}, "no option 'with' to vary. Did you mean 'width'"),
        ({"axes": {"width": (99,)}}, "out of range"),
        ({"axes": {"width": (1.5,)}}, "whole number"),
        ({"axes": {"temperature": (-1,)}}, "Temperature"),
        ({"axes": {"max_new_tokens": (2.5,)}}, "not a whole number"),
        ({"axes": {"max_new_tokens": (0,)}}, "prompt 1: 0 new tokens"),
        ({"choices": (("rsd_s", {"width": 2}),)}, "fixed after rsd_s"),
        ({"choices": (("rsd_s", {}), ("autoregressive", {}))}, "autoregressive has no option 'width'"),
        ({"choices": (("nope", {}),)}, "Unknown method"),
        ({"prompts": ()}, "a prompt"),
        ({"prompts": ("ab", " ")}, "prompt 2: The prompt is empty"),
        ({"seeds": (-1,)}, "Seed -1"),
        ({"seeds": tuple(range(10_000))}, "40,000 runs"),
    ],
)
def test_what_cannot_run_is_refused_before_anything_does(changed, message):
    with pytest.raises(PlaygroundError, match=message):
        requests(grid(**changed), PAIR)


def test_axes_and_seeds_are_read_from_text():
    assert read_axes(["width=1,2", "temperature=0.5,1"]) == {"width": (1, 2), "temperature": (0.5, 1)}
    assert read_seeds("3,0,1") == (3, 0, 1)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("", "not a list"),
        ("1,a", "not a list"),
        ("1,2,1", "has 1 twice"),
        (["width"], "has no values"),
        (["width="], "has no values"),
        (["=1"], "has no values"),
        (["width=1,x"], "must be a number, not 'x'"),
        (["width=1,inf"], "must be a number"),
        (["width=1,,2"], "must be a number, not ''"),
        (["width=1,2,1"], "has 1 twice"),
        (["width=1,1.0"], "has 1 twice"),
        (["width=1", "width=2"], "is given twice in --grid"),
    ],
)
def test_axes_and_seeds_that_do_not_read_say_why(texts, message):
    with pytest.raises(PlaygroundError, match=message):
        (read_seeds if isinstance(texts, str) else read_axes)(texts)


def test_runs_are_counted_without_making_them():
    one = grid(axes={"width": (1, 2, 3), "temperature": (0.5, 1)})
    assert count_runs(one) == len(points(one)) == 24
    many = tuple(range(10**6))
    assert count_runs(grid(axes={"width": many})) == 4 * 10**6
    # nothing runs, so nothing bounds the other options: of two with 10,000 values each all pairs were made
    with pytest.raises(PlaygroundError, match="temperature is to vary and has no value"):
        points(grid(axes={"temperature": (), "width": many, "draft_length": many}))
    # a plan's fingerprint does not know the order of axes, so a resumed sweep would mix two numberings
    axes = {"width": (1, 2), "draft_length": (2, 3)}
    assert points(grid(axes=axes)) == points(grid(axes=dict(reversed(axes.items()))))


def test_a_grid_is_read_back_from_its_data():
    one = grid(axes={"width": (1, 2), "temperature": (0.5, 1)}, sampling=Sampling(0.7, 5, 0.9), max_new_tokens=9)
    assert read_grid(one.as_dict()) == one


@pytest.mark.parametrize(
    "damage", [{"methods": 3}, {"grid": {"width": ["x"]}}, {"prompts": [1]}, {"seeds": "ab"}, {"sampling": {}}]
)
def test_damaged_data_is_no_grid(damage):
    with pytest.raises(PlaygroundError):
        read_grid(grid().as_dict() | damage)
